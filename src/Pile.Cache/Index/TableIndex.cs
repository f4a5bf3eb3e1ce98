// The index of one table: buckets of one cache line each, seven cells and a control word, in one reservation of address space.
// Buckets are found by linear hashing (Litwin, VLDB 1980): their number grows by one at a time, so that no call waits for a table
// to be doubled. A chain that outgrows its first bucket goes on in others, from the end of the same reservation.
// It knows where cells are, and how a chain is locked; memory is BucketMemory's business, when to grow TableGrowth's.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Cache.Files;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Index;

/// <summary>Buckets and their memory. Thread-safe but where a member needs the chain's lock.</summary>
internal sealed class TableIndex : IDisposable
{
    private const int ControlWord = CacheLimits.BucketCells;

    private readonly BucketMemory _memory;
    private readonly WordArray _words;
    private uint _homes = CacheLimits.BucketsFirst;

    /// <summary>Makes an index of buckets that are there.</summary>
    internal TableIndex(BucketMemory memory, uint homes)
    {
        _memory = memory;
        _words = memory.Words;
        _homes = homes;
    }

    /// <summary>Bytes that the budget must have for a new index.</summary>
    internal const int FirstBytes = (int)CacheLimits.BucketsFirst * BucketBytes;

    /// <summary>Makes an index and takes its first page. A file is its own from the call on: without an index nothing is left of it.</summary>
    /// <param name="provider">Source of memory; the file, where there is one.</param>
    /// <param name="budget">What it counts against.</param>
    /// <param name="file">The file that it stands in; null in memory.</param>
    /// <param name="passesLimit">Whether the limit keeps it from nothing: see <see cref="BucketMemory.PassesLimit"/>.</param>
    /// <returns>Null where the budget, or the device, has no room for a page.</returns>
    /// <exception cref="PileFullException">The process has no address space.</exception>
    internal static TableIndex? TryCreate(RegionProvider provider, MemoryBudget budget, IndexFile? file = null, bool passesLimit = false)
    {
        BucketMemory? memory = null;
        try
        {
            memory = new BucketMemory(provider, budget, file?.Header.IndexBytes ?? BucketMemory.BytesFor(provider, budget), file) { PassesLimit = passesLimit };
            memory.NoteHomes(CacheLimits.BucketsFirst);
            memory.ResetOverflows();
            if (!memory.TryTakeHomes(CacheLimits.BucketsFirst))
            {
                file?.MarkDropped();
                BucketMemory.Free(memory, file);
                return null;
            }

            return new TableIndex(memory, CacheLimits.BucketsFirst);
        }
        catch
        {
            file?.MarkDropped();
            BucketMemory.Free(memory, file);
            throw;
        }
    }

    /// <summary>No bucket: of a caller that has locked none.</summary>
    internal const uint Nowhere = uint.MaxValue;

    /// <summary>Bytes of a bucket.</summary>
    internal const int BucketBytes = BucketMemory.BucketBytes;

    /// <summary>The buckets as memory.</summary>
    internal BucketMemory Memory => _memory;

    /// <summary>The words, for whoever looks at cells.</summary>
    internal WordArray Words => _words;

    /// <summary>First buckets of chains.</summary>
    internal uint Homes => Volatile.Read(ref _homes);

    /// <summary>Bytes of the budget that the index holds.</summary>
    internal long TakenBytes => _memory.TakenBytes;

    /// <summary>Index of a bucket's first word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint FirstWord(uint bucket) => bucket * CacheLimits.BucketWords;

    /// <summary>The first bucket of the chain of a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint HomeOf(uint hash) => HomeOf(hash, Volatile.Read(ref _homes));

    /// <summary>The first bucket of the chain of a hash, among so many.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint HomeOf(uint hash, uint homes)
    {
        uint mask = uint.MaxValue >> BitOperations.LeadingZeroCount(homes - 1);
        uint home = hash & mask;
        return home < homes ? home : home & (mask >> 1);
    }

    /// <summary>Asks for the first bucket of a hash's chain.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(uint hash) => _words.Prefetch(FirstWord(HomeOf(hash)));

    /// <summary>Acquire load of a bucket's control word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Control(uint bucket) => _words.Read(FirstWord(bucket) + ControlWord);

    /// <summary>Locks the chain of a hash. Nothing that waits belongs under it.</summary>
    /// <returns>Its first bucket.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint Lock(uint hash)
    {
        while (true)
        {
            uint home = HomeOf(hash);
            LockBucket(home);

            // Between the two a split or a merge may have given the hash another home: both publish the count under this lock.
            if (HomeOf(hash) == home)
            {
                return home;
            }

            Unlock(home, hasMoved: false);
        }
    }

    /// <summary>Locks a chain by its first bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void LockBucket(uint home)
    {
        if (Fault.CacheLockSkipped && BucketControl.Next(Control(home)) == 0)
        {
            return;
        }

        // Any thread; acquire by the compare-exchange, so that the cells are read as the last holder left them.
        ref ulong control = ref _words.At(FirstWord(home) + ControlWord);
        ulong seen = Volatile.Read(ref control);
        if (BucketControl.IsLocked(seen) || Interlocked.CompareExchange(ref control, seen | BucketControl.LockBit, seen) != seen)
        {
            WaitForLock(ref control);
        }
    }

    /// <summary>Unlocks a chain.</summary>
    /// <param name="home">Its first bucket.</param>
    /// <param name="hasMoved">Whether cells were moved: readers that missed meanwhile look again.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Unlock(uint home, bool hasMoved)
    {
        // Writer: the holder alone. Release: the cells come before it.
        ref ulong control = ref _words.At(FirstWord(home) + ControlWord);
        Volatile.Write(ref control, BucketControl.Unlocked(control, hasMoved));
    }

