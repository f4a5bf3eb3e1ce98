// Removals of single entries: the cell is emptied under the chain's lock, the record counted dead. Held from beginning to end are an epoch pin
// and a writer, as in TableWrites. Of a durable table in files it is SlotRemovals that does it.
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Removals from one table. Thread-safe.</summary>
internal sealed class TableRemovals<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly CacheCore<TFormat> _cache = table.Cache;
    private readonly TableIndex _index = table.Index;

    /// <summary>Does what a Set comes to whose end has passed: without a condition it is a removal, also for what factories are making of the key.</summary>
    /// <returns>What became of it.</returns>
    internal PileSetResult InPlaceOf(scoped EntryKey key, SetCondition condition)
    {
        if (condition != SetCondition.None)
        {
            return new PileSetResult(PileSetOutcome.Refused, 0);
        }

        table.Flights?.Outdate(key.Bytes);
        _ = Remove(key, RemovalReason.Any, default);
        return new PileSetResult(PileSetOutcome.Expired, 0);
    }

    /// <summary>Removes the entry of a key, if the reason holds.</summary>
    /// <param name="key">The key.</param>
    /// <param name="why">The reason.</param>
    /// <param name="expected">The version that the entry must have, where that is the reason.</param>
    /// <returns>True when it was removed, and had not ended.</returns>
    internal bool Remove(scoped EntryKey key, RemovalReason why, PileEntryVersion expected)
    {
        if (TFormat.IsDurable && table.SlotRemovals is { } slots)
        {
            return slots.Remove(key, why, expected);
        }

        EpochLine line = EpochLine.Current;
        long held = line.Enter(_cache.Core.Epochs.WriteWord);
        SegmentWriter<TFormat>? writer = null;
        uint home = TableIndex.Nowhere;
        bool wasGood = false;
        bool hasMoved = false;
        ulong orphan = 0;
        try
        {
            _index.Prefetch(key.Low);
            writer = _cache.Core.Writers.Hold(line);
            PileStatus refusal = _cache.Core.WriteRefusal;
            if (refusal != PileStatus.Ok || table.IsDropped)
            {
                table.ThrowRefused(refusal);
            }

            home = _index.Lock(key.Low);
            if (table.Lookup.FindIn(home, key.Bytes, key.Hash) is { IsThere: true } found && Goes(found, why, expected, ref hasMoved))
            {
                long location = CellWord.Location(found.Cell);
                ulong a = table.Lookup.HeadA(location);
                wasGood = !table.Reads.HasEnded(location, a, KeyedHead.IsTimed(a) ? _cache.Clock.Now : 0);
                hasMoved |= _index.RemoveLocked(home, found.Word);
                Fault.Stop(StopPoint.CacheCellEmptied);
                orphan = table.Writes.CountGone(line, writer, location, a, CellWord.Priority(found.Cell));
                if (why is RemovalReason.Ended or RemovalReason.Expired)
                {
                    table.Counts.AddExpiration();
                }

                table.Teller.TellGone(wasGood && why != RemovalReason.Expired ? PileEventKinds.Removed : PileEventKinds.Expired, location);
            }
        }
        finally
        {
            _index.UnlockAny(home, hasMoved);
            writer?.Release();
            line.Leave(held);
        }

        _cache.DeleteOrphan(orphan);
        return wasGood;
    }

    /// <summary>Removes the entry of a key that has ended, so that those who watch are told: a read has noticed it. What keeps it from being
    /// removed leaves it to the background.</summary>
    internal void RemoveEnded(scoped EntryKey key)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_cache.Core.Epochs.IdWord);
        bool hasEnded;
        try
        {
            hasEnded = !table.Reads.IsEnded && _cache.Core.WriteRefusal == PileStatus.Ok && table.Lookup.Find(key.Bytes, key.Hash) is { IsThere: true } found
                && CellWord.Location(found.Cell) is var location && table.Lookup.HeadA(location) is var a && KeyedHead.IsTimed(a)
                && table.Reads.GoesAt(location, a) <= table.Clock.Now;
        }
        finally
        {
            line.Leave(held);
        }

        if (!hasEnded)
        {
            return;
        }

        if (TFormat.IsDurable && table.SlotRemovals is { } slots)
        {
            slots.RemoveEnded(key);
        }
        else
        {
            _ = Remove(key, RemovalReason.Ended, default);
        }
    }

    /// <summary>Counts and tells of an entry that went because it ended or was evicted, but for the bytes of its record, which the caller counts. With
    /// the lock of its chain.</summary>
    /// <returns>Bytes of its large value, or of its part in one, which is deleted later; 0 where it has none.</returns>
    internal int Forget(long location, ulong a, int priority, bool hasEnded)
    {
        EpochLine line = EpochLine.Current;
        LinkedValue linked = table.Reads.LinkAt(location, a);
        _ = table.Counts.Add(line, priority, -1, -table.Reads.RecordBytesAt(location) - (long)linked.Bytes);
        if (hasEnded)
        {
            table.Counts.AddExpiration();
        }
        else
        {
            table.Counts.AddEviction(line);
        }

        table.Teller.TellGone(hasEnded ? PileEventKinds.Expired : PileEventKinds.Evicted, location);
        _cache.LeaveOrphan(linked.Pointer);
        return _cache.LargeBytesOf(linked);
    }

    private bool Goes(FoundEntry found, RemovalReason why, PileEntryVersion expected, ref bool hasMoved)
    {
        long location = CellWord.Location(found.Cell);
        ulong a = table.Lookup.HeadA(location);
        return why switch
        {
            RemovalReason.OfVersion or RemovalReason.Expired => table.Reads.VersionOf(location, a) == expected,
            RemovalReason.Ended => EndedEntries.IsEndedLocked(table, found.Word, found.Cell, location, a, table.Clock.Now, ref hasMoved),
            _ => true,
        };
    }
}
