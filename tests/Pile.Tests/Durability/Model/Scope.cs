using System.Globalization;
using System.Linq;

namespace Pile.Tests.Durability.Model;

/// <summary>The sizes of one exploration. Within them everything is explored.</summary>
internal sealed record Scope(string Name)
{
    internal int Slots { get; init; } = 2;

    internal int Segments { get; init; } = 3;

    /// <summary>Records that fit into a segment.</summary>
    internal int Places { get; init; } = 2;

    internal int Writers { get; init; } = 1;

    /// <summary>PowerSafe; else ProcessSafe, which promises nothing after a cut, so that there is none.</summary>
    internal bool IsPowerSafe { get; init; } = true;

    /// <summary>Whether flushes append markers.</summary>
    internal bool HasMarkers { get; init; }

    /// <summary>Whether an open may be interrupted after each of its stores, else only where it waits for the disk.</summary>
    internal bool OpensInSmallSteps { get; init; }

    /// <summary>Whether a writer may seal a segment that has room left, as one whose next record is too long does.</summary>
    internal bool SealsEarly { get; init; }

    /// <summary>Whether to demand besides that no later change of a member outlives a batch that does not survive.</summary>
    internal bool BatchesBindLater { get; init; }

    /// <summary>Whether an open leaves the counting of slots to later, beside the writers.</summary>
    internal bool CountsLater { get; init; }

    internal int Puts { get; init; }

    internal int Updates { get; init; }

    internal int Deletes { get; init; }

    internal int Batches { get; init; }

    internal int Flushes { get; init; }

    internal int Cleans { get; init; }

    internal int Clears { get; init; }

    internal int Closes { get; init; }

    internal int Checkpoints { get; init; }

    internal int FailedSyncs { get; init; }

    internal int Kills { get; init; }

    internal int Cuts { get; init; }

    /// <summary>Records that may be damaged while nobody has the pile open.</summary>
    internal int Damages { get; init; }

    /// <summary>The counters that a run starts with, in the order of <see cref="Budget"/>.</summary>
    internal int[] Budgets() => [Puts, Updates, Deletes, Batches, Flushes, Cleans, Clears, Closes, Checkpoints, FailedSyncs, Kills, Cuts, Damages];

    public override string ToString()
    {
        string[] names = ["puts", "updates", "deletes", "batches", "flushes", "cleans", "clears", "closes", "checkpoints", "failed syncs", "kills", "cuts", "damages"];
        string budgets = string.Join(", ", Budgets().Zip(names).Where(static pair => pair.First > 0)
            .Select(static pair => string.Create(CultureInfo.InvariantCulture, $"{pair.First} {pair.Second}")));
        return string.Create(CultureInfo.InvariantCulture,
            $"{Name}: {Slots} slots, {Segments} segments of {Places} records, {Writers} writers; {budgets}");
    }
}
