// What is known of a cache when it is closed in order, as a file: the counts and checksums of its indexes, and what its segments hold.
// It is written last, and removed before anything changes that it tells of.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Eviction;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>Writes, reads and removes it. For one thread, but for <see cref="Forget"/>.</summary>
internal sealed class ClosingFacts(DurableHeap heap, CacheCore<DurableRecord> cache)
{
    private readonly DurableHeap _heap = heap;
    private readonly HeapCore<DurableRecord> _core = heap.Core;
    private readonly CacheCore<DurableRecord> _cache = cache;
    private readonly Lock _gate = new();
    private bool _isForgotten;

    /// <summary>The file's path.</summary>
    internal string FilePath => Path.Combine(_heap.Directory.FullPath, StoreNames.CacheFacts);

    private MetaSlot Meta => _heap.Directory.Meta;

    /// <summary>The facts that were written when the cache was closed, if they are of now.</summary>
    internal CacheFacts? Read()
    {
        CacheFacts? facts = null;
        try
        {
            using StoreFile file = _heap.Directory.Files.Open(FilePath, FileOpening.ReadOnly);
            if (CacheFacts.IsWhole(file))
            {
                byte[] bytes = new byte[file.Bytes];
                file.Read(0, bytes);
                _ = CacheFacts.TryRead(bytes, out facts, out _);
            }
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.Missing)
        {
            return null;
        }

        return facts?.Identity == Meta.Identity && facts.RecoveryCount >= Meta.SoundSince && facts.RecoveryCount <= Meta.RecoveryCount && facts.FirstCountingSequence == Meta.FirstCountingSequence ? facts : null;
    }

    /// <summary>Removes the file: what it tells of is about to change. A power cut that brings the name back brings another recovery count.</summary>
    internal void Forget()
    {
        lock (_gate)
        {
            if (!_isForgotten && !Fault.CacheFactsKept && _heap.Directory.Files.Exists(FilePath))
            {
                _heap.Directory.Files.Delete(FilePath);
            }

            _isForgotten = true;
        }
    }

    /// <summary>Makes the indexes durable, and writes what is known. All segments are sealed, and nobody is inside the pile.</summary>
    internal void Write(IReadOnlyList<TableBase> tables, RecordTrust trust)
    {
        using var cores = new AllCores(Environment.ProcessorCount);

        // Entries that may have one key, of a table that nobody asked for or beside one that was lost in this open, are found by the walk of the next open again.
        bool isOpen = _cache.HasLooseValues || tables.Any(static table => table.Slots is { HasUndecided: true } or { HasLost: true });
        var facts = new CacheFacts { Identity = Meta.Identity, RecoveryCount = Meta.RecoveryCount, FirstCountingSequence = Meta.FirstCountingSequence, HasLooseValues = isOpen };
        var segments = new RepairCounts(_core.Directory.Count);
        foreach (TableBase table in tables)
        {
            (long[] entries, long bytes) = CountOf(table, segments, trust, cores);
            table.File!.Sync();
            Fault.Stop(StopPoint.CacheIndexSynced);
            facts.Tables.Add(new TableFacts(table.Id, table.Index.Homes, entries, bytes, table.Slots?.Version ?? 0, table.Index.Memory.ListFree(), IndexFiles.SumsOf(table.Index.Memory, cores)));
        }

        foreach (SegmentFact fact in segments.Segments)
        {
            facts.Segments.Add(fact with { HoldsSurvivors = _core.Directory[fact.Index].HoldsSurvivors });
        }

        NoteEnds(facts);
        facts.Shared.AddRange(_cache.Shared.List());
        try
        {
            SideFiles.Write(_heap.Directory.Files, _heap.Directory.FullPath, StoreNames.CacheFacts, facts.ToBytes());
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.NoSpace or FileFailure.TooLong)
        {
            // Without it an open in this boot counts as after a kill, and a later one lets the tables start empty.
        }
    }

    /// <summary>Entries by priority, and bytes, of a table that is closed; and those of speculative ones by segment.</summary>
    private (long[] Entries, long Bytes) CountOf(TableBase table, RepairCounts segments, RecordTrust trust, AllCores cores)
    {
        if (table.Slots is not null)
        {
            // The pile counts what lives of it.
            return ([.. Enumerable.Range(0, (int)PileCachePriority.NeverRemove + 1).Select(table.Counts.EntriesOf)], table.Counts.Bytes);
        }

        IndexRepair repair = new(table.Id, table.Index, _core.Directory, trust, static _ => true);
        repair.Run(cores);
        segments.Add(repair.Counts);
        return (repair.Counts.Entries, repair.Counts.Bytes);
    }

    /// <summary>Notes when durable entries end, and where some have notes, as it is known by segment.</summary>
    private void NoteEnds(CacheFacts facts)
    {
        HashSet<int> known = [.. facts.Segments.Select(static fact => fact.Index)];
        for (int index = 0; index < facts.Segments.Count; index++)
        {
            SegmentFact fact = facts.Segments[index];
            Segment segment = _core.Directory[fact.Index];
            facts.Segments[index] = fact with { EndTicks = long.Min(fact.EndTicks, _cache.Facts.EndOf(segment, isForRoom: true)), Priorities = fact.Priorities | NotedIn(segment) };
        }

        for (int index = 0; index < _core.Directory.Count; index++)
        {
            Segment segment = _core.Directory[index];
            if ((_cache.Facts.EndOf(segment, isForRoom: true) != EntryTerms.Never || NotedIn(segment) != 0) && !known.Contains(index) && segment.State == SegmentState.Sealed)
            {
                facts.Segments.Add(
                    new SegmentFact(index, segment.Sequence, 0, _cache.Facts.EndOf(segment, isForRoom: true), (1 << (int)PileCachePriority.NeverRemove) | NotedIn(segment), segment.HoldsSurvivors));
            }
        }
    }

    private int NotedIn(Segment segment) => _cache.Facts.HasNoted(segment) ? SegmentFacts.NotedBit : 0;
}
