// What the cache knows of a segment beside what the pile does: which priorities stand in it, and from when on some of its entries may
// have expired. Facts grow with what is appended and are never made smaller by what is removed: they are bounds, and only say where
// to look.
using System;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Eviction;

/// <summary>Facts about segments. Written by whoever appends to the segment; read by anyone.</summary>
/// <param name="begin">Has the keeper look around, which alone removes what ends and what a tag's removal has ended, where nobody comes for it.</param>
internal sealed class SegmentFacts(Action begin)
{
    private const int ChunkShift = 10;
    private const int ChunkSegments = 1 << ChunkShift;

    /// <summary>Beside the bits of priorities: there are entries with notes, which a removal by tag may have ended.</summary>
    internal const int NotedBit = 1 << ((int)PileCachePriority.NeverRemove + 1);

    private readonly Lock _growth = new();
    private Fact[]?[] _chunks = new Fact[]?[1];

    /// <summary>Notes an entry that is being appended; of one whose value has pages of its own, the bytes of these.</summary>
    internal void Note(Segment segment, long endTicks, int priority, bool isNoted, int largeBytes = 0)
    {
        Fact fact = At(segment.Index);
        BeginAnew(fact, segment);

        // By whoever holds the segment's writer: one at a time.
        fact.LargeBytes += largeBytes;
        fact.Priorities |= (1 << priority) | (isNoted ? NotedBit : 0);
        LowerTo(fact, endTicks, endTicks);
        BeginFor(endTicks, isNoted);
    }

    /// <summary>Notes what is known of a segment of before.</summary>
    internal void Restore(Segment segment, long endTicks, int priorities)
    {
        Fact fact = At(segment.Index);
        BeginAnew(fact, segment);

        fact.Priorities |= priorities;
        LowerTo(fact, endTicks, endTicks);
        BeginFor(endTicks, (priorities & NotedBit) != 0);
    }

    /// <summary>Whether entries of a priority may stand in a segment.</summary>
    internal bool Has(Segment segment, int priority) =>
        Find(segment.Index) is { } fact && Volatile.Read(ref fact.Sequence) == segment.Sequence && (fact.Priorities & (1 << priority)) != 0;

    /// <summary>Whether entries that may be evicted may stand in a segment.</summary>
    internal bool HasEvictable(Segment segment) =>
        Find(segment.Index) is { } fact && Volatile.Read(ref fact.Sequence) == segment.Sequence && (fact.Priorities & ((1 << (int)PileCachePriority.NeverRemove) - 1)) != 0;

    /// <summary>Bytes of values with pages of their own whose entries were stored in a segment; those that cleaning moved there are not among them.</summary>
    internal long LargeBytesOf(Segment segment) => Find(segment.Index) is { } fact && Volatile.Read(ref fact.Sequence) == segment.Sequence ? Volatile.Read(ref fact.LargeBytes) : 0;

    /// <summary>Whether entries with notes may stand in a segment.</summary>
    internal bool HasNoted(Segment segment) => Find(segment.Index) is { } fact && Volatile.Read(ref fact.Sequence) == segment.Sequence && (fact.Priorities & NotedBit) != 0;

    /// <summary>The time from which on so many of a segment's entries may have expired that a walk is worth it, or any of them where room is needed.</summary>
    /// <remarks>Writer: who walks the segment, when it has noted what is left and forgets why it walked. Reader: that first, by a load that the second does not pass.</remarks>
    internal long EndOf(Segment segment, bool isForRoom = false) =>
        Find(segment.Index) is { } fact && Volatile.Read(ref fact.Sequence) == segment.Sequence
            ? long.Min(Volatile.Read(ref fact.WalkedTicks), isForRoom ? Volatile.Read(ref fact.RoomTicks) : Volatile.Read(ref fact.EndTicks))
            : long.MaxValue;

    /// <summary>Forgets when entries of a segment end, before they are looked at. Inside an epoch in which the segment is in use; one walk at a time.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="seenTicks">Why they are looked at. It holds until <see cref="EndWalk"/>, so that a walk that does not come to its end leaves the segment due, for a
    /// close at any moment too.</param>
    internal void BeginWalk(Segment segment, long seenTicks)
    {
        Fact fact = At(segment.Index);
        if (Volatile.Read(ref fact.Sequence) == segment.Sequence)
        {
            Volatile.Write(ref fact.WalkedTicks, seenTicks);
            _ = Interlocked.Exchange(ref fact.EndTicks, long.MaxValue);
            _ = Interlocked.Exchange(ref fact.RoomTicks, long.MaxValue);
        }
    }

    /// <summary>Notes when a segment is to be looked at again that was walked to its end, and when for room, unless it is another one by now.</summary>
    internal void EndWalk(Segment segment, long sequence, long endTicks, long roomTicks)
    {
        Fact fact = At(segment.Index);
        if (Volatile.Read(ref fact.Sequence) == sequence)
        {
            LowerTo(fact, endTicks, roomTicks);
            Volatile.Write(ref fact.WalkedTicks, long.MaxValue);
        }
    }

    private static void BeginAnew(Fact fact, Segment segment)
    {
        if (fact.Sequence != segment.Sequence)
        {
            // What is said of the segment's former use is over.
            (fact.EndTicks, fact.RoomTicks, fact.WalkedTicks, fact.Priorities, fact.LargeBytes) = (long.MaxValue, long.MaxValue, long.MaxValue, 0, 0);
            Volatile.Write(ref fact.Sequence, segment.Sequence);
        }
    }

    private static void LowerTo(Fact fact, long endTicks, long roomTicks)
    {
        LowerTo(ref fact.EndTicks, endTicks);
        LowerTo(ref fact.RoomTicks, roomTicks);
    }

    private static void LowerTo(ref long place, long endTicks)
    {
        // Any thread lowers; a lost race is tried again, so that the smallest stays.
        long seen = Volatile.Read(ref place);
        while (endTicks < seen && Interlocked.CompareExchange(ref place, endTicks, seen) is var found && found != seen)
        {
            seen = found;
        }
    }

    private void BeginFor(long endTicks, bool isNoted)
    {
        if (isNoted || endTicks != EntryTerms.Never)
        {
            begin();
        }
    }

    private Fact? Find(int segment)
    {
        Fact[]?[] chunks = Volatile.Read(ref _chunks);
        int chunk = segment >> ChunkShift;
        return chunk < chunks.Length && Volatile.Read(ref chunks[chunk]) is { } facts ? facts[segment & (ChunkSegments - 1)] : null;
    }

    private Fact At(int segment) => Find(segment) ?? Add(segment);

    private Fact Add(int segment)
    {
        using (_growth.EnterAnyhow())
        {
            int chunk = segment >> ChunkShift;
            if (chunk >= _chunks.Length)
            {
                Fact[]?[] larger = _chunks;
                Array.Resize(ref larger, int.Max(chunk + 1, larger.Length * 2));
                Volatile.Write(ref _chunks, larger);
            }

            if (_chunks[chunk] is null)
            {
                var facts = new Fact[ChunkSegments];
                for (int index = 0; index < facts.Length; index++)
                {
                    facts[index] = new Fact();
                }

                Volatile.Write(ref _chunks[chunk], facts);
            }

            return _chunks[chunk]![segment & (ChunkSegments - 1)];
        }
    }

    private sealed class Fact
    {
        internal long Sequence;
        internal long EndTicks;
        internal long RoomTicks;
        internal long WalkedTicks;
        internal long LargeBytes;
        internal int Priorities;
    }
}
