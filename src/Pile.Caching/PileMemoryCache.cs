// IMemoryCache on a table: what is cached is a snapshot, not the object itself. docs/FROM-MEMORYCACHE.md says member by member what holds and
// what does not; what does not is refused, never ignored.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pile.Cache;

namespace Pile.Caching;

/// <summary>A cache of this process, or of its directory, as <see cref="IMemoryCache"/>.</summary>
/// <remarks>Thread-safe. Each read gives a new object, equal to the one that was stored. Keys are compared by what they hold, as it is stored:
/// text, numbers, <see cref="Guid"/>, enums, records and tuples of these are good keys. Change tokens are refused, and keys that hold nothing, as <c>new object()</c>.</remarks>
public sealed class PileMemoryCache : IMemoryCache
{
    /// <summary>Stands for null, which a table can't hold. Nothing is lost: a bare object is refused as a value.</summary>
    private static readonly object _null = new();

    private readonly LazyTable<object, object> _table;
    private readonly ILogger _logger;
    private MemoryCallbacks? _callbacks;
    private bool _isDisposed;

    /// <summary>An adapter on a cache.</summary>
    /// <param name="cache">The cache; it stays the caller's.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    public PileMemoryCache(PileCache cache, PileMemoryCacheOptions? options = null)
        : this(() => cache, options ?? new PileMemoryCacheOptions(), services: null) => ArgumentNullException.ThrowIfNull(cache);

    internal PileMemoryCache(Func<PileCache> cache, PileMemoryCacheOptions options, IServiceProvider? services)
    {
        _table = options.TableOf<object, object>(cache);
        _logger = services?.GetService<ILoggerFactory>()?.CreateLogger(CacheLog.Category) ?? (ILogger)NullLogger.Instance;
    }

    private PileTable<object, object> Table
    {
        get
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
            return _table.Value;
        }
    }

    /// <inheritdoc/>
    /// <remarks>False too for an entry of before the last start whose type the program has not used yet: <c>cache.Pile.Types</c> tells it. The entry
    /// stays, and is read once the type is known. So it is where a codec of the program, or a callback of the entry's type, throws.</remarks>
    public bool TryGetValue(object key, out object? value)
    {
        PileTable<object, object> table = Table;
        MemoryKeys.RefuseBare(key);
        bool isThere = false;
        try
        {
            isThere = table.TryLease(key, out PileLease lease);
            if (isThere && table.Read(lease, out object? stored))
            {
                value = stored.GetType() == typeof(object) ? null : stored;
                return true;
            }
        }
#pragma warning disable CA1031 // Whatever reading the value throws, a codec or a callback of its type, it can be made anew; it is told. What is wrong with the key goes through.
        catch (Exception unreadable) when (unreadable is not ObjectDisposedException
            && (isThere || unreadable is PileException { Status: PileStatus.UnknownType or PileStatus.TypeMismatch or PileStatus.Corrupted }))
#pragma warning restore CA1031
        {
            string type = unreadable is PileUnknownTypeException unknown ? unknown.TypeName : "an object";
            CacheLog.Unreadable(_logger, $"{key}", table.Name, type, unreadable);
        }

        value = null;
        return false;
    }

    /// <inheritdoc/>
    public ICacheEntry CreateEntry(object key)
    {
        MemoryKeys.RefuseBare(key);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        return new MemoryEntry(this, key);
    }

    /// <inheritdoc/>
    public void Remove(object key)
    {
        PileTable<object, object> table = Table;
        MemoryKeys.RefuseBare(key);
        _ = table.Remove(key);
    }

    /// <inheritdoc/>
    /// <remarks>The size is that of the entries' records, in bytes.</remarks>
    public MemoryCacheStatistics GetCurrentStatistics()
    {
        PileCacheStatistics statistics = Table.GetStatistics();
        return new MemoryCacheStatistics
        {
            CurrentEntryCount = statistics.Entries,
            CurrentEstimatedSize = statistics.EntryBytes,
            TotalHits = statistics.Hits,
            TotalMisses = statistics.Misses,
        };
    }

    /// <summary>Ends the adapter, and the calls of eviction callbacks. The cache, and the entries in it, stay.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, true);
        Volatile.Read(ref _callbacks)?.Dispose();
    }

    /// <summary>Stores an entry.</summary>
    internal void Store(MemoryEntry entry)
    {
        if (entry.ExpirationTokens.Count > 0)
        {
            ThrowRefused(entry);
        }

        if (entry.Value is { } value && (value.GetType() == typeof(object) || value is Lock))
        {
            ThrowItself(value);
        }

        PileTable<object, object> table = Table;
        var terms = new PileEntryOptions
        {
            AbsoluteExpiration = entry.AbsoluteExpiration,
            TimeToLive = entry.AbsoluteExpirationRelativeToNow,
            SlidingExpiration = entry.SlidingExpiration,
            Priority = entry.Priority switch
            {
                CacheItemPriority.Low => PileCachePriority.Low,
                CacheItemPriority.High => PileCachePriority.High,
                CacheItemPriority.NeverRemove => PileCachePriority.NeverRemove,
                _ => PileCachePriority.Normal,
            },
        };
        PileSetResult Set() => table.Set(entry.Key, entry.Value ?? _null, terms);

        try
        {
            FullTable.Settle(table, entry.Key, bytes: -1, entry.PostEvictionCallbacks.Count == 0 ? Set() : CallbacksOf(table).Store(entry, Set));
        }
        catch (PileRefusedException refused)
        {
            throw new PileRefusedException(
                $"{refused.Message} Entries of {nameof(PileMemoryCache)} are snapshots: where a library keeps objects of its own in IMemoryCache, as the stock HybridCache does, leave that to MemoryCache and add this one with a key ({nameof(PileCachingServices.AddKeyedPileMemoryCache)}); {nameof(PileCachingServices.AddPileHybridCache)} adds a HybridCache that needs none. docs/FROM-MEMORYCACHE.md has the list.",
                refused.Offender,
                refused.GraphPath);
        }
    }

    private MemoryCallbacks CallbacksOf(PileTable<object, object> table)
    {
        if (Volatile.Read(ref _callbacks) is { } present)
        {
            return present;
        }

        var made = new MemoryCallbacks(table, _logger);
        made = Interlocked.CompareExchange(ref _callbacks, made, null) ?? made;
        if (Volatile.Read(ref _isDisposed))
        {
            // Whoever disposed this may not have found it.
            made.Dispose();
        }

        return made;
    }

    [DoesNotReturn]
    private static void ThrowItself(object value) => throw new PileRefusedException(
        $"{value.GetType().Name}: {value.GetType()} can't be stored: it is nothing but itself, and each read would give another one. Keep objects to lock on in a ConcurrentDictionary by the key, or leave the entry to MemoryCache. Nothing was stored. docs/FROM-MEMORYCACHE.md has the list.",
        value,
        value.GetType().Name);

    [DoesNotReturn]
    private static void ThrowRefused(MemoryEntry entry) => throw new NotSupportedException(
        $"The entry '{entry.Key}' has {entry.ExpirationTokens.Count} expiration tokens: entries of {nameof(PileMemoryCache)} are bytes, and hold none. Give entries that go together a tag ({nameof(PileEntryOptions)}.{nameof(PileEntryOptions.Tags)}, HybridCache) and remove that; or leave this entry to MemoryCache. docs/FROM-MEMORYCACHE.md has the list.");
}
