// The files of a cache in a pile's directory: an index for each table, and what was known when it was closed in order. An open keeps a
// table whose index can be believed (it was closed in order and is what it was then, or its process was killed in this boot of the
// machine over this very file), and lets any other start empty: a speculative table may lose its entries, and must not show a wrong one.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Cleaning;
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
    private readonly IndexFiles _indexes;
    private readonly List<PileTableRecovery> _recovery = [];
    private readonly ClosingFacts _facts;
    private readonly List<SegmentFact> _live = [];
    private readonly List<(TableBase Table, string Reason)> _durable = [];
    private SlotWalk? _walked;

    internal CacheFiles(DurableHeap heap, CacheCore<DurableRecord> cache, RegionProvider memory)
    {
        _heap = heap;
        _core = heap.Core;
        _cache = cache;
        _indexes = new IndexFiles(heap, memory);
        _facts = new ClosingFacts(heap, cache);
        Tables = new DurableTables(heap);
        Trust = new RecordTrust(_core);
    }

    /// <summary>What is known of entries of before the open.</summary>
    internal RecordTrust Trust { get; }

    /// <summary>The durable tables.</summary>
    internal DurableTables Tables { get; }

    /// <summary>What became of the tables that were there.</summary>
    internal IReadOnlyList<PileTableRecovery> Recovery => _recovery;

    private FileProvider Provider => _heap.Directory.Files;

    private MetaSlot Meta => _heap.Directory.Meta;

    /// <summary>Takes the tables of the directory into the cache, and then the cache's records into the pile's counts: until nothing can fail any more
    /// neither cleaner nor keeper knows of the cache, which its caller can so free at once.</summary>
    /// <exception cref="PileFullException">The device has no room for the indexes.</exception>
    internal void Attach()
    {
        CacheFacts? facts = _facts.Read();
        using var cores = new AllCores(Environment.ProcessorCount);
        var walk = new SlotWalk(_core, _cache, Tables);
        List<FoundTable> found = [];
        try
        {
            TakeAll(facts, cores, walk, found);
            found.ForEach(static table => table.File.IsRecovery = false);
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

    /// <summary>Deletes what was found to be nobody's. Once the cache is the pile's: one that fails here is left to the next that comes.</summary>
    internal void DeleteUnowned()
    {
        _walked?.DeleteUnowned();
        _walked = null;
    }

    private static bool CanBe(SegmentFact fact, SegmentDirectory directory) =>
        (uint)fact.Index < (uint)directory.Count && fact.LiveBytes >= 0 && (directory[fact.Index].Sequence != fact.Sequence || fact.LiveBytes <= directory[fact.Index].WrittenBytes);

    /// <summary>An empty index for a durable table that has none.</summary>
    private FoundTable Anew(DurableRow row)
    {
        var attempt = default(RoomAttempt);
        while (true)
        {
            IndexFile file = _indexes.Create(row.Table, row.Seed, row.Options, isRecovery: true);
            if (TableIndex.TryCreate(file, _core.Budget, file, passesLimit: true) is { } index)
            {
                return new FoundTable(file, index, null);
            }

            _cache.MakeRoomForTable(row.Options.Name, ref attempt);
        }
    }

    /// <summary>Refuses to come over a damaged object table: what is set while its entry can't be found stands beside that when the next open has it back.</summary>
    private void RefuseDamaged()
    {
        if (_heap.Upkeep.Recounting.TableDamages is > 0 and var damages)
        {
            throw new PileCorruptedException(
                $"'{_heap.Directory.FullPath}': {damages:N0} entries of the pile's object table are damaged, and what is set in a cache now could be lost to what they led to. No entry was changed: close the pile and open it again, which builds the table anew, then open the cache. Where that open is refused, it is a record that is damaged: 'pile recover' brings all others into a new directory.",
                path: _heap.Directory.FullPath);
        }
    }

    private void TakeAll(CacheFacts? facts, AllCores cores, SlotWalk walk, List<FoundTable> found)
    {
        if (Tables.Rows.Count > 0)
        {
            RefuseDamaged();
        }

        foreach (string name in Provider.List(_heap.Directory.FullPath).Order(StringComparer.Ordinal))
        {
            if (StoreNames.IsIndex(name, out uint number))
            {
                Look(name, number, facts, cores, found);
            }
        }

        // A durable table is there whatever became of its index.
        foreach (DurableRow row in Tables.Rows.Where(row => !found.Exists(table => table.File.Header.Table == row.Table)).ToList())
        {
            found.Add(Anew(row));
        }

        // The facts of segments are those of all tables together.
        bool areFactsWhole = facts is { HasLooseValues: false } && found.Count == facts.Tables.Count && found.TrueForAll(static table => table.Known is not null) && walk.AreMarked(facts.Shared)
            && facts.Segments.TrueForAll(fact => CanBe(fact, _core.Directory));
        if (areFactsWhole)
        {
            _live.AddRange(facts!.Segments.Where(fact => _core.Directory[fact.Index].Sequence == fact.Sequence));
        }

        foreach (FoundTable table in found)
        {
            if (Tables.Find(table.File.Header.Table) is { } row)
            {
                TakeDurable(table, row, isBuilt: table.Known is not null && facts is { HasLooseValues: false }, facts?.Tables.Find(known => known.Id == row.Table)?.Version ?? 0, walk);
            }
            else
            {
                Take(table, areFactsWhole, cores, walk);
            }
        }

        Fault.Stop(StopPoint.CacheTablesTaken);
        if (areFactsWhole)
        {
            _cache.Shared.Restore(facts!.Shared);
        }
        else
        {
            walk.Run(cores);
            if (walk.HasLost && Tables.Rows.Count > 0)
            {
                // The count says so in meta, by which the next open goes.
                _core.RoomForWrites.CountNow();
                _core.WaitCounted();
                RefuseDamaged();
            }

            _walked = walk;
        }

        NoteRecovered();

        // Of a cache that did not come they are what the next one begins with.
        _facts.Forget();
        Fault.Stop(StopPoint.CacheFactsTaken);
        Show(areFactsWhole ? null : walk);
    }

    /// <summary>Makes the cache the pile's: from here on keeper, cleaner and writers without room are led to it. Whole, or not at all.</summary>
    private void Show(SlotWalk? walk)
    {
        // The role, because it holds the survivors' writer, whose counts change, and because no pass may be half without an owner.
        _core.Cleaner.EnterRole();
        try
        {
            // What may want memory comes first, and is the cache's alone. The pile was in use meanwhile, and a segment may be another one by now.
            _ = _live.RemoveAll(fact => _core.Directory[fact.Index].Sequence != fact.Sequence);
            foreach (SegmentFact fact in _live)
            {
                _cache.Facts.Restore(_core.Directory[fact.Index], fact.EndTicks, fact.Priorities);
                _core.Writers.Survivors.Dead.Add(fact.Index, 0);
            }

            walk?.NoteEnds();
            foreach (SegmentFact fact in _live)
            {
                _core.Writers.Survivors.Dead.Add(fact.Index, -fact.LiveBytes);
                _core.Directory[fact.Index].HoldsSurvivors |= fact.HoldsSurvivors;
            }

            _core.Own(_cache);
            _core.AwaitsOwner = false;
            foreach (TableBase table in _cache.Indexed())
            {
                table.Index.Memory.PassesLimit = false;
            }

            if (_cache.Shared.Due > 0)
            {
                _core.Keeper.Begin();
            }

            _core.Pool.NoteTaken();

            if (_core.IsCountedWhole && _heap.Upkeep.Recounting.TableDamages == 0)
            {
                _core.Pool.Sequences.Uncounted = 0;
            }
        }
        finally
        {
            _core.Cleaner.ExitRole();
        }

        _live.Clear();
    }

    /// <summary>The first number, from one on, that no table has, nor a durable one ever had: of what no open has kept the file is removed.</summary>
    internal int FreeNumberFrom(int table) => _indexes.FreeNumberFrom(int.Max(table, Tables.NumbersEnd));

    /// <inheritdoc cref="IndexFiles.Create"/>
    internal IndexFile Create(int table, HashSeed seed, PileTableOptions options) => _indexes.Create(table, seed, options);

    /// <summary>Says in all headers that the pile was cleared: until it is said, an open takes the tables for empty.</summary>
    internal void NoteCleared(IEnumerable<TableBase> tables)
    {
        foreach (TableBase table in tables)
        {
            IndexFile file = table.File!;
            _ = _heap.TryFiles(() => file.WriteHeader(file.Header with { FirstCountingSequence = Meta.FirstCountingSequence }));
        }
    }

    /// <inheritdoc cref="ClosingFacts.Write"/>
    internal void Close(IReadOnlyList<TableBase> tables) => _facts.Write(tables, Trust);

    /// <summary>Looks at one file: adds it to those that can be believed, or lets its table start empty, or be built anew where it is a
    /// durable one.</summary>
    private void Look(string name, uint number, CacheFacts? facts, AllCores cores, List<FoundTable> found)
    {
        string path = Path.Combine(_heap.Directory.FullPath, name);
        IndexFile? file = _indexes.TryOpen(path, number, out string? problem);
        DurableRow? row = Tables.Find((int)number);
        if (row is null && file is { IsDropped: true })
        {
            // Deletes it as well.
            file.Dispose();
            return;
        }

        bool isDurable = row is not null || file is { Header.Options.Kind: PileTableKind.Durable };
        if (isDurable && !Tables.IsThere)
        {
            file!.Dispose();
            throw new PileCorruptedException(
                $"'{Tables.FullPath}' is missing, and '{path}' is the index of the durable table '{file.Header.Options.Name}', which it should name. Restore the file. Nothing was changed.", path: Tables.FullPath);
        }

        TableFacts? known = facts?.Tables.Find(table => table.Id == number);
        problem ??= isDurable ? _indexes.ProblemOfDurable(row, file!, known is not null) : _indexes.ProblemOf(file!.Header, known is not null, file);
        BucketMemory? memory = null;
        uint homes = 0;
        try
        {
            memory = problem is null ? new BucketMemory(file!, _core.Budget, file!.Header.IndexBytes, file) : null;
            _ = memory?.TryRestore(out homes, out problem);
            problem ??= known is not null ? IndexFiles.SumsProblem(known, homes, memory!, cores) : null;
            if (problem is not null)
            {
                file?.Refuse();
            }
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

        if (!isDurable)
        {
            _recovery.Add(new PileTableRecovery(file?.Header.Options.Name ?? name, IsKept: false, 0, problem));
        }

        BucketMemory.Free(memory, file);
        if (file is null)
        {
            // One that stays is known by its own bytes for what it is.
            _ = SideFiles.TryDelete(Provider, path);
        }
    }

    private void TakeDurable(FoundTable found, DurableRow row, bool isBuilt, long version, SlotWalk walk)
    {
        (IndexFile file, TableIndex index, TableFacts? known) = found;
        file.WriteHeader(_indexes.Current(file.Header with { Options = row.Options }, file.Fingerprint));
        var table = (TableCore<DurableRecord>)_cache.Restore(row.Table, row.Seed, row.Options, index, file);
        table.Slots!.Era = row.Era;

        // Where the index is not believed too.
        table.Slots.GoOnBehind(version);
        if (isBuilt)
        {
            index.Memory.RestoreFree(known!.Free);
            table.Counts.Restore(known.Entries, known.Bytes);
        }
        else
        {
            index.Reset();
        }

        walk.Add(table, isBuilt);
        _durable.Add((table, isBuilt ? "it had been closed in order" : "its index was built anew from its entries"));
    }

    /// <summary>Says what became of durable tables, once their entries are known.</summary>
    private void NoteRecovered()
    {
        foreach ((TableBase table, string reason) in _durable)
        {
            _recovery.Add(new PileTableRecovery(table.Options.Name, IsKept: true, table.Counts.Entries, reason));
        }

        _durable.Clear();
    }

    private void Take(FoundTable found, bool areFactsWhole, AllCores cores, SlotWalk walk)
    {
        (IndexFile file, TableIndex index, TableFacts? known) = found;
        int id = file.Header.Table;
        file.WriteHeader(_indexes.Current(file.Header, file.Fingerprint));
        TableBase table = _cache.Restore(id, file.Header.Seed, file.Header.Options, index, file);
        long[] entries;
        string reason = "it had been closed in order";
        if (known is not null && areFactsWhole)
        {
            index.Memory.RestoreFree(known.Free);
            entries = known.Entries;
            table.Counts.Restore(entries, known.Bytes);
            walk.KeepAllOf(id);
        }
        else
        {
            IndexRepair repair = new(id, index, _core.Directory, Trust, _cache.Shared.IsObject) { Changing = _facts.Forget };
            repair.Run(cores);
            entries = repair.Counts.Entries;
            table.Counts.Restore(entries, repair.Counts.Bytes);
            walk.Keep(id, repair.Counts);
            _live.AddRange(repair.Counts.Segments);
            reason = known is not null ? reason
                : $"its process ended without closing it, in this boot of the machine; {repair.Counts.Unlocked} buckets were being changed, {repair.Counts.Dropped} cells led nowhere";
        }

        _recovery.Add(new PileTableRecovery(file.Header.Options.Name, IsKept: true, entries.Sum(), reason));
    }
}
