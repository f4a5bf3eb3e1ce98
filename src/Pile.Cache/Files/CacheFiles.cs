// The files of a cache in a pile's directory: an index for each table, and what was known when it was closed in order. An open keeps a
// table whose index can be believed (it was closed in order and is what it was then, or its process was killed in this boot of the
// machine over this very file), and lets any other start empty: a speculative table may lose its entries, and must not show a wrong one.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>The files of one cache. Attached and closed by one thread; files are created by any.</summary>
internal sealed class CacheFiles
{
    private readonly DurableHeap _heap;
    private readonly HeapCore<DurableRecord> _core;
    private readonly CacheCore<DurableRecord> _cache;
    private readonly RegionProvider _memory;
    private readonly List<PileTableRecovery> _recovery = [];
    private readonly List<SegmentFact> _live = [];

    internal CacheFiles(DurableHeap heap, CacheCore<DurableRecord> cache, RegionProvider memory)
    {
        _heap = heap;
        _core = heap.Core;
        _cache = cache;
        _memory = memory;
        Trust = new RecordTrust(_core);
    }

    /// <summary>What is known of entries of before the open.</summary>
    internal RecordTrust Trust { get; }

    /// <summary>What became of the tables that were there.</summary>
    internal IReadOnlyList<PileTableRecovery> Recovery => _recovery;

    private string FactsPath => Path.Combine(_heap.Directory.FullPath, StoreNames.CacheFacts);

    private FileProvider Provider => _heap.Directory.Files;

    private MetaSlot Meta => _heap.Directory.Meta;

    /// <summary>Removes a file, as well as that can be done now: one that stays is known by its own bytes for what it is.</summary>
    internal static void TryDelete(PileDirectory directory, string path)
    {
        try
        {
            directory.Files.Delete(path);
        }
        catch (FileCallException)
        {
            // It takes room until the next open tries again.
        }
    }

    /// <summary>Takes the tables of the directory into the cache, and the cache's records into the pile's counts.</summary>
    /// <exception cref="PileFullException">The limit has no room for the indexes.</exception>
    internal void Attach()
    {
        CacheFacts? facts = ReadFacts();
        using var cores = new AllCores(Environment.ProcessorCount);
        var owned = new OwnedValues(_core, _cache.Pile);
        List<FoundTable> found = [];
        try
        {
            TakeAll(facts, cores, owned, found);
        }
        catch
        {
            // Those that the cache has by now are its own to free.
            foreach (FoundTable table in found.Where(table => !_cache.Indexed().Any(placed => placed.Index == table.Index)))
            {
                table.Index.Dispose();
            }

            throw;
        }
    }

    private void TakeAll(CacheFacts? facts, AllCores cores, OwnedValues owned, List<FoundTable> found)
    {
        foreach (string name in Provider.List(_heap.Directory.FullPath).Order(StringComparer.Ordinal))
        {
            if (StoreNames.IsIndex(name, out uint number))
            {
                Look(name, number, facts, cores, found);
            }
        }

        // Before anything changes: facts of before are none. A power cut that brings the name back brings another recovery count.
        if (!Fault.CacheFactsKept && Provider.Exists(FactsPath))
        {
            Provider.Delete(FactsPath);
        }

        Fault.Stop(StopPoint.CacheFactsTaken);

        // The facts of segments are those of all tables together.
        bool areFactsWhole = facts is { HasLooseValues: false } && found.Count == facts.Tables.Count && found.TrueForAll(static table => table.Known is not null);
        if (areFactsWhole)
        {
            _live.AddRange(facts!.Segments.Where(fact => fact.Index < _core.Directory.Count && _core.Directory[fact.Index].Sequence == fact.Sequence));
        }

        foreach (FoundTable table in found)
        {
            Take(table, areFactsWhole, cores, owned);
        }

        Fault.Stop(StopPoint.CacheTablesTaken);
        _core.Cleaner.EnterRole();
        foreach (SegmentFact fact in _live)
        {
            Segment segment = _core.Directory[fact.Index];
            _core.Writers.Survivors.Dead.Add(fact.Index, -fact.LiveBytes);
            _cache.Facts.Restore(segment, fact.EndTicks, fact.Priorities);
            segment.HoldsSurvivors |= fact.HoldsSurvivors;
        }

        _core.Own(_cache);
        _core.AwaitsOwner = false;
        if (_core.IsCountedWhole && _heap.Upkeep.TableDamages == 0)
        {
            _core.Pool.UncountedSequence = 0;
        }

        _core.Cleaner.ExitRole();
        _live.Clear();
        if (!areFactsWhole)
        {
            owned.DeleteOrphans(cores);
        }
    }

    /// <summary>The first number, from one on, whose file's place is free: what no open has kept is removed from there, if that goes.</summary>
    internal int FreeNumberFrom(int table)
    {
        while (Provider.Exists(PathOf(table)))
        {
            TryDelete(_heap.Directory, PathOf(table));
            table += Provider.Exists(PathOf(table)) ? 1 : 0;
        }

        return table;
    }

