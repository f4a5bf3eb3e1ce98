// The slots of a Set of a durable table in files: one for a new entry, one for a value of its own. Taken before anything is changed, and given
// back where nothing came of it.
using Pile.Format;
using Pile.Heap;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Takes slots and gives them back. With the writer held.</summary>
internal sealed class SlotTakes(HeapCore<DurableRecord> core)
{
    private readonly ulong _tagWord = (ulong)core.Tag << PointerWord.TagShift;

    /// <summary>Takes the slots that a Set needs, both or none.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="seen">The entry that is replaced, whose slot it keeps.</param>
    /// <param name="own">What comes with the entry.</param>
    /// <param name="entry">The entry's object.</param>
    /// <param name="value">The value's object; 0 where none comes.</param>
    /// <returns>False when the pool has none.</returns>
    internal bool TryTake(SegmentWriter<DurableRecord> writer, in SlotSeen seen, in SlotValue own, out ulong entry, out ulong value)
    {
        (entry, value) = (seen.Pointer, 0);
        if (seen.Pointer == 0 && !TryTakeOne(writer, out entry))
        {
            return false;
        }

        bool areTaken = false;
        try
        {
            areTaken = !own.IsThere || TryTakeOne(writer, out value);
            return areTaken;
        }
        finally
        {
            if (!areTaken)
            {
                GiveBack(writer, seen, default, entry, 0);
            }
        }
    }

    /// <summary>Gives back what <see cref="TryTake"/> took: nothing was stored in it.</summary>
    internal static void GiveBack(SegmentWriter<DurableRecord> writer, in SlotSeen seen, in SlotValue own, ulong entry, ulong value)
    {
        if (seen.Pointer == 0)
        {
            writer.FreeSlot(PointerWord.Slot(entry), PointerWord.Generation(entry) - 1);
        }

        if (own.IsThere)
        {
            writer.FreeSlot(PointerWord.Slot(value), PointerWord.Generation(value) - 1);
        }
    }

    private bool TryTakeOne(SegmentWriter<DurableRecord> writer, out ulong pointer)
    {
        pointer = 0;
        if (!writer.EnsureSlot())
        {
            return false;
        }

        uint slot = writer.TakeSlot();
        pointer = PointerWord.Pack(slot, _tagWord, ulong.Max(EntryWord.NextGeneration(core.Table.Read(slot)), core.FirstGeneration));
        return true;
    }
}
