using Pile.Compare.Contestants;

namespace Pile.Compare.Running;

/// <summary>A line of the table: our figure of a workload and somebody's of the same or another one, round by round.</summary>
/// <param name="Name">What is compared.</param>
/// <param name="Workload">Where ours comes from.</param>
/// <param name="Contestant">Whom with.</param>
/// <param name="TheirWorkload">Where theirs comes from.</param>
/// <param name="Must">The ratio that must be met, if there is one.</param>
/// <param name="Reach">The ratio to reach for, if there is one.</param>
internal sealed record RowSpec(string Name, string Workload, string Contestant, string TheirWorkload, double? Must, double? Reach)
{
    /// <summary>Who of ours is compared.</summary>
    public string Us { get; init; } = Entries.Ours;

    /// <summary>A row whose ratio is our throughput over theirs.</summary>
    internal static RowSpec Faster(string name, string workload, string contestant, string theirWorkload, double? must = null, double? reach = null) =>
        new(name, workload, contestant, theirWorkload, must, reach);

    /// <summary>As <see cref="Faster"/>, of the cache.</summary>
    internal static RowSpec FasterCache(string name, string workload, string contestant, string theirWorkload, double? must = null, double? reach = null) =>
        new(name, workload, contestant, theirWorkload, must, reach) { Us = Entries.OurCache };
}
