// When the entries end that a walk over a segment has met, and so when the next walk is worth what it costs: not for each of them, and never while more
// than a part of them has ended and takes room in vain, however long others live beside them.
using System;
using System.Numerics;
using Pile.Cache.Entries;

namespace Pile.Cache.Eviction;

/// <summary>Ends of entries, their bytes counted by the time that is left: each power of two in four parts. Of one walk.</summary>
/// <param name="counts">Zeros, <see cref="Parts"/> of them.</param>
/// <param name="now">The time of the walk.</param>
internal ref struct EndsAhead(Span<long> counts, long now)
{
    internal const int Parts = 256;

    private const int BitsOfPart = 2;

    private readonly Span<long> _counts = counts;
    private long _first = EntryTerms.Never;
    private long _firstTold = EntryTerms.Never;
    private long _bytes;

    /// <summary>Counts an entry.</summary>
    /// <param name="end">When it ends.</param>
    /// <param name="bytes">What it takes.</param>
    /// <param name="isTold">Whether somebody is told of that.</param>
    internal void Add(long end, long bytes, bool isTold)
    {
        _counts[PartOf(end - now)] += bytes;
        _first = long.Min(_first, end);
        _firstTold = isTold ? long.Min(_firstTold, end) : _firstTold;
        _bytes += bytes;
    }

    /// <summary>When a part of them will have ended, or one that somebody waits to be told of; never where there are none.</summary>
    internal readonly long Next()
    {
        if (_bytes == 0)
        {
            return EntryTerms.Never;
        }

        long wanted = (_bytes + CacheLimits.SweepFraction - 1) / CacheLimits.SweepFraction;
        int part = 0;
        for (long seen = _counts[0]; seen < wanted; seen += _counts[part])
        {
            part++;
        }

        long next = long.Max(_first, now + long.Max(CacheLimits.SweepTicksMin, LeastOf(part)));
        return long.Min(next, long.Max(_firstTold, now + CacheLimits.ToldTicksMax));
    }

    /// <summary>When a call without room is to have what has ended by then: however little that is, but not again and again for it.</summary>
    internal readonly long NextForRoom() => long.Min(Next(), long.Max(_first, now + CacheLimits.RoomSweepTicksMin));

    // Two bits more, and the smallest have their parts too; what is beyond all dates is counted with the last of them.
    private static int PartOf(long left)
    {
        ulong shifted = (ulong)long.Clamp(left, 1, 1L << 61) << BitsOfPart;
        int log = BitOperations.Log2(shifted);
        return (log << BitsOfPart) | (int)((shifted >> (log - BitsOfPart)) & 3);
    }

    private static long LeastOf(int part) =>
        part == 0 ? 0 : (long)((((ulong)part & 3) | 4) << ((part >> BitsOfPart) - BitsOfPart) >> BitsOfPart);
}
