// Where the record of a cell is. A cell of a speculative table, and of any in memory, leads to a location. A cell of a durable table in files
// leads to a slot of the object table, whose entry leads on: so that every rule of the log (DESIGN.md section 6) holds for such entries.
// A location is taken once a call, and all that is asked is asked of that place, which is of one key for as long as the epoch lasts:
// what becomes of cell and slot meanwhile does not matter.
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Cache.Index;

/// <summary>The way from cells to records, for one table. Inside an epoch.</summary>
/// <param name="heap">The heap.</param>
/// <param name="slots">State of a table whose cells hold slots; null for all others.</param>
internal sealed class CellRecords(HeapBase heap, SlotState? slots)
{
    private readonly FlatSpace _space = heap.Directory.Space;
    private readonly ObjectTable _table = heap.Table;
    private readonly FirstTouch? _touch = heap.Touch;
    private readonly int _headerWords = heap.HeaderBytes / Limits.WordBytes;

    /// <summary>Whether cells hold slots.</summary>
    internal bool AreSlots { get; } = slots is not null;

    /// <summary>Bytes of a payload before the head.</summary>
    internal int PrefixBytes { get; } = slots is null ? 0 : KeyedPrefix.Bytes;

    /// <summary>Where the record of a cell stands; 0 when the slot has no object, or a damaged one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long LocationOf(ulong cell) => AreSlots ? LocationOfSlot((uint)CellWord.Location(cell)) : CellWord.Location(cell);

    /// <summary>The low half of the hash of a cell's key, which says where it belongs.</summary>
    /// <returns>False when the record can't be asked.</returns>
    internal bool TryHashOf(ulong cell, out uint low)
    {
        long location = LocationOf(cell);
        low = location == 0 ? 0 : AreSlots ? KeyedPrefix.Low(_space.ReadWord(location + _headerWords)) : RecordWord.Slot(_space.ReadWord(location));
        return location != 0;
    }

    /// <summary>Whether the record that a slot leads to is an entry of the table's era, with a hash that has this low half.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsEntry(long location, uint low)
    {
        ulong word = _space.ReadWord(location);
        ulong prefix = _space.ReadWord(location + _headerWords);
        return KeyedPrefix.IsEntry(RecordWord.Code(word), prefix) && KeyedPrefix.Low(prefix) == low && KeyedPrefix.Era(prefix) == slots!.Era
            && RecordWord.PayloadBytes(word) >= KeyedPrefix.Bytes + KeyedHead.WordsBytes;
    }

    /// <summary>Whether the entry at a location is of the table's era.</summary>
    internal bool IsOfEra(long location) => slots is null || KeyedPrefix.Era(_space.ReadWord(location + _headerWords)) == slots.Era;

    /// <summary>Asks for what <see cref="LocationOf"/> will read: the slot's entry, where there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchWay(ulong cell)
    {
        if (AreSlots)
        {
            _table.Prefetch((uint)CellWord.Location(cell));
        }
    }

    /// <summary>Asks for the record of a cell.</summary>
    internal void Prefetch(ulong cell)
    {
        long location = AreSlots ? EntryWord.Location(_table.ReadAny((uint)CellWord.Location(cell))) : CellWord.Location(cell);
        if (location != 0)
        {
            _space.PrefetchRecord(location);
        }
    }

    /// <summary>Whether the slot of a cell is not the object table's to be believed: what it leads to is no record of that slot.</summary>
    internal bool IsLost(ulong cell)
    {
        uint slot = (uint)CellWord.Location(cell);
        ulong entry = _table.ReadAny(slot);
        return EntryWord.IsLive(entry) && IsLost(slot, entry);
    }

    private bool IsLost(uint slot, ulong entry) => !_touch!.HasGoodEntry(slot, entry);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private long LocationOfSlot(uint slot)
    {
        // A cell of an index that is damaged may lead anywhere.
        ulong entry = _table.ReadAny(slot);
        if (!EntryWord.IsLive(entry))
        {
            return 0;
        }

        if (_touch!.IsGood(slot, entry))
        {
            return EntryWord.Location(entry);
        }

        if (IsLost(slot, entry))
        {
            slots!.NoteLost();
        }

        return 0;
    }
}
