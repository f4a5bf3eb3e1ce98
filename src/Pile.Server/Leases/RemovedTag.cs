// A tag that was removed while there were leases. Each knows the next one, so that a lease has before it just those that came after it began;
// what all leases have behind them is the collector's.
namespace Pile.Server.Leases;

/// <summary>A removed tag.</summary>
/// <param name="tag">The tag.</param>
internal sealed class RemovedTag(string tag)
{
    internal string Tag { get; } = tag;

    internal RemovedTag? Next { get; set; }
}
