// The object table as an owner space: a record is current when its slot's entry holds its location, be it an object, a record of
// the pile's own, or the tombstone of a free slot.
// It neither frees nor counts: the cleaner counts the bytes that die, RetiredSegments frees the segment.
using Pile.Format;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Cleaning;

/// <summary>Owner of all records whose slot is an object-table slot.</summary>
internal sealed class TableOwner(ObjectTable table) : IRecordOwner
{
    public void Prefetch(ulong recordWord, long location) => table.Prefetch(RecordWord.Slot(recordWord));

    public bool TryFind(ulong recordWord, long location, out ulong reference)
    {
        reference = table.ReadAny(RecordWord.Slot(recordWord));
        return EntryWord.Location(reference) == location;
    }

    public bool TryMove(ulong recordWord, ulong reference, long target)
    {
        uint slot = RecordWord.Slot(recordWord);
        if (Fault.PlainSwing)
        {
            table.Publish(slot, EntryWord.Moved(reference, target));
            return true;
        }

        // Everyone swings by compare-exchange: an update or delete in between makes this one fail, and the copy dies. A batch that takes the slot only
        // raises the generation, and the tombstone stays the slot's record: it goes to the copy as it is then.
        for (ulong found; (found = table.Swing(slot, reference, EntryWord.Moved(reference, target))) != reference; reference = found)
        {
            if (EntryWord.Location(found) != EntryWord.Location(reference))
            {
                return false;
            }
        }

        return true;
    }
}