    /// <summary>Unlocks a chain, or none where its first bucket is <see cref="Nowhere"/>: for who ends by whatever way.</summary>
    internal void UnlockAny(uint home, bool hasMoved)
    {
        if (home != Nowhere)
        {
            Unlock(home, hasMoved);
        }
    }

    /// <summary>Puts a cell into an empty place of a chain, adding a bucket to it if there is none. With the chain locked.</summary>
    /// <returns>False when there is no memory for another bucket.</returns>
    internal bool TryInsertLocked(uint home, ulong cell)
    {
        uint bucket = home;
        do
        {
            uint first = FirstWord(bucket);
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                if (CellWord.IsEmpty(_words.Read(first + lane)))
                {
                    _words.WriteRelease(first + lane, cell);
                    return true;
                }
            }

            bucket = BucketControl.Next(Control(bucket));
        }
        while (bucket != 0);

        return _memory.TryTakeOverflow(out uint added) && LinkLocked(home, added, cell);
    }

    /// <summary>Empties a cell, and gives back its bucket if it was the last one of a bucket that is not the chain's first. With the
    /// chain locked.</summary>
    /// <returns>Whether the chain was changed, so that readers must look again.</returns>
    internal bool RemoveLocked(uint home, uint word)
    {
        _words.WriteRelease(word, 0);
        uint bucket = word / CacheLimits.BucketWords;
        if (bucket == home || !IsEmpty(bucket))
        {
            return false;
        }

        Unlink(home, bucket);
        return true;
    }

    /// <summary>Takes the empty buckets out of a chain, all but its first. With the chain locked; readers must look again.</summary>
    internal void DropEmptyLocked(uint home)
    {
        uint bucket = BucketControl.Next(Control(home));
        while (bucket != 0)
        {
            uint next = BucketControl.Next(Control(bucket));
            if (IsEmpty(bucket))
            {
                Unlink(home, bucket);
            }

            bucket = next;
        }
    }

    /// <summary>Makes room for one more first bucket, and keeps it locked, still unseen. By the only one who grows.</summary>
    internal bool TryPrepareHome(out uint home)
    {
        home = _homes;
        if (home >= _memory.HomesMax || (home >= _memory.HomesTaken && !_memory.TryTakeHomes(home + 1)))
        {
            return false;
        }

        LockBucket(home);
        return true;
    }

    /// <summary>Shows so many first buckets. By the only one who grows, with the locks of what changes held.</summary>
    internal void Publish(uint homes)
    {
        _memory.NoteHomes(homes);
        Volatile.Write(ref _homes, homes);
    }

    /// <summary>Gives back the memory of first buckets that are no longer used. By the only one who grows, after an epoch in which no
    /// reader has seen them.</summary>
    internal void Trim() => _memory.Trim(_homes);

    /// <summary>Empties everything. The caller excludes all writers; readers may go on.</summary>
    internal void Reset()
    {
        for (uint bucket = 0; bucket < _memory.HomesTaken; bucket++)
        {
            Wipe(bucket);
        }

        for (uint bucket = _memory.HomesMax; bucket < _memory.OverflowsNext; bucket++)
        {
            Wipe(bucket);
        }

        _memory.ResetOverflows();
    }

    /// <summary>Empties a bucket, whatever stands in it. By who excludes all writers.</summary>
    internal void Wipe(uint bucket)
    {
        for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
        {
            _ = Interlocked.Exchange(ref _words.At(FirstWord(bucket) + lane), 0);
        }

        ref ulong control = ref _words.At(FirstWord(bucket) + ControlWord);
        Volatile.Write(ref control, BucketControl.Unlocked(BucketControl.WithNext(control, 0), hasMoved: true));
    }

    /// <summary>Whether nothing stands in a bucket, and it leads nowhere.</summary>
    internal bool IsWiped(uint bucket) => IsEmpty(bucket) && Control(bucket) is var control && BucketControl.Next(control) == 0 && !BucketControl.IsLocked(control);

    /// <summary>Frees the memory, when no reader is left.</summary>
    public void Dispose() => _memory.Dispose();

    private static void WaitForLock(ref ulong control)
    {
        var spin = default(SpinWait);
        while (true)
        {
            ulong seen = Volatile.Read(ref control);
            if (!BucketControl.IsLocked(seen) && Interlocked.CompareExchange(ref control, seen | BucketControl.LockBit, seen) == seen)
            {
                return;
            }

            spin.SpinAnyhow();
        }
    }

    private bool IsEmpty(uint bucket)
    {
        uint first = FirstWord(bucket);
        for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
        {
            if (!CellWord.IsEmpty(_words.Read(first + lane)))
            {
                return false;
            }
        }

        return true;
    }

    private bool LinkLocked(uint home, uint added, ulong cell)
    {
        // The new bucket is whole before the chain leads to it; the holder alone writes the first control word.
        _words.WriteRelease(FirstWord(added), cell);
        ref ulong control = ref _words.At(FirstWord(home) + ControlWord);
        _words.WriteRelease(FirstWord(added) + ControlWord, BucketControl.WithNext(0, BucketControl.Next(control)));
        Volatile.Write(ref control, BucketControl.WithNext(control, added));
        Fault.Stop(StopPoint.CacheBucketLinked);
        return true;
    }

    private void Unlink(uint home, uint bucket)
    {
        uint before = home;
        while (BucketControl.Next(Control(before)) is var next && next != bucket)
        {
            before = next;
        }

        ref ulong control = ref _words.At(FirstWord(before) + ControlWord);
        Volatile.Write(ref control, BucketControl.WithNext(control, BucketControl.Next(Control(bucket))));
        _memory.FreeOverflow(bucket);
    }
}
