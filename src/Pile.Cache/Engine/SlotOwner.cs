// The cache's side of moving entries that stand in slots. The object table swings to the copy; of one that slides, a use that was noted in the
// old record while it was copied is noted in the copy as well, under the chain's lock: who takes the entry for ended asks for that.
using Pile.Cache.Entries;
using Pile.Cleaning;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>Owner of the entries of durable tables in files.</summary>
internal sealed class SlotOwner(CacheCore<DurableRecord> cache) : ISlotOwner
{
    private static readonly int _prefixWords = DurableRecord.HeaderBytes / Limits.WordBytes;

    private readonly FlatSpace _space = cache.Core.Directory.Space;

    /// <inheritdoc/>
    public bool IsEntry(ulong recordWord, long location) =>
        RecordWord.Code(recordWord) == RecordCode.Extended && RecordWord.PayloadBytes(recordWord) >= KeyedPrefix.Bytes + KeyedHead.WordsBytes
        && KeyedPrefix.IsEntry(RecordCode.Extended, _space.ReadWord(location + _prefixWords));

    /// <inheritdoc/>
    public bool TryMove(IRecordOwner table, ulong recordWord, ulong reference, long source, long target)
    {
        ulong a = _space.ReadWord(source + _prefixWords + (KeyedPrefix.Bytes / Limits.WordBytes));
        if (!KeyedHead.IsTimed(a) || cache.TableOf(a, isInSlot: true) is not { } owner)
        {
            return table.TryMove(recordWord, reference, target);
        }

        bool slides = (a & KeyedHead.SlidesBit) != 0;
        uint home = slides ? owner.Index.Lock(owner.Lookup.LowAt(source)) : 0;

        // A full fence: the look at the old record comes after it.
        bool isMoved = table.TryMove(recordWord, reference, target);
        if (slides)
        {
            if (isMoved && !Fault.CacheUseNotCarried)
            {
                TouchWord.Raise<DurableRecord>(_space, owner.Reads.TouchOf(target, a), _space.ReadWord(owner.Reads.TouchOf(source, a)));
            }

            owner.Index.Unlock(home, hasMoved: false);
        }

        if (isMoved)
        {
            cache.Facts.Note(cache.Core.Directory.At(target), owner.Reads.GoesAt(target, a), (int)PileCachePriority.NeverRemove, (a & KeyedHead.NotedBit) != 0);
        }

        return isMoved;
    }
}
