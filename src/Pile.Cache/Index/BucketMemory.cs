// The memory of an index's buckets: one reservation of address space, first buckets of chains from its beginning, others from a later
// place on, both taken from the budget as they are needed. In files what is taken is noted in the file's state words, so that
// whoever opens it again knows where buckets are; which of them belong to chains they find out by the chains.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Files;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Index;

/// <summary>Buckets as memory. Thread-safe.</summary>
internal sealed class BucketMemory : IDisposable
{
    /// <summary>Bytes of a bucket.</summary>
    internal const int BucketBytes = CacheLimits.BucketWords * Limits.WordBytes;

    /// <summary>State word: first buckets in use.</summary>
    internal const uint HomesWord = 0;

    /// <summary>State word: the end of the others that were ever used.</summary>
    internal const uint OverflowsNextWord = 2;

    private const uint HomesTakenWord = 1;
    private const uint OverflowsTakenWord = 3;

    private readonly WordRegion _region;
    private readonly MemoryBudget _budget;
    private readonly IndexFile? _file;
    private readonly Lock _gate = new();
    private readonly Stack<uint> _overflowsFree = new();
    private readonly uint _bucketsMax;
    private uint _homesTaken;
    private uint _overflowsNext;
    private uint _overflowsTaken;
    private long _takenBytes;

    /// <summary>Reserves places for buckets; takes none.</summary>
    /// <param name="provider">Source of memory.</param>
    /// <param name="budget">What it counts against.</param>
    /// <param name="bytes">Bytes of address space.</param>
    /// <param name="file">The file that the buckets are in, and then the provider as well; null in memory.</param>
    internal BucketMemory(RegionProvider provider, MemoryBudget budget, long bytes, IndexFile? file)
    {
        _budget = budget;
        _file = file;
        long wordsMin = file is null ? Limits.HugePageBytes / Limits.WordBytes : bytes / Limits.WordBytes;
        _region = new WordRegion(provider, bytes / Limits.WordBytes, wordsMin, provider.WordsSkewBytes);
        _bucketsMax = (uint)(_region.Count / CacheLimits.BucketWords);

        // Both parts begin with a page.
        HomesMax = HomesMaxOf(_bucketsMax);
        _overflowsNext = _overflowsTaken = HomesMax;
    }

    /// <summary>Held while a bucket is taken or given back. No interrupt of a thread ends a wait for it: cells have been moved by then.</summary>
    internal Lock Gate => _gate;

    /// <summary>The words of all buckets.</summary>
    internal WordArray Words => _region.Words;

    /// <summary>Places for first buckets; behind them are those for others.</summary>
    internal uint HomesMax { get; }

    /// <summary>First buckets that there is memory for.</summary>
    internal uint HomesTaken => Volatile.Read(ref _homesTaken);

    /// <summary>The bucket behind the last of the others that were ever used.</summary>
    internal uint OverflowsNext => Volatile.Read(ref _overflowsNext);

    /// <summary>Whether it takes memory beyond the limit too: while it comes with its files. Until the cache is the pile's nothing can be evicted for it, and a pile that is full of
    /// what could be would keep the whole cache from coming.</summary>
    internal bool PassesLimit { get; set; }

    /// <summary>Bytes of the budget that are taken.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>Places for buckets that an index file has under a limit: room for four times as much, should the limit be raised.</summary>
    internal static long BytesOfFile(MemoryBudget budget) => BytesOf(long.Min(budget.LimitBytes, CacheLimits.IndexBytesMax) * 4);

    /// <summary>Address space that an index reserves under a limit.</summary>
    internal static long BytesFor(RegionProvider provider, MemoryBudget budget)
    {
        long memoryBytes = provider.ReservesFreely ? long.Max(provider.MachineMemoryBytes, budget.LimitBytes) : budget.LimitBytes;
        return BytesOf(memoryBytes);
    }

    /// <summary>Places for first buckets, of so many for all.</summary>
    internal static uint HomesMaxOf(uint buckets) => (buckets - (buckets / CacheLimits.OverflowFraction)) / CacheLimits.BucketsTakenMin * CacheLimits.BucketsTakenMin;

