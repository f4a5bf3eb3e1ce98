// Finds in tables whose comparer is the program's: should it throw, which it may not, the caller's stay in the epoch ends before the exception goes on.
// Tables without such a comparer find by themselves: nothing there throws, and the way of a hit has no frame that could catch.
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Epochs;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Finds for callers who are inside the epoch, and have nothing else to give back.</summary>
internal static class ComparedFinds
{
    /// <inheritdoc cref="TableReads{TFormat}.FindGood"/>
    /// <param name="reads">The table's reads.</param>
    /// <param name="line">The thread's line.</param>
    /// <param name="held">What began the stay.</param>
    /// <param name="isLease">Whether it is a lease's.</param>
    /// <param name="key">The key.</param>
    /// <param name="oldestMs">The creation time before which an entry is too old; 0 for any.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long FindGood<TFormat>(TableReads<TFormat> reads, EpochLine line, long held, bool isLease, scoped EntryKey key, long oldestMs)
        where TFormat : struct, IRecordFormat
    {
        try
        {
            return reads.FindGood(line, key.Bytes, key.Hash, oldestMs);
        }
        catch
        {
            Leave(line, held, isLease);
            throw;
        }
    }

    /// <inheritdoc cref="TableLookup{TFormat}.Find"/>
    /// <param name="lookup">The table's lookup.</param>
    /// <param name="line">The thread's line.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="key">The key.</param>
    internal static FoundEntry Find<TFormat>(TableLookup<TFormat> lookup, EpochLine line, long lease, scoped EntryKey key)
        where TFormat : struct, IRecordFormat
    {
        try
        {
            return lookup.Find(key.Bytes, key.Hash);
        }
        catch
        {
            Leave(line, lease, isLease: true);
            throw;
        }
    }

    /// <summary>Finds an entry that has not ended; counts as no use. In a call's stay.</summary>
    /// <param name="lookup">The table's lookup.</param>
    /// <param name="reads">Its reads.</param>
    /// <param name="line">The thread's line.</param>
    /// <param name="held">What began the stay.</param>
    /// <param name="key">The key.</param>
    internal static FoundEntry Look<TFormat>(TableLookup<TFormat> lookup, TableReads<TFormat> reads, EpochLine line, long held, scoped EntryKey key)
        where TFormat : struct, IRecordFormat
    {
        try
        {
            return lookup.Find(key.Bytes, key.Hash) is { IsThere: true } found ? reads.Use(key.Bytes, key.Hash, found, oldestMs: 0, isUse: false) : default;
        }
        catch
        {
            Leave(line, held, isLease: false);
            throw;
        }
    }

    private static void Leave(EpochLine line, long held, bool isLease)
    {
        if (isLease)
        {
            EpochLine.EndLease(line.Place, held);
        }
        else
        {
            line.Leave(held);
        }
    }
}
