// Builds the object table from records in any order: each replaces what its slot has if it is newer. Used by the crawl, for all
// records, and by the short recovery, for the last of each open segment; several threads may add at once.
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>Adds records to a table. Thread-safe.</summary>
/// <param name="extents">The extents, all mapped.</param>
/// <param name="directory">The segments.</param>
/// <param name="table">The table.</param>
/// <param name="slots">Its slots.</param>
/// <param name="identity">The pile's identity.</param>
/// <param name="slotsEnd">One above the greatest slot that a record of the pile can have.</param>
internal sealed class TableBuilder(ExtentMap extents, SegmentDirectory directory, ObjectTable table, SlotPool slots, ulong identity, uint slotsEnd)
{
    private readonly FlatSpace _space = directory.Space;
    private bool _isFromCheckpoint;
    private bool[] _isDoubted = [];
    private bool _isBesideCheckpoint;

    /// <summary>Begins with what a checkpoint knows. When nobody adds.</summary>
    /// <param name="checkpoint">It.</param>
    /// <param name="isOverwritten">By segment, whether nothing in it counts any more although its sequence is the same.</param>
    /// <param name="isDoubted">By segment, whether it is walked now, and by no later crawl from the same checkpoint.</param>
    /// <param name="cores">Who reads it.</param>
    /// <returns>What is wrong with it; then the table is empty. Null when it was taken.</returns>
    /// <exception cref="PileFullException">The table has no room for it.</exception>
    internal string? Begin(Checkpoint checkpoint, bool[] isOverwritten, bool[] isDoubted, AllCores cores)
    {
        if (checkpoint.Known > table.SlotsMax + 1L)
        {
            return $"it knows {checkpoint.Known:N0} slots, and the pile may have {table.SlotsMax:N0}";
        }

        if (checkpoint.Known > slots.HighWater && !slots.TryRestore(checkpoint.Known))
        {
            throw new PileFullException($"The device has no room for the object table of {checkpoint.Known:N0} entries. Free space on it, then open the pile again.");
        }

        string? problem = checkpoint.Load(table, extents, directory, isOverwritten, cores);
        _isFromCheckpoint = problem is null;
        _isDoubted = isDoubted;
        if (problem is not null)
        {
            Clear();
        }

        return problem;
    }

    /// <summary>Whether an entry leads into a doubted segment though the checkpoint did not say so: to a copy, of which the other may go before a later crawl from that checkpoint, which
    /// would find neither. When nobody adds.</summary>
    internal bool IsBesideCheckpoint => Volatile.Read(ref _isBesideCheckpoint);

    /// <summary>Records whose slot the pile can't have (FarSlots), by their place: they count for nothing. When nobody adds.</summary>
    internal FirstFew<LogRecord> Far { get; } = new(FileLimits.DamagesListedMax, static (one, other) => one.Location.CompareTo(other.Location));

    /// <summary>Whether the pile can't have a record's slot; then it is noted, and no more comes of it.</summary>
    internal bool TryRefuse(in LogRecord record)
    {
        if (record.Slot < slotsEnd)
        {
            return false;
        }

        lock (Far)
        {
            Far.Add(record);
        }

        return true;
    }

    /// <summary>Makes a record its slot's current one if it is newer than the one there.</summary>
    /// <returns>False when the table has no room for its slot.</returns>
    internal bool TryAdd(in LogRecord record)
    {
        if (record.Slot >= slots.HighWater && (record.Slot == uint.MaxValue || !slots.TryRestore(record.Slot + 1)))
        {
            return false;
        }

        Add(record);
        return true;
    }

    /// <summary>Asks for the entry of a slot that is about to be added.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(uint slot) => table.Prefetch(slot);

    /// <summary>As <see cref="TryAdd(in LogRecord)"/>, for the first <paramref name="count"/> of several whose entries were asked for:
    /// room is made once for all, and what they are compared with is asked for before the first is.</summary>
    internal bool TryAdd(LogRecord[] records, int count)
    {
        uint last = 0;
        for (int index = 0; index < count; index++)
        {
            last = uint.Max(last, records[index].Slot);
        }

        if (last >= slotsEnd)
        {
            (count, last) = WithoutFar(records, count);
        }

        if (last >= slots.HighWater)
        {
            // No far slot is left, and so not the last one that a number can say.
            if (!slots.TryRestore(last + 1))
            {
                return false;
            }

            table.Populate(last);
        }

        for (int index = 0; index < count; index++)
        {
            long location = EntryWord.Location(table.Read(records[index].Slot));
            if (location != 0)
            {
                _space.Prefetch(location);
            }
        }

        for (int index = 0; index < count; index++)
        {
            ref readonly LogRecord record = ref records[index];

            // Most often its slot's first.
            ulong seen = table.Read(record.Slot);
            if (seen != 0 || table.Swing(record.Slot, 0, record.Entry()) != 0)
            {
                Add(record);
            }
            else
            {
                NoteAdded(record);
            }
        }

        return true;
    }