    /// <summary>Lets a file go, by the memory that it is mapped in where there is one.</summary>
    internal static void Free(BucketMemory? memory, IndexFile? file)
    {
        if (memory is not null)
        {
            memory.Dispose();
        }
        else
        {
            file?.Dispose();
        }
    }

    /// <summary>Takes back what a file says was taken, beyond the limit too: see <see cref="PassesLimit"/>.</summary>
    /// <param name="homes">First buckets in use.</param>
    /// <param name="problem">What is wrong with the file, or null.</param>
    /// <returns>False when it can't be used.</returns>
    internal bool TryRestore(out uint homes, out string? problem)
    {
        WordArray state = _file!.State;
        homes = (uint)state.Read(HomesWord);
        (ulong taken, ulong next, ulong end) = (state.Read(HomesTakenWord), state.Read(OverflowsNextWord), state.Read(OverflowsTakenWord));
        bool isPossible = state.Read(HomesWord) is >= CacheLimits.BucketsFirst and <= uint.MaxValue && homes <= taken && taken <= HomesMax
            && next >= HomesMax && next <= end && end <= _bucketsMax && taken % CacheLimits.BucketsTakenMin == 0
            && IndexFile.PrefixBytes + ((long)taken * BucketBytes) <= _file.FileBytes
            && (end == HomesMax || IndexFile.PrefixBytes + ((long)end * BucketBytes) <= _file.FileBytes);
        problem = isPossible ? null : "its state words contradict each other, or its length";
        long bytes = isPossible ? ((long)taken + (long)(end - HomesMax)) * BucketBytes : 0;
        if (!isPossible || !_budget.TryTake(bytes, mayPass: true))
        {
            return false;
        }

        PassesLimit = true;
        Volatile.Write(ref _takenBytes, bytes);
        (_homesTaken, _overflowsNext, _overflowsTaken) = ((uint)taken, (uint)next, (uint)end);
        _file.MapBuckets(_region.Region, 0, (long)taken * BucketBytes);
        _file.MapBuckets(_region.Region, (long)HomesMax * BucketBytes, (long)(end - HomesMax) * BucketBytes);
        return true;
    }

    /// <summary>Buckets that no chain has now, of those beyond the first of a chain.</summary>
    internal uint[] ListFree()
    {
        using (_gate.EnterAnyhow())
        {
            return [.. _overflowsFree];
        }
    }

    /// <summary>Says which buckets no chain has, of those beyond the first of a chain.</summary>
    internal void RestoreFree(ReadOnlySpan<uint> buckets)
    {
        using (_gate.EnterAnyhow())
        {
            _overflowsFree.Clear();
            _ = _overflowsFree.EnsureCapacity((int)(_overflowsNext - HomesMax));
            foreach (uint bucket in buckets)
            {
                _overflowsFree.Push(bucket);
            }
        }
    }

    /// <summary>Notes how many first buckets are in use, before anybody sees it.</summary>
    internal void NoteHomes(uint homes) => Note(HomesWord, homes);

    /// <summary>Takes memory for so many first buckets.</summary>
    internal bool TryTakeHomes(uint needed)
    {
        using (_gate.EnterAnyhow())
        {
            uint granule = GranuleOf(_homesTaken);
            uint taken = uint.Min((needed + granule - 1) / granule * granule, HomesMax);
            if (needed > taken || !TryTake(_homesTaken, taken - _homesTaken))
            {
                return false;
            }

            Note(HomesTakenWord, taken);
            Volatile.Write(ref _homesTaken, taken);
            return true;
        }
    }

    /// <summary>Takes a bucket that is no chain's first.</summary>
    internal bool TryTakeOverflow(out uint bucket)
    {
        using (_gate.EnterAnyhow())
        {
            if (_overflowsFree.TryPop(out bucket))
            {
                return true;
            }

            if (_overflowsNext == _overflowsTaken)
            {
                uint wanted = uint.Min(CacheLimits.BucketsTakenMin, _bucketsMax - _overflowsTaken);
                if (wanted == 0 || !TryTake(_overflowsTaken, wanted))
                {
                    return false;
                }

                Note(OverflowsTakenWord, _overflowsTaken + wanted);
                _overflowsTaken += wanted;
            }

            // Now, because it may throw: when one is given back cells have been moved, and nothing may any more.
            _ = _overflowsFree.EnsureCapacity((int)(_overflowsNext + 1 - HomesMax));
            bucket = _overflowsNext;
            Note(OverflowsNextWord, bucket + 1);
            Volatile.Write(ref _overflowsNext, bucket + 1);
            return true;
        }
    }

