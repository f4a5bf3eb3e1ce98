// Walks over a whole table: clearing it, and listing it. A walk goes by the buckets that there were when it began, a few at a time,
// each with what splits have made of it since: whatever is there throughout is met exactly once.
using System;
using System.Collections.Generic;
using System.Numerics;
using Pile.Cache.Events;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Walks over one table. Thread-safe.</summary>
internal sealed class TableWalk<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly CacheCore<TFormat> _cache = table.Cache;
    private readonly TableIndex _index = table.Index;

    /// <summary>Makes the index ready for so many entries, as far as memory goes.</summary>
    internal void Reserve(long entries)
    {
        // An index that took all memory would leave none for what it is made for.
        MemoryBudget budget = _cache.Core.Budget;
        long bytes = long.Min(budget.LimitBytes / CacheLimits.IndexFraction, budget.FreeBytes / 2);
        entries = long.Min(entries, bytes / TableIndex.BucketBytes * CacheLimits.CellsPerTenBuckets / 10);
        while (_cache.WithWriter(() => !table.Reads.IsEnded && table.Growth.Grow(entries, CacheLimits.SplitsAtOnce)))
        {
        }
    }

    /// <summary>Removes every entry that is there when the walk meets it.</summary>
    /// <param name="isDropping">Whether the table was dropped, and this is its end.</param>
    internal void Clear(bool isDropping = false)
    {
        if (TFormat.IsDurable && table is TableCore<DurableRecord> { InSlots: not null } durable)
        {
            new SlotClear(durable).Run(isDropping);
            return;
        }

        EpochLine line = EpochLine.Current;
        List<ulong> orphans = [];
        DrawnVersions? drawn = null;
        table.Watchers.BeginClear();
        table.Growth.BeginWalk();
        try
        {
            EventRing? told = isDropping ? null : TellCleared(out drawn);
            uint homes = _index.Homes;
            for (uint first = 0; first < homes; first += CacheLimits.BucketsWalked)
            {
                long held = line.Enter(_cache.Core.Epochs.WriteWord);
                SegmentWriter<TFormat>? writer = null;
                try
                {
                    writer = _cache.Core.Writers.Hold(line);
                    if (_cache.Core.IsDisposed || (table.IsDropped && !isDropping))
                    {
                        return;
                    }

                    SegmentWriter<TFormat> holding = writer;
                    uint end = uint.Min(first + CacheLimits.BucketsWalked, homes);
                    for (uint home = first; home < end; home++)
                    {
                        ForEachPart(home, homes, part => ClearChain(line, holding, part, orphans, told, drawn));
                    }
                }
                finally
                {
                    writer?.Release();
                    line.Leave(held);
                }

                foreach (ulong orphan in orphans)
                {
                    _cache.DeleteOrphan(orphan);
                }

                orphans.Clear();
            }
        }
        finally
        {
            table.Growth.EndWalk();
            table.Watchers.EndClear();
        }
    }

    /// <summary>The locations of the entries of some buckets of the walk and of what was split from them. Inside an epoch.</summary>
    /// <param name="first">The first bucket.</param>
    /// <param name="end">The one after the last.</param>
    /// <param name="homes">How many there were when the walk began.</param>
    /// <param name="locations">Where to add them.</param>
    /// <param name="isDropping">Whether the table was dropped, and this is its end.</param>
    internal void List(uint first, uint end, uint homes, List<long> locations, bool isDropping = false)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_cache.Core.Epochs.WriteWord);

        SegmentWriter<TFormat>? writer = null;
        try
        {
            // With a writer held: the pile's Clear holds all of them, and wipes locks and cells alike.
            writer = _cache.Core.Writers.Hold(line);
            if (isDropping ? _cache.Core.IsDisposed : table.Reads.IsEnded)
            {
                table.ThrowEnded();
            }

            // A split between two parts could move an entry from one that was not met to one that was: none takes place meanwhile.
            table.Growth.WhileStill(() =>
            {
                for (uint home = first; home < end; home++)
                {
                    ForEachPart(home, homes, part => ListChain(part, locations));
                }
            });
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }

    /// <summary>The locations of the entries of one chain. Inside an epoch.</summary>
    internal void ListChain(uint home, List<long> locations)
    {
        _index.LockBucket(home);
        try
        {
            ForEachCell(home, (word, cell) => AddLocation(cell, locations));
        }
        finally
        {
            _index.Unlock(home, hasMoved: false);
        }
    }

    private void AddLocation(ulong cell, List<long> locations)
    {
        if (table.Lookup.LocationOf(cell) is var location and not 0)
        {
            locations.Add(location);
        }
    }

    private void ClearChain(EpochLine line, SegmentWriter<TFormat> writer, uint home, List<ulong> orphans, EventRing? told, DrawnVersions? drawn)
    {
        _index.LockBucket(home);
        try
        {
            ForEachCell(home, (word, cell) =>
            {
                long location = CellWord.Location(cell);
                ulong a = table.Lookup.HeadA(location);
                _index.Words.WriteRelease(word, 0);
                if (table.Writes.CountGone(line, writer, location, a, CellWord.Priority(cell)) is var orphan and not 0)
                {
                    orphans.Add(orphan);
                }

                // The one event is of what was there at its moment, and for those who watched then.
                if (table.Watchers.Ring is { } ring && (ring != told || drawn!.IsBefore((ulong)table.Reads.VersionOf(location, a).Number)))
                {
                    table.Teller.TellGone(PileEventKinds.Removed, location);
                }
            });
            _index.DropEmptyLocked(home);
        }
        finally
        {
            _index.Unlock(home, hasMoved: true);
        }
    }

    /// <summary>Tells that all entries are gone that are there now, ahead of the walk: what is stored while it lasts is told after this.</summary>
    /// <param name="drawn">What their versions are among.</param>
    /// <returns>Who was told; null for nobody.</returns>
    private EventRing? TellCleared(out DrawnVersions? drawn)
    {
        drawn = null;
        if (table.Watchers.Ring is null)
        {
            return null;
        }

        _cache.Core.Writers.HoldAll();
        try
        {
            drawn = _cache.Versions.Drawn();
            return table.Watchers.TellCleared(drawn);
        }
        finally
        {
            _cache.Core.Writers.ReleaseAll();
        }
    }

    private void ForEachCell(uint home, Action<uint, ulong> action)
    {
        uint bucket = home;
        do
        {
            uint next = BucketControl.Next(_index.Control(bucket));
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                uint word = TableIndex.FirstWord(bucket) + lane;
                ulong cell = _index.Words.Read(word);
                if (!CellWord.IsEmpty(cell))
                {
                    action(word, cell);
                }
            }

            bucket = next;
        }
        while (bucket != 0);
    }

    /// <summary>A bucket and all that were split from it since there were so many.</summary>
    private void ForEachPart(uint home, uint homes, Action<uint> action)
    {
        // Among so many buckets this one takes the hashes that end in its number, in as many bits as it was split by.
        uint level = 1u << BitOperations.Log2(homes);
        uint step = home < homes - level || home >= level ? level * 2 : level;
        for (uint part = home; part < _index.Homes; part += step)
        {
            action(part);
        }
    }
}
