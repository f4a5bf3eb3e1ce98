// What becomes of a record that the cleaner meets: kept, dead, or dropped, because it has ended or the policy does not keep it.
// Of a dropped one the cell is emptied here; the bytes of the record are the cleaner's to count.
using Pile.Cache.Eviction;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Decides about the records of a cache, for the cleaner.</summary>
internal sealed class RecordJudge<TFormat>(CacheCore<TFormat> cache, EvictionPolicy<TFormat> policy)
    where TFormat : struct, IRecordFormat
{
    /// <inheritdoc cref="IKeyedOwner.Judge"/>
    internal RecordFate Judge(ulong recordWord, long location, Segment segment, bool isEvicting)
    {
        if (isEvicting && policy.HasEnough)
        {
            return RecordFate.Left;
        }

        ulong a = cache.Core.Directory.Space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes));
        if (cache.TableOf(a) is not { } table)
        {
            return RecordFate.Dead;
        }

        uint home = table.Index.Lock(RecordWord.Slot(recordWord));
        bool hasMoved = false;
        ulong cell;
        bool stays;
        bool leavesGhost = false;
        try
        {
            if (!table.Lookup.TryFindLocation(home, location, out uint word, out cell))
            {
                return RecordFate.Dead;
            }

            // A copy is of this process, and would be shown without another look: what was damaged before the open goes here.
            bool isGood = table.Lookup.IsGood(location);
            bool hasEnded = isGood && !KeyedHead.IsPlain(a) && EndedEntries.IsEndedLocked(table, word, cell, location, a, cache.Clock.Now, ref hasMoved);
            ulong kept = cell;
            stays = isGood && !hasEnded && (!isEvicting || policy.Keeps(table, cell, segment.HoldsSurvivors, out kept, out leavesGhost));
            if (!stays)
            {
                hasMoved |= table.Index.RemoveLocked(home, word);
                policy.NoteLarge(table.Removals.Forget(location, a, CellWord.Priority(cell), hasEnded));
            }
            else if (kept != cell)
            {
                table.Index.Words.WriteRelease(word, kept);
            }
        }
        finally
        {
            table.Index.Unlock(home, hasMoved);
        }

        if (leavesGhost)
        {
            cache.Ghosts.Add(RecordWord.Slot(recordWord) | (cell >> CellWord.TagShift << CellWord.TagShift), table.Id);
        }

        return stays ? RecordFate.Kept : RecordFate.Dropped;
    }
}
