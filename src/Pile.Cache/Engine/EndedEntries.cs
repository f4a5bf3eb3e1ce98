// The last look at an entry that is to be removed because it has ended: a sliding one may be used at that moment.
// It removes nothing but the cell; counting is the caller's.
using System.Threading;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>Decides whether entries have ended, under the lock of their chain.</summary>
internal static class EndedEntries
{
    /// <summary>Whether an entry has ended, and is not kept past its end, for whoever is about to remove it. With its chain locked. If so its cell is empty already.</summary>
    /// <param name="table">The table.</param>
    /// <param name="word">Place of the cell.</param>
    /// <param name="cell">The cell.</param>
    /// <param name="location">Where the record stands.</param>
    /// <param name="a">Word A of its head.</param>
    /// <param name="nowTicks">The time.</param>
    /// <param name="hasMoved">Set when the cell was away for a moment: readers must look again.</param>
    /// <returns>True when it has ended.</returns>
    internal static bool IsEndedLocked<TFormat>(
        TableCore<TFormat> table, uint word, ulong cell, long location, ulong a, long nowTicks, ref bool hasMoved)
        where TFormat : struct, IRecordFormat
    {
        if (table.Reads.GoesAt(location, a) > nowTicks)
        {
            return false;
        }

        if ((a & KeyedHead.SlidesBit) == 0)
        {
            return true;
        }

        Fault.Stop(StopPoint.CacheEndSeen);

        // Writer: the lock's holder. A reader notes its use, then looks at the cell; here the cell is emptied, then comes another look at
        // the use: one of the two sees the other, so that nobody is shown an entry that is removed in spite of its use.
        _ = Interlocked.Exchange(ref table.Index.Words.At(word), 0);
        if (table.Reads.GoesAt(location, a) <= nowTicks || Fault.CacheEndNotLookedAgain)
        {
            return true;
        }

        table.Index.Words.WriteRelease(word, cell);
        hasMoved = true;
        return false;
    }
}
