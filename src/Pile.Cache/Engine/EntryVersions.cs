// Numbers of store operations, drawn in blocks, one block a writer of the pile: whoever holds the writer draws from its block, so
// that no line is shared. They begin with the time, so that those of two processes over one directory differ.
using System.Threading;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Source of version numbers.</summary>
internal sealed class EntryVersions(int writers, long nowTicks)
{
    /// <summary>Longs from one writer's block to the next one's: a cache line and its neighbour.</summary>
    private const int Stride = 16;

    private readonly long[] _next = new long[(writers + 1) * Stride];
    private long _drawn = nowTicks / CacheLimits.VersionsDrawn * CacheLimits.VersionsDrawn;

    /// <summary>The next number.</summary>
    /// <param name="writer">Index of the writer that the caller holds.</param>
    internal ulong Next(int writer)
    {
        ref long next = ref _next[(writer + 1) * Stride];
        if (next % CacheLimits.VersionsDrawn == 0)
        {
            next = Interlocked.Add(ref _drawn, CacheLimits.VersionsDrawn) - CacheLimits.VersionsDrawn + 1;
            return (ulong)next++ & KeyedHead.VersionMask;
        }

        return (ulong)next++ & KeyedHead.VersionMask;
    }

    /// <summary>What was drawn up to now. For who holds all writers.</summary>
    internal DrawnVersions Drawn() => new([.. _next], _drawn);
}