    /// <summary>Gives a bucket back that is no chain's any more. Its own way on stays until it is used again: a reader that stands on it
    /// still comes to an end.</summary>
    internal void FreeOverflow(uint bucket)
    {
        using (_gate.EnterAnyhow())
        {
            _overflowsFree.Push(bucket);
        }
    }

    /// <summary>Gives back the memory of first buckets beyond so many, when no reader can see them.</summary>
    internal void Trim(uint homes)
    {
        using (_gate.EnterAnyhow())
        {
            uint granule = GranuleOf(_homesTaken);
            uint keep = uint.Max((homes + granule - 1) / granule * granule, CacheLimits.BucketsTakenMin);
            if (keep >= _homesTaken)
            {
                return;
            }

            // Noted first: whoever opens the file after a kill must not believe in buckets that are holes.
            Note(HomesTakenWord, keep);
            if (_region.TryGiveBack(keep * (long)CacheLimits.BucketWords, (_homesTaken - keep) * (long)CacheLimits.BucketWords))
            {
                GiveBack((_homesTaken - keep) * (long)BucketBytes);
                Volatile.Write(ref _homesTaken, keep);
            }
            else
            {
                Note(HomesTakenWord, _homesTaken);
            }
        }
    }

    /// <summary>Forgets the buckets beyond the first of a chain, all of which are empty. The caller excludes all writers.</summary>
    internal void ResetOverflows()
    {
        using (_gate.EnterAnyhow())
        {
            _overflowsFree.Clear();
            Note(OverflowsTakenWord, _overflowsTaken);
            Note(OverflowsNextWord, HomesMax);
            Volatile.Write(ref _overflowsNext, HomesMax);
        }
    }

    /// <summary>The checksum of a stretch of buckets.</summary>
    internal uint Sum(uint bucket, uint buckets) => Crc32C.Compute(Words.Bytes(bucket * CacheLimits.BucketWords, (int)(buckets * CacheLimits.BucketWords)));

    /// <summary>Frees the memory, when no reader is left.</summary>
    public void Dispose()
    {
        GiveBack(TakenBytes);
        _region.Dispose();
        _file?.Dispose();
    }

    private static long BytesOf(long memoryBytes) =>
        Align.Up(long.Clamp(memoryBytes / CacheLimits.IndexFraction, Limits.HugePageBytes, CacheLimits.IndexBytesMax), (long)Limits.OsPageBytes);

    private static uint GranuleOf(uint buckets) =>
        buckets >= CacheLimits.BucketsHugeFirst ? CacheLimits.BucketsOfHugePage : CacheLimits.BucketsTakenMin;

    private bool TryTake(uint firstBucket, uint buckets)
    {
        long words = buckets * (long)CacheLimits.BucketWords;
        long first = firstBucket * (long)CacheLimits.BucketWords;
        if (!(PassesLimit ? _budget.TryTake(buckets * (long)BucketBytes, mayPass: true) : _budget.TryTakeBesideReserve(buckets * (long)BucketBytes)))
        {
            return false;
        }

        using var taken = new BudgetTake(_budget, buckets * (long)BucketBytes);
        if (!_region.TryAllocate(first, words))
        {
            return false;
        }

        taken.Keep();
        Interlocked.Add(ref _takenBytes, buckets * (long)BucketBytes);
        if (buckets >= CacheLimits.BucketsOfHugePage)
        {
            _region.PreferHugePages(first, words);
        }

        return true;
    }

    private void GiveBack(long bytes)
    {
        _budget.GiveBack(bytes);
        Interlocked.Add(ref _takenBytes, -bytes);
    }

    private void Note(uint word, uint value)
    {
        if (_file is { } file)
        {
            file.State.WriteRelease(word, value);
        }
    }
}
