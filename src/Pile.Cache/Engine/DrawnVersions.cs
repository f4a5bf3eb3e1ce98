// Which numbers of store operations had been drawn at a moment: those of the blocks that were drawn, up to where each writer stood in its own.
// Numbers come round after 2^38: one of long ago may count as drawn later.
using System.Linq;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Numbers drawn up to a moment.</summary>
/// <param name="next">The next number of each writer, and zeros.</param>
/// <param name="drawn">The end of the last block.</param>
internal sealed class DrawnVersions(long[] next, long drawn)
{
    private const ulong Half = KeyedHead.VersionMask / 2;

    private readonly ulong[] _next = [.. next.Where(static number => number % CacheLimits.VersionsDrawn != 0).Select(static number => (ulong)number & KeyedHead.VersionMask)];

    /// <summary>Whether a number was drawn later, or may have been.</summary>
    internal bool IsBefore(ulong version) =>
        ((version - (ulong)drawn) & KeyedHead.VersionMask) is > 0 and < Half
        || _next.Any(number => number / CacheLimits.VersionsDrawn == version / CacheLimits.VersionsDrawn && version >= number);
}
