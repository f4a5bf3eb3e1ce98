// Growing and shrinking of an index by single buckets: a split moves what belongs to the new last bucket out of one other, a merge
// moves it back. Both hold the locks of the two chains, so that a writer sees either state, and leave a new version behind, so that a
// reader that found nothing meanwhile looks again. A cell does not say the whole hash: the record does.
using System;
using System.Buffers;
using System.Numerics;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Index;

/// <summary>Splits and merges. Called inside an epoch, so that the records that cells lead to can be read.</summary>
internal sealed class TableGrowth(TableIndex index, CellRecords records)
{
    private readonly Lock _gate = new();
    private int _walks;

    /// <summary>Splits buckets until there are enough for so many cells; others may be at it, then nothing is done.</summary>
    /// <param name="cells">Cells in use.</param>
    /// <param name="splitsMax">The most to do now.</param>
    /// <returns>True when there is more to do, and memory for it.</returns>
    internal bool Grow(long cells, int splitsMax)
    {
        if (!_gate.TryEnter())
        {
            return false;
        }

        try
        {
            for (int split = 0; split < splitsMax && cells * 10 > index.Homes * (long)CacheLimits.CellsPerTenBuckets; split++)
            {
                if (!TrySplitLocked())
                {
                    return false;
                }
            }

            return cells * 10 > index.Homes * (long)CacheLimits.CellsPerTenBuckets;
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Whether there are far too many buckets for so many cells.</summary>
    internal bool IsTooLarge(long cells) =>
        index.Homes > CacheLimits.BucketsFirst && cells * 10 < index.Homes * (long)CacheLimits.CellsPerTenBucketsMin;

    /// <summary>Merges buckets while there are far too many for so many cells.</summary>
    /// <returns>Whether any was merged.</returns>
    internal bool Shrink(long cells, int mergesMax)
    {
        if (!_gate.TryEnter())
        {
            return false;
        }

        try
        {
            int merged = 0;
            while (merged < mergesMax && _walks == 0 && IsTooLarge(cells) && TryMergeLocked())
            {
                merged++;
            }

            return merged > 0;
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Gives back memory that merges left; after an epoch.</summary>
    internal void Trim()
    {
        using (_gate.EnterAnyhow())
        {
            index.Trim();
        }
    }

    /// <summary>Does something while no bucket is split or merged.</summary>
    internal void WhileStill(Action action)
    {
        using (_gate.EnterAnyhow())
        {
            action();
        }
    }

    /// <summary>Keeps the buckets from being merged while a walk goes on, so that nothing moves to where it has been.</summary>
    internal void BeginWalk()
    {
        using (_gate.EnterAnyhow())
        {
            _walks++;
        }
    }

    /// <summary>Ends <see cref="BeginWalk"/>.</summary>
    internal void EndWalk()
    {
        using (_gate.EnterAnyhow())
        {
            _walks--;
        }
    }

    private bool TrySplitLocked()
    {
        if (!index.TryPrepareHome(out uint added))
        {
            return false;
        }

        uint source = added - HighestBit(added);
        index.LockBucket(source);
        bool isWhole = false;
        try
        {
            isWhole = Distribute(source, added, homes: added + 1);
            Fault.Stop(StopPoint.CacheCellsPlaced);
        }
        finally
        {
            Show(isWhole ? added + 1 : added, source, added);
        }

        return isWhole;
    }

    private bool TryMergeLocked()
    {
        uint last = index.Homes - 1;
        uint target = last - HighestBit(last);
        index.LockBucket(target);
        index.LockBucket(last);
        bool isWhole = false;
        try
        {
            isWhole = Distribute(last, target, homes: last);
            Fault.Stop(StopPoint.CacheCellsPlaced);
        }
        finally
        {
            Show(isWhole ? last : last + 1, target, last);
        }

        return isWhole;
    }

    /// <summary>Shows so many first buckets, and unlocks the two chains, whether all was moved, nothing for want of memory, or the call for memory threw.</summary>
    private void Show(uint homes, uint one, uint other)
    {
        index.Publish(homes);
        Fault.Stop(StopPoint.CacheHomesShown);
        index.Unlock(one, hasMoved: true);
        index.Unlock(other, hasMoved: true);
    }

    private static uint HighestBit(uint value) => 1u << BitOperations.Log2(value);

    /// <summary>Moves the cells of one chain that belong to another one's first bucket. Both are locked.</summary>
    /// <returns>False when there was no memory for all: then everything is where it was, as it is when the call for memory throws.</returns>
    private bool Distribute(uint source, uint target, uint homes)
    {
        ulong[] moved = ArrayPool<ulong>.Shared.Rent(CacheLimits.BucketCells);
        int count = 0;
        int placed = 0;
        try
        {
            Take(source, target, homes, ref moved, ref count);
            Fault.Stop(StopPoint.CacheCellsTaken);
            while (placed < count && index.TryInsertLocked(target, moved[placed]))
            {
                placed++;
            }
        }
        finally
        {
            if (placed < count)
            {
                // There is a place for each of them where they came from.
                Undo(source, target, homes, moved.AsSpan(placed, count - placed));
            }

            ArrayPool<ulong>.Shared.Return(moved);
            index.DropEmptyLocked(source);
        }

        return placed == count;
    }

    /// <summary>Takes the cells of one chain that belong to another one's first bucket out of their places.</summary>
    private void Take(uint source, uint target, uint homes, ref ulong[] moved, ref int count)
    {
        WordArray words = index.Words;
        uint bucket = source;
        do
        {
            Prefetch(bucket);
            bucket = BucketControl.Next(index.Control(bucket));
        }
        while (bucket != 0);

        bucket = source;
        while (true)
        {
            uint next = BucketControl.Next(index.Control(bucket));
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                uint word = TableIndex.FirstWord(bucket) + lane;
                ulong cell = words.Read(word);
                if (CellWord.IsEmpty(cell) || !records.TryHashOf(cell, out uint low) || TableIndex.HomeOf(low, homes) != target)
                {
                    continue;
                }

                if (count == moved.Length)
                {
                    ulong[] larger = ArrayPool<ulong>.Shared.Rent(count * 2);
                    moved.CopyTo(larger, 0);
                    ArrayPool<ulong>.Shared.Return(moved);
                    moved = larger;
                }

                // The exchange that empties the place tells what stood there last: a reader may have raised its visits.
                moved[count++] = Interlocked.Exchange(ref words.At(word), 0);
            }

            if (next == 0)
            {
                break;
            }

            bucket = next;
        }
    }

    private void Undo(uint source, uint target, uint homes, ReadOnlySpan<ulong> unplaced)
    {
        foreach (ulong cell in unplaced)
        {
            _ = index.TryInsertLocked(source, cell);
        }

        // A split's target was empty before: all that stands there goes back. A merge's target keeps all, and the last bucket the rest:
        // each is found, because the count stays as it was and the cells go by their own homes.
        WordArray words = index.Words;
        uint bucket = target;
        do
        {
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                uint word = TableIndex.FirstWord(bucket) + lane;
                ulong cell = words.Read(word);
                if (!CellWord.IsEmpty(cell) && HomeBefore(cell, homes, target) == source)
                {
                    cell = Interlocked.Exchange(ref words.At(word), 0);
                    _ = index.TryInsertLocked(source, cell);
                }
            }

            bucket = BucketControl.Next(index.Control(bucket));
        }
        while (bucket != 0);

        index.DropEmptyLocked(target);
    }

    /// <summary>Where a cell belongs while the count of buckets stays as it was: a split would have made it one more, a merge one less.</summary>
    private uint HomeBefore(ulong cell, uint homes, uint target)
    {
        bool isSplit = target == homes - 1;
        _ = records.TryHashOf(cell, out uint low);
        return TableIndex.HomeOf(low, isSplit ? homes - 1 : homes + 1);
    }

    private void Prefetch(uint bucket)
    {
        for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
        {
            ulong cell = index.Words.Read(TableIndex.FirstWord(bucket) + lane);
            if (!CellWord.IsEmpty(cell))
            {
                records.Prefetch(cell);
            }
        }
    }
}
