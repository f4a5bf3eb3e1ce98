// Removes what has ended, so that it takes no room: the right answer of a read does not wait for it. A segment is walked when the
// first of its entries may have ended, and again when a part of the rest has (EndsAhead), so that a segment of many different ends is
// walked a few times and not once for each.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Eviction;

/// <summary>Removal of ended entries. Called by the keeper.</summary>
internal sealed class Expirer<TFormat>(CacheCore<TFormat> cache)
    where TFormat : struct, IRecordFormat
{
    private readonly SegmentDirectory _directory = cache.Core.Directory;
    private readonly FlatSpace _space = cache.Core.Directory.Space;
    private readonly Lock _gate = new();
    private readonly List<(TableCore<TFormat> Table, uint Low, SlotSeen Seen)> _ended = [];
    private long _removed;
    private long _removals;
    private long _sweptTicks = long.MinValue;

    /// <summary>Walks the segments whose time has come, unless somebody is at it.</summary>
    /// <returns>True when none is due within a keeper's long tick.</returns>
    internal bool Step()
    {
        if (_gate.IsHeldByCurrentThread || !_gate.TryEnter())
        {
            return false;
        }

        try
        {
            return StepLocked(isForRoom: false);
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>As <see cref="Step"/>, for a caller who needs room, and waits for whoever is at it.</summary>
    /// <returns>Whether any entry was removed.</returns>
    internal bool TryRemove()
    {
        if (_gate.IsHeldByCurrentThread)
        {
            // What it removes needs room itself.
            return false;
        }

        long before = Volatile.Read(ref _removed);
        lock (_gate)
        {
            _ = StepLocked(isForRoom: true);
        }

        return Volatile.Read(ref _removed) != before;
    }

    private bool StepLocked(bool isForRoom)
    {
        long now = cache.Clock.Now;
        long soon = now + (RoomLimits.KeeperIdleTickMs * TimeSpan.TicksPerMillisecond);
        bool isQuiet = true;
        bool hasRemovals = HasRemovals(now, isForRoom);
        for (int index = 0; index < _directory.Count; index++)
        {
            Segment segment = _directory[index];
            if (segment.State is not (SegmentState.Sealed or SegmentState.Open))
            {
                continue;
            }

            long end = cache.Facts.EndOf(segment, isForRoom);
            if (end <= now || (hasRemovals && cache.Facts.HasNoted(segment)))
            {
                end = Walk(segment, long.Min(end, now), now);
            }

            isQuiet &= end > soon;
        }

        cache.Settle();
        return isQuiet;
    }

    /// <summary>Whether tags were removed since all entries with notes were looked at, and that is long enough ago to do it again.</summary>
    private bool HasRemovals(long now, bool isForRoom)
    {
        long removals = cache.Tags.Now;
        if (removals == _removals || (!isForRoom && now >= _sweptTicks && now - CacheLimits.TagSweepTicksMin < _sweptTicks))
        {
            return false;
        }

        (_removals, _sweptTicks) = (removals, now);
        return true;
    }

    /// <summary>Removes what has ended in one segment.</summary>
    /// <returns>When to look again.</returns>
    private long Walk(Segment segment, long seenTicks, long now)
    {
        EpochLine line = EpochLine.Current;
        Span<long> locations = stackalloc long[CacheLimits.Together];
        Span<ulong> words = stackalloc ulong[CacheLimits.Together];
        var ends = new EndsAhead(stackalloc long[EndsAhead.Parts], now);
        int offset = 0;
        bool isOver = false;
        bool hasBegun = false;
        long sequence = segment.Sequence;
        while (!isOver)
        {
            // A few records at a time, so that nobody waits long for the writer, and the segment may be cleaned meanwhile.
            long held = line.Enter(cache.Core.Epochs.WriteWord);
            SegmentWriter<TFormat>? writer = null;
            try
            {
                // Its state first: with Open comes the number of that use.
                if (cache.Core.IsDisposed || segment.State is not (SegmentState.Sealed or SegmentState.Open) || segment.Sequence != sequence)
                {
                    return EntryTerms.Never;
                }

                // Inside the epoch, so that the segment is not used again. Forgotten before the look at what is written: an entry that is stored
                // meanwhile is met by the walk, or notes its end after this.
                if (!hasBegun)
                {
                    cache.Facts.BeginWalk(segment, seenTicks);
                    Interlocked.MemoryBarrierProcessWide();
                    hasBegun = true;
                }

                writer = cache.Core.Writers.Hold(line);
                int written = cache.Core.Writers.WrittenOf(segment);
                if (written == 0)
                {
                    // Its writer is just taking it, or leaving it: another time.
                    return seenTicks;
                }

                var walk = new SegmentWalk<TFormat>(_space, segment, written, cache.Core.Log.Identity);
                walk.Skip(int.Max(0, offset - walk.Offset));
                int count = 0;
                while (count < locations.Length && walk.TryNext(out locations[count], out words[count], out _))
                {
                    if (RecordWord.Code(words[count]) == RecordCode.Cache)
                    {
                        cache.Prefetch(words[count], locations[count]);
                        count++;
                    }
                    else if (TFormat.IsDurable && cache.Slots!.IsEntry(words[count], locations[count]))
                    {
                        cache.Core.Table.Prefetch(RecordWord.Slot(words[count]));
                        count++;
                    }
                }

                isOver = count < locations.Length;
                offset = walk.Offset;
                for (int index = 0; index < count; index++)
                {
                    if (RecordWord.Code(words[index]) == RecordCode.Cache)
                    {
                        Look(writer, words[index], locations[index], now, ref ends);
                    }
                    else
                    {
                        LookInSlot(words[index], locations[index], now, ref ends);
                    }
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
            }

            if (!TryRemoveEnded())
            {
                // No room for what removals leave behind, or the pile was disposed: another time.
                return seenTicks;
            }
        }

        long again = ends.Next();
        cache.Facts.EndWalk(segment, sequence, again, ends.NextForRoom());
        return again;
    }

    /// <summary>Notes the entry of a record in a slot if it has ended: it is removed once the writer is let go. Counts when it ends, if it will.</summary>
    private void LookInSlot(ulong word, long location, long now, ref EndsAhead ends)
    {
        ulong a = _space.ReadWord(location + ((TFormat.HeaderBytes + KeyedPrefix.Bytes) / Limits.WordBytes));
        ulong entry = cache.Core.Table.ReadAny(RecordWord.Slot(word));
        if (!KeyedHead.IsTimed(a) || !EntryWord.IsLive(entry) || EntryWord.Location(entry) != location || cache.TableOf(a, isInSlot: true) is not { } table)
        {
            return;
        }

        long end = table.Reads.GoesAt(location, a);
        bool hasEnded = end <= now;
        if (hasEnded)
        {
            _ended.Add((table, table.Lookup.LowAt(location), table.Looks!.SeenAt(location)));
        }

        // One that slides may be used at this moment, and stay: it is looked at again.
        if (!hasEnded || (a & KeyedHead.SlidesBit) != 0)
        {
            Count(table, location, a, long.Max(end, now), ref ends);
        }
    }

    private static void Count(TableCore<TFormat> table, long location, ulong a, long end, ref EndsAhead ends)
    {
        if (end != EntryTerms.Never)
        {
            // Of a forged record they may be anything.
            long linked = long.Max(0, table.Reads.LinkAt(location, a).Bytes);
            ends.Add(end, table.Reads.RecordBytesAt(location) + linked, isTold: table.Watchers.Ring is not null);
        }
    }

    /// <summary>Removes what was noted.</summary>
    /// <returns>False when there is no room for it, or the pile takes no writes.</returns>
    private bool TryRemoveEnded()
    {
        bool isDone = true;
        foreach ((TableCore<TFormat> table, uint low, SlotSeen seen) in _ended)
        {
            // Of a table that was dropped meanwhile they go with it.
            PileStatus status = table.SlotRemovals!.RemoveAt(low, seen, RemovalReason.Ended);
            isDone &= status == PileStatus.Ok || (status == PileStatus.Disposed && !cache.Core.IsDisposed);
            Volatile.Write(ref _removed, _removed + (isDone ? 1 : 0));
            if (!isDone)
            {
                break;
            }
        }

        _ended.Clear();
        return isDone;
    }

    /// <summary>Removes the entry of a record if it has ended. Counts when it ends, if it is there and will.</summary>
    private void Look(SegmentWriter<TFormat> writer, ulong word, long location, long now, ref EndsAhead ends)
    {
        ulong a = _space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes));
        if (!KeyedHead.IsTimed(a) || cache.TableOf(a) is not { } table)
        {
            return;
        }

        uint home = table.Index.Lock(RecordWord.Slot(word));
        bool hasMoved = false;
        try
        {
            Count(table, location, a, LookLocked(table, home, writer, location, a, now, ref hasMoved), ref ends);
        }
        finally
        {
            table.Index.Unlock(home, hasMoved);
        }
    }

    // When it ends, if it is there and will; else never.
    private long LookLocked(TableCore<TFormat> table, uint home, SegmentWriter<TFormat> writer, long location, ulong a, long now, ref bool hasMoved)
    {
        bool isThere = table.Lookup.TryFindLocation(home, location, out uint place, out ulong cell);
        long end = EntryTerms.Never;
        if (isThere && table.Reads.GoesAt(location, a) <= now && EndedEntries.IsEndedLocked(table, place, cell, location, a, table.Clock.Now, ref hasMoved))
        {
            hasMoved = table.Index.RemoveLocked(home, place);
            _ = table.Removals.Forget(location, a, CellWord.Priority(cell), hasEnded: true);
            Volatile.Write(ref _removed, _removed + 1);
            writer.CountDead(location, table.Reads.RecordBytesAt(location));
        }
        else if (isThere)
        {
            end = table.Reads.GoesAt(location, a);
        }

        return end;
    }
}
