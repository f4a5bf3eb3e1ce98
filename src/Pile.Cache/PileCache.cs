// The cache: a pile of its own, or a part in one that is shared, and named tables in it. What tables do is PileTable's.
// It owns no thread: expiry and eviction ride on the pile's cleaner.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Security.Cryptography;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Cache.Keys;
using Pile.Cache.Tags;
using Pile.Cleaning;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>A cache outside the garbage-collected heap, in named tables.</summary>
/// <remarks>All members are thread-safe. Memory stays within the limit whatever is stored: speculative entries leave to make room,
/// durable ones never do. An entry is never shown after its end, whether or not anything has removed it. S3-FIFO on log-structured
/// memory: Yang et al., SOSP 2023; Rumble et al., FAST 2014.</remarks>
public sealed class PileCache : IDisposable
{
    private readonly Dictionary<string, object> _tables;
    private readonly Lock _tablesLock = new();
    private readonly CacheBase _core;
    private readonly bool _ownsPile;
    private volatile bool _hasEnded;

    private PileCache(ObjectPile pile, PileCacheOptions options, RegionProvider? regions, bool ownsPile)
    {
        Pile = pile;
        _ownsPile = ownsPile;
        using var care = new CareScope(pile.Core);
        lock (pile.Core.KeyedComing)
        {
            _core = CacheComing.Come(pile, options, regions ?? RegionProvider.Default, out _tables);
            _core.Tags.Tables = _core.IndexedBy;
        }

        if (_core.Files is not null)
        {
            try
            {
                new TagTable(this, _core.Tags, pile.Durable!.Core.OpenedSequence << CacheLimits.StampsOfSegmentBits).Attach();
            }
            catch
            {
                CacheComing.Leave(pile, _core, _tables);
                throw;
            }
        }

        CacheMetrics.Introduce(this);
    }

    /// <summary>The pile that the entries are in. Objects may be put into it beside them; they share its memory limit.</summary>
    public ObjectPile Pile { get; }

    /// <summary>Creates a cache with a pile of its own.</summary>
    /// <param name="options">Options, or null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static PileCache Create(PileCacheOptions? options = null) => Create(options ?? new PileCacheOptions(), tiny: null);

    /// <summary>Opens or creates a cache with a pile of its own in a directory, with the tables that are there: they keep their entries
    /// through a clean stop and through the end of the process; after a power cut speculative ones start empty.</summary>
    /// <param name="path">The directory; missing ones above it are created with it.</param>
    /// <param name="options">Options, or null for the defaults. MemoryLimitBytes is the most that the files take. Where they take more already,
    /// entries of speculative tables leave until they do not: in the background, and as others are stored.</param>
    /// <exception cref="ArgumentException">The path is empty, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">MemoryLimitBytes is less than what nothing evicts: durable tables, and objects put into the pile.
    /// Nothing was lost, and the message says how much that is.</exception>
    /// <exception cref="IOException">What <see cref="ObjectPile.Open(string, PileOptions?)"/> throws, as the other kinds that it names.</exception>
    /// <exception cref="PileException">The directory is another process's, damaged, or of a newer version.</exception>
    public static PileCache Open(string path, PileCacheOptions? options = null) => Open(path, options ?? new PileCacheOptions(), tiny: null);

    /// <summary>Creates a cache in a pile that holds other objects too. The pile's options stay as they are, its limit holds for both,
    /// and its objects may make entries leave. Disposing the cache leaves the pile open.</summary>
    /// <param name="pile">A pile; the tables of one in files are there again with it.</param>
    /// <param name="options">Options, or null for the defaults: the clock. A limit is refused, and of the others the pile has its own.</param>
    /// <exception cref="ArgumentException">The pile is opened for reading alone, or the options have a limit.</exception>
    /// <exception cref="InvalidOperationException">The pile has a cache already.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public static PileCache Share(ObjectPile pile, PileCacheOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(pile);
        if (options?.MemoryLimitBytes is { } limit)
        {
            throw new ArgumentException($"MemoryLimitBytes = {limit:N0} is for a cache with a pile of its own: here the pile's limit holds. Give tables a MaximumBytes to keep entries below it.", nameof(options));
        }