    /// <summary>Whether a record is its slot's current one. When nobody adds any more.</summary>
    internal bool IsCurrent(in LogRecord record) =>
        record.Slot < slots.HighWater && EntryWord.Location(table.ReadAny(record.Slot)) == record.Location;

    /// <summary>Whether a record can be compared with what its slot has, in a table of before: that is nothing yet, or a record of the slot. Else the entry or
    /// the record is damaged, and nobody knows which of the two is the newer one.</summary>
    internal bool IsComparable(in LogRecord record)
    {
        long location = EntryWord.Location(table.ReadAny(record.Slot));
        return location == 0 || (LogRecord.TryRead(extents, directory, identity, location, out LogRecord present) && present.Slot == record.Slot);
    }

    /// <summary>Whether the table lacks a record that stands in no segment that counts: its slot has none as new, or has a copy that is damaged where the
    /// record is not. When nobody adds any more.</summary>
    internal bool Misses(in LogRecord record)
    {
        if (record.Slot >= slotsEnd)
        {
            return false;
        }

        long location = record.Slot < slots.HighWater ? EntryWord.Location(table.ReadAny(record.Slot)) : 0;
        if (location == 0 || !LogRecord.TryRead(extents, directory, identity, location, out LogRecord present) || present.Slot != record.Slot)
        {
            return true;
        }

        int order = record.CompareTo(present);
        return order > 0 || (order == 0 && !present.IsPayloadWhole(_space) && record.IsPayloadWhole(_space));
    }

    /// <summary>Forgets all records. When nobody adds.</summary>
    internal void Clear()
    {
        (_isFromCheckpoint, _isDoubted, _isBesideCheckpoint) = (false, [], false);
        Far.Clear();
        for (uint slot = Limits.FirstSlot; slot < slots.HighWater; slot++)
        {
            table.Publish(slot, 0);
        }
    }

    /// <summary>Leaves the records whose slot can't be out of several.</summary>
    private (int Count, uint Last) WithoutFar(LogRecord[] records, int count)
    {
        (int kept, uint last) = (0, 0);
        for (int index = 0; index < count; index++)
        {
            if (!TryRefuse(records[index]))
            {
                last = uint.Max(last, records[index].Slot);
                records[kept++] = records[index];
            }
        }

        return (kept, last);
    }

    private void Add(in LogRecord record)
    {
        ulong seen = table.Read(record.Slot);
        while (IsNewer(record, seen))
        {
            ulong before = table.Swing(record.Slot, seen, EntryOver(seen, record));
            if (before == seen)
            {
                NoteAdded(record);
                break;
            }

            seen = before;
        }
    }

    private void NoteAdded(in LogRecord record)
    {
        if (_isDoubted.Length > 0 && _isDoubted[_space.SegmentIndex(record.Location)])
        {
            Volatile.Write(ref _isBesideCheckpoint, true);
        }
    }

    /// <summary>The entry that a record replaces another by. A tombstone, or its copy, takes no generation back that a free entry of a believed table has: it was raised above what may
    /// have been issued (R8), or a batch handed it out (B1). A crawl finds none raised, and raises them when all records are there.</summary>
    private ulong EntryOver(ulong seen, in LogRecord record)
    {
        ulong entry = record.Entry();
        bool isRaised = !_isFromCheckpoint && record.Code == RecordCode.Tombstone && EntryWord.Generation(seen) > EntryWord.Generation(entry);
        return isRaised ? EntryWord.Free(EntryWord.Generation(seen), record.Location) : entry;
    }

    private bool IsNewer(in LogRecord record, ulong entry)
    {
        long location = EntryWord.Location(entry);
        if (!extents.Contains(location, DurableRecord.HeaderBytes))
        {
            // None, or none that can be.
            return true;
        }

        var present = LogRecord.Read(_space, location);
        if (_isFromCheckpoint && (!LogRecord.TryRead(extents, directory, identity, location, out present) || present.Slot != record.Slot))
        {
            // Written over since: then the record that replaced it, or its copy, was durable before (S2), and is this one or comes yet.
            return true;
        }

        int order = record.CompareTo(present);

        // Of copies one that is whole is taken, and of two whole ones the first place, so that every crawl gives the same table.
        return order > 0
            || (order == 0 && record.Location != present.Location && record.IsPayloadWhole(_space)
                && (record.Location < present.Location || !present.IsPayloadWhole(_space)));
    }
}
