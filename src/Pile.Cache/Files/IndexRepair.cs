// Makes an index whole again whose process was killed: locks are given up, cells that lead to no record of the table or stand in a chain
// that is not theirs are emptied, buckets that no chain leads to are free again; and what is left is counted. A killed thread has done all
// that came before the instruction it stood at and nothing behind it; since each change of an entry is the store of one cell, a chain that
// was locked holds entries as they were before or after. Only what a split or a merge had in its hands is lost.
// By several threads, each a stretch of chains; nobody else is in the table.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>One repair.</summary>
/// <param name="table">The table's number.</param>
/// <param name="index">Its index.</param>
/// <param name="directory">The segments.</param>
/// <param name="trust">Knows records.</param>
/// <param name="hasValue">Whether a linked value is there.</param>
internal sealed class IndexRepair(int table, TableIndex index, SegmentDirectory directory, RecordTrust trust, Func<ulong, bool> hasValue)
{
    private const uint ChainsOfPiece = 1 << 14;

    private readonly BucketMemory _memory = index.Memory;
    private readonly WordArray _words = index.Words;
    private readonly FlatSpace _space = directory.Space;
    private readonly uint _homes = index.Homes;
    private readonly ulong[] _used = new ulong[((index.Memory.OverflowsNext - index.Memory.HomesMax) / 64) + 1];
    private readonly RepairCounts _counts = new(directory.Count);
    private readonly Lock _gate = new();

    /// <summary>What is left.</summary>
    internal RepairCounts Counts => _counts;

    /// <summary>Called before a bucket is changed, and again before others are; by several threads.</summary>
    internal Action Changing { get; init; } = static () => { };

    /// <summary>Repairs all chains.</summary>
    internal void Run(AllCores cores)
    {
        uint taken = _memory.HomesTaken;
        cores.Run((int)((taken + ChainsOfPiece - 1) / ChainsOfPiece), piece =>
        {
            var share = new RepairCounts(directory.Count);
            uint first = (uint)piece * ChainsOfPiece;
            for (uint home = first; home < uint.Min(taken, first + ChainsOfPiece); home++)
            {
                RepairChain(home, share);
            }

            lock (_gate)
            {
                _counts.Add(share);
            }
        });

        FreeUnused();
    }

    private void RepairChain(uint home, RepairCounts share)
    {
        if (home >= _homes)
        {
            Wipe(home);
            return;
        }

        if (BucketControl.IsLocked(index.Control(home)))
        {
            Changing();
            share.Unlocked++;
            index.Unlock(home, hasMoved: true);
        }

        Span<uint> cells = stackalloc uint[CacheLimits.BucketCells];
        uint bucket = home;
        while (true)
        {
            int count = 0;
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                uint word = TableIndex.FirstWord(bucket) + lane;
                if (!CellWord.IsEmpty(_words.Read(word)))
                {
                    cells[count++] = word;
                    _space.Prefetch(CellWord.Location(_words.Read(word)));
                }
            }

            foreach (uint word in cells[..count])
            {
                if (!TryCount(home, word, share))
                {
                    Changing();
                    _words.WriteRelease(word, 0);
                    share.Dropped++;
                }
            }

            uint next = BucketControl.Next(index.Control(bucket));
            if (next == 0)
            {
                return;
            }

            if (next < _memory.HomesMax || next >= _memory.OverflowsNext || !TryUse(next))
            {
                // Damage: no chain leads there, or another one's.
                Changing();
                ref ulong control = ref _words.At(TableIndex.FirstWord(bucket) + CacheLimits.BucketCells);
                Volatile.Write(ref control, BucketControl.WithNext(control, 0));
                return;
            }

            bucket = next;
        }
    }

    private bool TryCount(uint home, uint word, RepairCounts share)
    {
        ulong cell = _words.Read(word);
        long location = CellWord.Location(cell);
        if (!trust.HasRecord(location, out LogRecord record) || (TableIndex.HomeOf(record.Slot, _homes) != home && !Fault.CacheHomeForgotten))
        {
            return false;
        }

        Segment segment = directory.At(location);
        int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes);
        int head = DurableRecord.HeaderBytes / Limits.WordBytes;
        ulong a = _space.ReadWord(location + head);
        long offset = (location - segment.Location) * Limits.WordBytes;
        if (KeyedHead.Table(a) != table || KeyedHead.Priority(a) != CellWord.Priority(cell)
            || segment.State != SegmentState.Sealed || offset + recordBytes > segment.WrittenBytes)
        {
            return false;
        }

        LinkedValue linked = (a & KeyedHead.LinkedBit) == 0
            ? default
            : LinkedValue.Read(_space.Bytes(location, DurableRecord.HeaderBytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a), KeyedHead.LinkBytes), a);
        if (linked.Pointer != 0 && (!hasValue(linked.Pointer) || (linked.IsShared && !trust.IsGood(location))))
        {
            // A damaged link to an object that is shared would count for one that the cache was never given.
            return false;
        }

        // When a sliding one ends is known when it is looked at; until then it may be now.
        long end = (a & KeyedHead.SlidesBit) != 0 ? 0 : (a & KeyedHead.ExpiresBit) != 0 ? (long)_space.ReadWord(location + head + 2) : EntryTerms.Never;
        if (Fault.CacheNotCounted)
        {
            return true;
        }

        share.Take(segment, recordBytes, end, KeyedHead.Priority(a), (a & KeyedHead.NotedBit) != 0, linked);
        return true;
    }

    private void Wipe(uint bucket)
    {
        if (!index.IsWiped(bucket))
        {
            Changing();
            index.Wipe(bucket);
        }
    }

    private bool TryUse(uint bucket)
    {
        uint at = bucket - _memory.HomesMax;
        ulong bit = 1UL << (int)(at % 64);
        return (Interlocked.Or(ref _used[at / 64], bit) & bit) == 0;
    }

    private void FreeUnused()
    {
        List<uint> free = [];
        for (uint at = 0; at < _memory.OverflowsNext - _memory.HomesMax; at++)
        {
            if ((_used[at / 64] & (1UL << (int)(at % 64))) == 0)
            {
                Wipe(_memory.HomesMax + at);
                free.Add(_memory.HomesMax + at);
            }
        }

        _memory.RestoreFree([.. free]);
    }
}