    /// <summary>Creates the file of a new table's index.</summary>
    /// <exception cref="PileFullException">The device has no room for it.</exception>
    /// <exception cref="FileCallException">A call failed; nothing was changed.</exception>
    internal IndexFile Create(int table, ulong seed, PileTableOptions options)
    {
        string path = PathOf(table);
        StoreFile file = Provider.Open(path, FileOpening.CreateNew);
        IndexFile? made = null;
        try
        {
            IndexHeader header = Current(
                new IndexHeader { Table = table, Seed = seed, IndexBytes = BucketMemory.BytesOfFile(_core.Budget), Options = options }, IndexFile.FingerprintOf(file));
            if (!_heap.HasDiskRoom(IndexFile.PrefixBytes) || !file.TryAllocate(0, IndexFile.PrefixBytes))
            {
                throw new PileFullException($"'{path}': the device has no room for the index of a new table. Free space on it.", path: path);
            }

            made = new IndexFile(_memory, _heap, file, header);
            made.WriteHeader(header);
            made.Sync();
            Provider.SyncDirectory(_heap.Directory.FullPath);
            Fault.Stop(StopPoint.CacheIndexCreated);
            return made;
        }
        catch
        {
            IDisposable held = made as IDisposable ?? file;
            held.Dispose();
            TryDelete(_heap.Directory, path);
            throw;
        }
    }

    /// <summary>Says in all headers that the pile was cleared: until it is said, an open takes the tables for empty.</summary>
    internal void NoteCleared(IEnumerable<TableBase> tables)
    {
        foreach (TableBase table in tables)
        {
            IndexFile file = table.File!;
            _ = _heap.TryFiles(() => file.WriteHeader(file.Header with { FirstCountingSequence = Meta.FirstCountingSequence }));
        }
    }

    /// <summary>Makes the indexes durable, and writes what is known. All segments are sealed, and nobody is inside the pile.</summary>
    internal void Close(IReadOnlyList<TableBase> tables)
    {
        using var cores = new AllCores(Environment.ProcessorCount);
        var facts = new CacheFacts { Identity = Meta.Identity, RecoveryCount = Meta.RecoveryCount, FirstCountingSequence = Meta.FirstCountingSequence, HasLooseValues = _cache.HasLooseValues };
        var segments = new RepairCounts(_core.Directory.Count);
        foreach (TableBase table in tables)
        {
            IndexRepair repair = new(table.Id, table.Index, _core.Directory, Trust, static _ => true);
            repair.Run(cores);
            segments.Add(repair.Counts);
            table.File!.Sync();
            Fault.Stop(StopPoint.CacheIndexSynced);
            facts.Tables.Add(new TableFacts(table.Id, table.Index.Homes, repair.Counts.Entries, repair.Counts.Bytes, table.Index.Memory.ListFree(), SumsOf(table.Index.Memory, cores)));
        }

        foreach (SegmentFact fact in segments.Segments)
        {
            facts.Segments.Add(fact with { HoldsSurvivors = _core.Directory[fact.Index].HoldsSurvivors });
        }

        try
        {
            SideFiles.Write(Provider, _heap.Directory.FullPath, StoreNames.CacheFacts, facts.ToBytes());
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.NoSpace)
        {
            // Without it an open in this boot counts as after a kill, and a later one lets the tables start empty.
        }
    }

    private string PathOf(int table) => Path.Combine(_heap.Directory.FullPath, StoreNames.OfIndex((uint)table));

    /// <summary>The facts that were written when the cache was closed, if they are of now.</summary>
    private CacheFacts? ReadFacts()
    {
        if (!Provider.Exists(FactsPath))
        {
            return null;
        }

        CacheFacts? facts = null;
        using (StoreFile file = Provider.Open(FactsPath, FileOpening.ReadOnly))
        {
            if (file.Bytes <= Array.MaxLength)
            {
                byte[] bytes = new byte[file.Bytes];
                file.Read(0, bytes);
                _ = CacheFacts.TryRead(bytes, out facts, out _);
            }
        }

        return facts?.Identity == Meta.Identity && facts.RecoveryCount == Meta.RecoveryCount && facts.FirstCountingSequence == Meta.FirstCountingSequence ? facts : null;
    }

