// Looks at entries of a durable table in files by those who are to change them, before they take any lock and once they hold them.
// It changes nothing.
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;

namespace Pile.Cache.Engine;

/// <summary>Looks at one table. Thread-safe.</summary>
internal sealed class SlotLooks(TableCore<DurableRecord> table)
{
    private readonly HeapCore<DurableRecord> _core = table.Cache.Core;
    private readonly TableLookup<DurableRecord> _lookup = table.Lookup;
    private readonly FlatSpace _space = table.Space;
    private readonly ulong _tagWord = (ulong)table.Cache.Core.Tag << PointerWord.TagShift;

    /// <summary>The entry of a key as it is now, without a lock.</summary>
    internal SlotSeen Look(scoped EntryKey key)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_core.Epochs.IdWord);
        try
        {
            if (table.Reads.IsEnded)
            {
                table.ThrowEnded();
            }

            return _lookup.Find(key.Bytes, key.Hash) is { IsThere: true } found ? SeenAt(CellWord.Location(found.Cell)) : default;
        }
        finally
        {
            line.Leave(held);
        }
    }

    /// <summary>The entry in a slot whose record stands at a location; default for 0. Inside an epoch.</summary>
    internal SlotSeen SeenAt(long location)
    {
        if (location == 0)
        {
            return default;
        }

        ulong generation = EntryWord.Free(DurableRecord.Generation(_space.ReadWord(location + 1)));
        ulong pointer = PointerWord.Pack(RecordWord.Slot(_space.ReadWord(location)), _tagWord, generation);
        (ulong linked, _, bool isShared) = table.Reads.LinkAt(location, _lookup.HeadA(location));

        // One that is shared goes after the last of its entries. One that is damaged can't be deleted, and stays where it is.
        return new SlotSeen(pointer, linked != 0 && !isShared && _core.CheckedEntries.Check(linked, default, out _) == PileStatus.Ok ? linked : 0);
    }
}
