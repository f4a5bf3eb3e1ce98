// Builds the object table from records in any order: each replaces what its slot has if it is newer. Used by the crawl, for all
// records, and by the short recovery, for the last of each open segment; several threads may add at once.
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>Adds records to a table. Thread-safe.</summary>
internal sealed class TableBuilder(FlatSpace space, ExtentMap extents, ObjectTable table, SlotPool slots)
{
    /// <summary>Makes a record its slot's current one if it is newer than the one there.</summary>
    /// <returns>False when the table has no room for its slot.</returns>
    internal bool TryAdd(in LogRecord record)
    {
        if (record.Slot >= slots.HighWater && !slots.TryRestore(record.Slot + 1))
        {
            return false;
        }

        ulong seen = table.Read(record.Slot);
        while (IsNewer(record, seen))
        {
            ulong before = table.Swing(record.Slot, seen, record.Entry());
            if (before == seen)
            {
                break;
            }

            seen = before;
        }

        return true;
    }

    /// <summary>Whether a record is its slot's current one. When nobody adds any more.</summary>
    internal bool IsCurrent(in LogRecord record) =>
        record.Slot < slots.HighWater && EntryWord.Location(table.ReadAny(record.Slot)) == record.Location;

    /// <summary>Forgets all records. When nobody adds.</summary>
    internal void Clear()
    {
        for (uint slot = Limits.FirstSlot; slot < slots.HighWater; slot++)
        {
            table.Publish(slot, 0);
        }
    }

    private bool IsNewer(in LogRecord record, ulong entry)
    {
        if (!extents.Contains(EntryWord.Location(entry), DurableRecord.HeaderBytes))
        {
            // None, or none that can be.
            return true;
        }

        var present = LogRecord.Read(space, EntryWord.Location(entry));
        int order = record.CompareTo(present);

        // Of copies one that is whole is taken, and of two whole ones the first place, so that every crawl gives the same table.
        return order > 0
            || (order == 0 && record.Location != present.Location && record.IsPayloadWhole(space)
                && (record.Location < present.Location || !present.IsPayloadWhole(space)));
    }
}