    /// <summary>Looks at one file: adds it to those that can be believed, or lets its table start empty.</summary>
    private void Look(string name, uint number, CacheFacts? facts, AllCores cores, List<FoundTable> found)
    {
        string path = Path.Combine(_heap.Directory.FullPath, name);
        IndexFile? file = TryOpen(path, number, out string? problem);
        if (file is not null && file.IsDropped)
        {
            // Deletes it as well.
            file.Dispose();
            return;
        }

        TableFacts? known = facts?.Tables.Find(table => table.Id == number);
        problem ??= ProblemOf(file!.Header, known is not null, file);
        BucketMemory? memory = null;
        uint homes = 0;
        try
        {
            memory = problem is null ? new BucketMemory(file!, _core.Budget, file!.Header.IndexBytes, file) : null;
            if (memory is not null && !memory.TryRestore(out homes, out problem) && problem is null)
            {
                throw new PileFullException($"'{path}': the limit leaves no room for the index of the table '{file!.Header.Options.Name}'. Raise it.", path: path);
            }

            problem ??= known is not null ? SumsProblem(known, homes, memory!, cores) : null;
        }
        catch
        {
            BucketMemory.Free(memory, file);
            throw;
        }

        if (problem is null)
        {
            found.Add(new FoundTable(file!, new TableIndex(memory!, homes), known));
            return;
        }

        _recovery.Add(new PileTableRecovery(file?.Header.Options.Name ?? name, IsKept: false, 0, problem));
        BucketMemory.Free(memory, file);
        TryDelete(_heap.Directory, path);
    }

    private IndexFile? TryOpen(string path, uint number, out string? problem)
    {
        StoreFile? file = null;
        try
        {
            file = Provider.Open(path, FileOpening.OpenExisting);
            byte[] block = new byte[IndexHeader.Bytes];
            problem = $"its {file.Bytes} bytes are too few";
            if (file.Bytes >= IndexFile.PrefixBytes)
            {
                file.Read(0, block);
                if (IndexHeader.TryRead(block, out IndexHeader? header, out problem) && header.Identity == Meta.Identity && header.Table == number)
                {
                    return new IndexFile(_memory, _heap, file, header);
                }

                problem ??= "it belongs to another pile, or is another table's copy";
            }
        }
        catch (IOException failure) when (failure is not FileCallException || failure is FileCallException { Failure: FileFailure.WrongKind or FileFailure.Missing })
        {
            // Any other failure of a call says nothing about the file.
            problem = failure.Message;
        }
        catch
        {
            file?.Dispose();
            throw;
        }

        file?.Dispose();
        return null;
    }

    /// <summary>Why an index can't be believed, or null.</summary>
    private string? ProblemOf(IndexHeader header, bool hasFacts, IndexFile file) =>
        Fault.CacheCutBelieved ? null
        : header.RecoveryCount != Meta.RecoveryCount ? "the power was cut, or the machine stopped, while it was in use"
        : header.FirstCountingSequence != Meta.FirstCountingSequence ? "the pile was cleared"
        : hasFacts ? null
        : header.BootId != Provider.BootId || header.BootId == Guid.Empty ? "it was not closed in order before the machine started anew"
        : header.FileFingerprint != file.Fingerprint ? "it was not closed in order, and its file is not the same file any more"
        : null;

    private static string? SumsProblem(TableFacts known, uint homes, BucketMemory memory, AllCores cores) =>
        homes == known.Homes && SumsOf(memory, cores).AsSpan().SequenceEqual(known.Sums) ? null : "its index is not what it was when it was closed";

    private static uint[] SumsOf(BucketMemory memory, AllCores cores)
    {
        List<(uint First, uint Count)> stretches = TableFacts.Stretches(memory);
        uint[] sums = new uint[stretches.Count];
        cores.Run(sums.Length, piece => sums[piece] = memory.Sum(stretches[piece].First, stretches[piece].Count));
        return sums;
    }

    private void Take(FoundTable found, bool areFactsWhole, AllCores cores, OwnedValues owned)
    {
        (IndexFile file, TableIndex index, TableFacts? known) = found;
        int id = file.Header.Table;
        file.WriteHeader(Current(file.Header, file.Fingerprint));
        TableBase table = _cache.Restore(id, file.Header.Seed, file.Header.Options, index, file);
        long[] entries;
        string reason = "it had been closed in order";
        if (known is not null && areFactsWhole)
        {
            index.Memory.RestoreFree(known.Free);
            entries = known.Entries;
            table.Counts.Restore(entries, known.Bytes);
            owned.KeepAllOf(id);
        }
        else
        {
            IndexRepair repair = new(id, index, _core.Directory, Trust, pointer => _cache.Pile.Reads.TryFind(pointer, out _));
            repair.Run(cores);
            entries = repair.Counts.Entries;
            table.Counts.Restore(entries, repair.Counts.Bytes);
            owned.Keep(id, repair.Counts.Owned);
            _live.AddRange(repair.Counts.Segments);
            reason = known is not null ? reason
                : $"its process ended without closing it, in this boot of the machine; {repair.Counts.Unlocked} buckets were being changed, {repair.Counts.Dropped} cells led nowhere";
        }

        _recovery.Add(new PileTableRecovery(file.Header.Options.Name, IsKept: true, entries.Sum(), reason));
    }

    /// <summary>A header with what holds now.</summary>
    private IndexHeader Current(IndexHeader header, ulong fingerprint) => header with
    {
        Identity = Meta.Identity,
        RecoveryCount = Meta.RecoveryCount,
        FirstCountingSequence = Meta.FirstCountingSequence,
        BootId = Provider.BootId,
        FileFingerprint = fingerprint,
    };
}