        return new PileCache(pile, options ?? new PileCacheOptions(), regions: null, ownsPile: false);
    }

    /// <summary>All tables but the cache's own, those included that were not asked for yet.</summary>
    internal IEnumerable<TableBase> Tables => _core.Indexed().Where(static table => !table.IsLeft && !TagTable.IsName(table.Options.Name));

    internal CacheBase Core => _core;

    /// <summary>Whether the cache, or its pile, was disposed.</summary>
    internal bool HasEnded => _hasEnded || _core.Heap.IsDisposed;

    /// <summary>What became of the tables that were found in the directory; empty in memory.</summary>
    public IReadOnlyList<PileTableRecovery> Recovery => _core.Files?.Recovery.Where(static table => !TagTable.IsName(table.Name)).ToArray() ?? [];

    /// <summary>Creates a cache whose pile has the given internal options where the cache's say nothing.</summary>
    internal static PileCache Create(PileCacheOptions options, PileOptions? tiny)
    {
        PileOptions pileOptions = PileOptionsOf(options, tiny, isInFiles: false);
        return Own(ObjectPile.Create(pileOptions), options, pileOptions.Regions);
    }

    /// <summary>Opens a cache whose pile has the given internal options where the cache's say nothing.</summary>
    internal static PileCache Open(string path, PileCacheOptions options, PileOptions? tiny)
    {
        PileOptions pileOptions = PileOptionsOf(options, tiny, isInFiles: true);
        return Own(ObjectPile.Open(path, pileOptions), options, pileOptions.Regions);
    }

    /// <summary>A cache on a pile that was opened for it with <see cref="PileOptionsOf"/>, and ends with it. In a directory the pile comes
    /// with a limit that the device gives, has none while indexes come, where others may have filled the device, and then the cache's.</summary>
    internal static PileCache Own(ObjectPile pile, PileCacheOptions options, RegionProvider? regions)
    {
        try
        {
            pile.Durable?.Core.Budget.LimitByTaken(static _ => Limits.FlatSpaceBytesMax * 2);
            var cache = new PileCache(pile, options, regions, ownsPile: true);
            if (pile.Durable is not null)
            {
                FilesLimit.Set(cache._core, options.MemoryLimitBytes, regions ?? RegionProvider.Default);
            }

            return cache;
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    /// <summary>The options of the pile that a cache has for itself.</summary>
    internal static PileOptions PileOptionsOf(PileCacheOptions options, PileOptions? tiny, bool isInFiles)
    {
        PileOptions pileOptions = (tiny ?? new PileOptions()) with
        {
            MemoryLimitBytes = options.MemoryLimitBytes ?? tiny?.MemoryLimitBytes,
            BackgroundCleaning = options.BackgroundCleaning,
            UsedOverLive = options.UsedOverLive,
            TimeProvider = tiny?.TimeProvider ?? TimeProvider.System,
            Codecs = options.Codecs,
        };
        if (tiny is null)
        {
            // Segments by the limit, and not by what the pile holds: it will be full. Huge pages from the first one on, where they fit.
            long limit = pileOptions.MemoryLimitBytes ?? HeapBase.DefaultLimit(RegionProvider.Default);
            long leastBytes = isInFiles ? Limits.SegmentBytesMin : long.Clamp(limit / CacheLimits.SegmentsPerCacheMin, CacheLimits.SegmentBytesMin, Limits.SegmentBytesMin);
            int segmentBytes = 1 << BitOperations.Log2((ulong)long.Clamp(limit / CacheLimits.SegmentsPerCache, leastBytes, Limits.SegmentBytesMax));
            pileOptions = pileOptions with { SegmentBytesMin = int.Min(segmentBytes, Limits.HugePageBytes), SegmentBytesMax = int.Max(segmentBytes, Limits.SegmentBytesMin) };
        }

        if (!isInFiles)
        {
            return pileOptions;
        }

        // Without a limit: files that take more than it must be open before entries can leave. Own sets it.
        pileOptions.RefuseLimitBelowMin();
        return pileOptions with { DiskLimitBytes = null, MemoryLimitBytes = null, FlatSpaceLimitBytes = pileOptions.MemoryLimitBytes, Promise = options.Promise ?? tiny?.Promise };
    }

    /// <summary>The table of a name, made if there is none.</summary>
    /// <typeparam name="TKey">The type of keys: strings, byte[], unmanaged values, others by codec.</typeparam>
    /// <typeparam name="TValue">The type of values: all that a pile stores.</typeparam>
    /// <param name="name">The name, 1 to 256 chars; compared ordinally.</param>
    /// <param name="options">Options of a table that is made; one that exists keeps its own, kind and comparer must agree, and what else differs
    /// is told once, by the event TableOptionsIgnored. Null: the table as it is, and the defaults for one that is made; one of another comparer is asked for with it.</param>
    /// <exception cref="ArgumentException">The name is empty, too long or no well-formed text, an option is out of its range, or the comparer is of
    /// other keys, or a plain one in a directory; or the keys are structs whose fields a program that is compiled whole ahead of time does not see; or those of a durable table in a directory hold items in the order of hash codes that are of one process (ImmutableHashSet, FrozenDictionary and the like).</exception>
    /// <exception cref="PileTypeMismatchException">The table exists with other types, another kind or another comparer, or is a durable one with some keys of another version of their type (<see cref="PileTableOptions.TakesFormerKeys"/>).</exception>
    /// <exception cref="PileFullException">The limit has no room for the table's index.</exception>
    /// <exception cref="IOException">A call of the table's file failed; there is no new table. As the other kinds that <see cref="Open(string, PileCacheOptions?)"/> names.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public PileTable<TKey, TValue> GetOrCreateTable<TKey, TValue>(string name, PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        NameText.Require(nameof(name), "A table's", name);
        if (TagTable.IsName(name))
        {
            throw new ArgumentException("The name is that of a table of the cache's own. Use another.", nameof(name));
        }

        options?.Validate();
        return OwnTable<TKey, TValue>(name, options);
    }

    /// <summary>The table of a name, which may be one of the cache's own.</summary>
    internal PileTable<TKey, TValue> OwnTable<TKey, TValue>(string name, PileTableOptions? options)
        where TKey : notnull
        where TValue : notnull
    {
        var attempt = default(RoomAttempt);
        while (true)
        {
            if (TryOwnTable<TKey, TValue>(name, options) is { } table)
            {
                return table;
            }

            // A full cache is a cache's usual state: entries leave for a table's index as for anything else.
            _core.MakeRoomForTable(name, ref attempt);
        }
    }

    /// <returns>Null where the limit leaves no room for the index of a new one.</returns>
    private PileTable<TKey, TValue>? TryOwnTable<TKey, TValue>(string name, PileTableOptions? options)
        where TKey : notnull
        where TValue : notnull
    {
        lock (_tablesLock)
        {
            ObjectDisposedException.ThrowIf(HasEnded, this);
            if (_tables.TryGetValue(name, out object? present))
            {
                if (present is not PileTable<TKey, TValue> table || !TableAgreement.IsSame(table.Parts.Options, options))
                {
                    throw TableAgreement.Other<TKey, TValue>(name, (IPileTableCore)present, options);
                }

                TableAgreement.SayIgnored(Pile, table.Parts, options);
                return table;
            }

            PileTableOptions made = (options ?? new PileTableOptions()) with { Name = name, Comparer = PileKeyComparers.For<TKey>(options?.Comparer, Pile, isInFiles: _core.Files is not null), KeyType = _core.Files is null ? string.Empty : TypeMarks.NameOf<TKey>(), ValueType = _core.Files is null ? string.Empty : TypeMarks.NameOf<TValue>() };
            if (_core.FindDormant(name) is { } dormant)
            {
                TableAgreement.RefuseOther<TKey, TValue>(dormant.Options, made, options is not null);
                FormerKeys.Refuse<TKey>(Pile, _core.DoorTo(dormant), made);
                PileTableOptions woken = TypeMarks.Woken(dormant.Options, made, isGiven: options is not null, dormant.Seed.IsFormer);
                var found = new PileTable<TKey, TValue>(this, _core.Wake(dormant, woken));
                _tables.Add(name, found);
                return found;
            }

            try
            {
                ProcessOrder.Refuse<TKey>(Pile, made.Kind, _core.Files is not null);
                var seed = new HashSeed(BinaryPrimitives.ReadUInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(ulong))));
                if (_core.TryAddTable(made, seed) is not { } table)
                {
                    return null;
                }

                var added = new PileTable<TKey, TValue>(this, table);
                _tables.Add(name, added);
                return added;
            }
            catch (FileCallException failure)
            {
                throw DirectoryErrors.For(failure, isOfPile: true);
            }
        }
    }

    /// <summary>A table of the files by the bytes of its keys, for who has not its types; null where there is none. By these it can't be asked for then.</summary>
    internal PileTable<byte[], byte[]>? StoredTable(string name)
    {
        lock (_tablesLock)
        {
            if (!_tables.ContainsKey(name) && !TagTable.IsName(name) && _core.FindDormant(name) is { } dormant)
            {
                _tables.Add(name, new PileTable<byte[], byte[]>(this, _core.Wake(dormant, PileKeyComparers.Known(dormant.Options))));
            }

            return _tables.GetValueOrDefault(name) as PileTable<byte[], byte[]>;
        }
    }

    internal bool HasOwnTable(string name) => _tables.ContainsKey(name) || _core.FindDormant(name) is not null;

    /// <summary>Drops a table with all its entries. References to it answer ObjectDisposed from now on.</summary>
    /// <param name="name">The name.</param>
    /// <returns>False when there is no such table.</returns>
    /// <remarks>Takes time in proportion to the table's entries. Those of a durable table in a full directory for whose removal there is no room yet, as while somebody
    /// reads (a lease, a pin), are removed later, in the background or by who needs room.</remarks>
    public bool DropTable(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_tablesLock)
        {
            ObjectDisposedException.ThrowIf(HasEnded, this);
            TableBase? table = TagTable.IsName(name) ? null
                : _tables.TryGetValue(name, out object? present) ? ((IPileTableCore)present).Core.Parts : _core.FindDormant(name);
            if (table is null)
            {
                return false;
            }

            try
            {
                _core.Drop(table);
            }
            finally
            {
                // Where the drop was refused, the table is there under its name as before.
                _ = table.IsDropped && _tables.Remove(name);
            }

            return true;
        }
    }

    /// <summary>Removes the entries of all tables that have a tag; "*" for all entries.</summary>
    internal void RemoveTagged(string tag)
    {
        if (tag != TagHash.All)
        {
            // Without the lock of tables: the first removal makes a table of its own, as the first entry with tags does.
            ObjectDisposedException.ThrowIf(HasEnded, this);
            _core.Tags.Remove(TagStamps.AllTables, tag);
            return;
        }

        IPileTableCore[] tables;
        var all = new ClearOfAll(() => HasEnded);
        lock (_tablesLock)
        {
            ObjectDisposedException.ThrowIf(HasEnded, this);
            tables = [.. _tables.Where(static table => !TagTable.IsName(table.Key)).Select(static table => (IPileTableCore)table.Value)];
            Array.ForEach([.. _core.Dormant().Where(static table => !TagTable.IsName(table.Options.Name))], dormant => all.Clear(dormant.Clear));
        }

        Array.ForEach(tables, table => all.Clear(table.Clear));
        all.ThrowFirst();
    }

    /// <summary>Names of the tables.</summary>
    public IReadOnlyList<string> TableNames
    {
        get
        {
            lock (_tablesLock)
            {
                return [.. _tables.Keys.Concat(_core.Dormant().Select(static table => table.Options.Name)).Where(static name => !TagTable.IsName(name))];
            }
        }
    }

    /// <summary>What the cache holds and has done.</summary>
    /// <remarks>Figures of slightly different moments while others are at work.</remarks>
    public PileCacheStatistics GetStatistics()
    {
        PileStatistics pile = Pile.GetStatistics();
        return _core.Sum(new PileCacheStatistics { UsedBytes = pile.UsedBytes, MemoryLimitBytes = pile.MemoryLimitBytes, IndexBytes = _core.TakenBytes, GhostHits = _core.Ghosts.Returned, SharedObjects = _core.Shared.Count, DamagedEntries = _core.Files?.Trust.Damaged ?? 0 });
    }

    /// <summary>Ends the cache. A pile of its own is disposed with it; a shared one keeps the memory of the entries until it is cleared
    /// or disposed itself, and one in files has the tables again when it is opened with a cache the next time.</summary>
    /// <exception cref="PileBusyException">Leases outlasted the wait.</exception>
    public void Dispose()
    {
        CacheMetrics.Leave(this);
        if (_ownsPile)
        {
            Pile.Dispose();
            return;
        }

        lock (_tablesLock)
        {
            _hasEnded = true;
            if (_core.Heap.IsDisposed)
            {
                return;
            }

            foreach (object table in _tables.Values)
            {
                TableBase parts = ((IPileTableCore)table).Core.Parts;
                if (_core.Files is not null)
                {
                    // References answer Disposed. The entries are the pile's until it is closed, and in its files afterwards.
                    parts.IsDropped = true;
                    parts.Watchers.End();
                    continue;
                }

                _core.Drop(parts);
            }

            _tables.Clear();
        }
    }
}
