// HybridCache on a table: values in the cache's memory or files, one factory call a key, tags that are removed exactly, and optionally a
// cache behind it that machines share. Fail-safe, refreshing ahead and timeouts are those of the table's options.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pile.Cache;
using Pile.Cache.Factories;
using Pile.Cache.Tags;
using Pile.Caching.Hybrid;

namespace Pile.Caching;

/// <summary>A cache of this process, or of its directory, as <see cref="HybridCache"/>.</summary>
/// <remarks>Thread-safe. Each call gets a value of its own: entries are snapshots. A hit takes no lock and completes at once. Values of any
/// size up to 268,435,455 bytes, keys and tags of up to 15,360 bytes of UTF-8, at most 32 tags an entry. Values are kept in the pile's own form unless the
/// services have an <see cref="IHybridCacheSerializer{T}"/> or an <see cref="IHybridCacheSerializerFactory"/> for the type; with a cache
/// behind, objects are JSON, which other machines can read. <see cref="HybridCacheEntryFlags.DisableCompression"/> changes nothing: nothing is
/// compressed.</remarks>
public sealed class PileHybridCache : HybridCache
{
    private readonly LazyTable<string, byte[]> _table;
    private readonly HybridForms _forms;
    private readonly HybridCacheEntryOptions _defaults;
    private readonly Lazy<HybridBehind?> _behind;
    private readonly PileFactoryOptions? _factory;
    private readonly ILogger _logger;

    /// <summary>A HybridCache on a cache.</summary>
    /// <param name="cache">The cache; it stays the caller's.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    /// <param name="services">Where serializers, loggers and the cache behind are looked for, or null.</param>
    public PileHybridCache(PileCache cache, PileHybridCacheOptions? options = null, IServiceProvider? services = null)
        : this(() => cache, options ?? new PileHybridCacheOptions(), services, key: null) => ArgumentNullException.ThrowIfNull(cache);

    internal PileHybridCache(Func<PileCache> cache, PileHybridCacheOptions options, IServiceProvider? services, string? key)
    {
        ArgumentNullException.ThrowIfNull(options.DefaultEntryOptions);
        ArgumentNullException.ThrowIfNull(options.DistributedKeyPrefix);
        _table = options.TableOf<string, byte[]>(cache);
        _defaults = options.DefaultEntryOptions;
        _factory = options.Table.Factory;
        _logger = services?.GetService<ILoggerFactory>()?.CreateLogger(CacheLog.Category) ?? (ILogger)NullLogger.Instance;
        _forms = new HybridForms(services, key, () => cache().Pile, isShared: options.DistributedCache is not null);
        _behind = new Lazy<HybridBehind?>(() => options.DistributedCache?.Invoke(services ?? EmptyServices.Instance) is { } found
            ? new HybridBehind(found, options.DistributedKeyPrefix, _table.Value, _logger)
            : null, LazyThreadSafetyMode.PublicationOnly);
    }

    /// <inheritdoc/>
    /// <remarks>One factory call for each key at a time, for all that ask meanwhile; it goes on when a caller is cancelled, and is cancelled when
    /// all are. With <see cref="HybridCacheEntryFlags.DisableLocalCacheRead"/> each call does its own work. What the factory throws is thrown to
    /// all who wait. Where the key is null each call does its own work, and nothing is kept.</remarks>
    public override ValueTask<T> GetOrCreateAsync<TState, T>(
        string key,
        TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<T>(cancellationToken);
        }

        HybridCacheEntryFlags flags = options?.Flags ?? _defaults.Flags ?? HybridCacheEntryFlags.None;
        if (key is null)
        {
            return (flags & HybridCacheEntryFlags.DisableUnderlyingData) == 0 ? factory(state, cancellationToken) : default;
        }

        HybridForm<T> form = _forms.Of<T>();
        bool mayRead = (flags & HybridCacheEntryFlags.DisableLocalCacheRead) == 0;

        // A call that only looks refreshes nothing.
        bool isLook = (flags & HybridCacheEntryFlags.DisableUnderlyingData) != 0;
        bool mayRefresh = _factory?.EagerRefresh is not null && !isLook;
        return mayRead && !mayRefresh && TryRead(key, form, isLook, out T? value)
            ? new ValueTask<T>(value)
            : MakeAsync(key, state, factory, form, new HybridTerms(options, _defaults, tags).OfAnEntry(), mayRead, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>Where the key is null, or the entry would have ended when it is stored (an expiration of zero or less), nothing is stored, and what is there stays.
    /// What is being made of the key meanwhile is not kept. Where it is cancelled while the cache behind is written, the key has no value here.</remarks>
    public override async ValueTask SetAsync<T>(
        string key, T value, HybridCacheEntryOptions? options = null, IEnumerable<string>? tags = null, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var terms = new HybridTerms(options, _defaults, tags);
        if (key is null || terms.HaveEnded)
        {
            // As the stock one passes over them.
            return;
        }

        PileTable<string, byte[]> table = _table.Value;
        long stamp = table.Parts.Tags.Now;
        HybridBehind? behind = BehindOf(key);
        var work = new HybridWork<object?, T>(key, state: null, static (_, _) => default, _forms.Of<T>(), terms, behind, table.Parts.Clock.Provider);

        // Before and after: what is being made does not get there, or is not believed until it is taken away again, and what is read from there meanwhile
        // is not stored here.
        long now = table.Parts.Clock.Now;
        using ChangesUnderWay.Change change = behind?.Begin(key, now) ?? default;
        table.Factories.Outdate(key);
        PileAnswer<byte[]> answer;
        try
        {
            answer = await work.KeepAsync(value, now, flight: null, cancellationToken).ConfigureAwait(false);
        }
        catch when (work.IsDone)
        {
            // It was on its way there, and may have got there or may yet: what is here is of before. A value that can't be written changes nothing.
            _ = table.Remove(key);
            throw;
        }

        table.Factories.Outdate(key);
        Store(table, key, answer, terms, stamp, flight: null);
    }

    /// <inheritdoc/>
    /// <remarks>What is being made of the key meanwhile is not kept either.</remarks>
    public override async ValueTask RemoveAsync(string key, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        cancellationToken.ThrowIfCancellationRequested();
        ChangesUnderWay.Change change = default;
        try
        {
            // There first: what is read from there until then is taken away here. What is being made does not get there, or is not believed until it is
            // taken away again.
            if (BehindOf(key) is { } behind)
            {
                change = behind.Begin(key, behind.Now);
                _table.Value.Factories.Outdate(key);
                await behind.RemoveAsync(key, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            _ = _table.Value.Remove(key);
            change.Dispose();
        }
    }

    /// <inheritdoc/>
    /// <remarks>Exact: when it is done, no call gets a value with the tag that began to be made before, in this process or, from a cache behind
    /// whose clock agrees, in others. In constant time. <c>*</c> removes all entries.</remarks>
    public override async ValueTask RemoveByTagAsync(string tag, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        TagHash.RefuseLong(tag);
        cancellationToken.ThrowIfCancellationRequested();

        // What is behind is not believed from here on, and here it goes at once: neither waits for the note that tells others.
        Task noted = _behind.Value is { } behind ? behind.RemoveTagAsync(tag) : Task.CompletedTask;
        _table.Value.RemoveByTag(tag);
        await noted.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The cache behind, for a key that may stand there.</summary>
    private HybridBehind? BehindOf(string key) => HybridBehind.Takes(key) ? _behind.Value : null;

    private async ValueTask<T> MakeAsync<TState, T>(
        string key,
        TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridForm<T> form,
        HybridTerms terms,
        bool mayRead,
        CancellationToken cancellationToken)
    {
        PileTable<string, byte[]> table = _table.Value;
        bool isCacheOnly = terms.Has(HybridCacheEntryFlags.DisableUnderlyingData);
        HybridBehind? behind = BehindOf(key);
        if (isCacheOnly && (behind is null || terms.Has(HybridCacheEntryFlags.DisableDistributedCacheRead)))
        {
            // There is nobody else to ask.
            return default!;
        }

        Exception? failure = null;
        for (int tries = 0; tries < CachingLimits.HybridTriesMax; tries++)
        {
            var work = new HybridWork<TState, T>(key, state, factory, form, terms, behind, table.Parts.Clock.Provider);
            PileAnswer<byte[]> answer = mayRead
                ? await AskAsync(table, key, work, isCacheOnly, cancellationToken).ConfigureAwait(false)
                : await MakeAloneAsync(table, key, work, terms, cancellationToken).ConfigureAwait(false);
            if (!work.IsDone && ReferenceEquals(answer.Value, HybridUnkept.Bytes))
            {
                // Made for another call, and lost with it.
                _ = await MakeAloneAsync(table, key, work, terms, cancellationToken).ConfigureAwait(false);
            }

            if (work.IsDone || !answer.HasValue)
            {
                return work.Value!;
            }

            if (form.TryRead(answer.Value, out T? value, out failure))
            {
                return value;
            }

            // Of an entry past its end or to be refreshed ahead, or made by another call as another type.
            CacheLog.Unreadable(_logger, key, table.Name, typeof(T).ToString(), failure);
            Drop(table, key, answer.Value);

            // What another call makes of this type can't be read either, where reading it throws.
            mayRead = isCacheOnly || (mayRead && failure is null or PileTypeMismatchException);
        }

        throw new InvalidOperationException($"The entry '{key}' of the table '{table.Name}' is being made as another type than {typeof(T)}: give each type keys of its own.", failure);
    }

    private static ValueTask<PileAnswer<byte[]>> AskAsync<TState, T>(
        PileTable<string, byte[]> table, string key, HybridWork<TState, T> work, bool isCacheOnly, CancellationToken cancellationToken)
    {
        PileFactoryOptions? options = table.Parts.Options.Factory;
        return !isCacheOnly && options?.EagerRefresh is { } part
            && PileTableGetOrAdd.TryGetEagerly(table, key, token => work.MakeAsync(part, token), options, out byte[]? value)
            ? new ValueTask<PileAnswer<byte[]>>(new PileAnswer<byte[]>(value))
            : table.Factories.AskAsync(key, token => work.MakeAsync(part: 1, token), options: null, mayBeNothing: isCacheOnly, cancellationToken);
    }

    /// <summary>Removes an entry that can't be read, unless there is another one by now.</summary>
    private static void Drop(PileTable<string, byte[]> table, string key, byte[] unreadable) =>
        table.Factories.RemoveIf(key, bytes => bytes.AsSpan().SequenceEqual(unreadable));

    /// <summary>Does a call's own work, which no other call joins, and stores what came of it.</summary>
    private static async ValueTask<PileAnswer<byte[]>> MakeAloneAsync<TState, T>(
        PileTable<string, byte[]> table, string key, HybridWork<TState, T> work, HybridTerms terms, CancellationToken cancellationToken)
    {
        ValueFlight<byte[]> flight = table.Factories.BeginBeside(key);
        try
        {
            PileAnswer<byte[]> answer = await work.MakeAsync(flight, part: 1, cancellationToken).ConfigureAwait(false);
            Store(table, key, answer, terms, flight.Stamp, flight);
            return answer;
        }
        finally
        {
            table.Factories.Flights.End(flight);
        }
    }

    private static void Store(PileTable<string, byte[]> table, string key, in PileAnswer<byte[]> answer, in HybridTerms terms, long stamp, FactoryFlight? flight)
    {
        if (terms.Has(HybridCacheEntryFlags.DisableLocalCacheWrite))
        {
            return;
        }

        if (ReferenceEquals(answer.Value, HybridUnkept.Bytes))
        {
            // Nor may what was there before be kept.
            _ = table.Remove(key);
        }
        else if (answer.HasValue)
        {
            StoredBytes.SetMade(table, key, answer.Value, answer.Entry!.Value, stamp, flight);
        }
    }

    private bool TryRead<T>(string key, HybridForm<T> form, bool isLook, [MaybeNullWhen(false)] out T value)
    {
        PileTable<string, byte[]> table = _table.Value;
        if (!table.TryLease(key, out PileLease lease))
        {
            value = default;
            return false;
        }

        Exception? failure = null;
        byte[] unreadable;
        if (form.ReadsInPlace)
        {
            try
            {
                if (form.TryReadInPlace(lease.Bytes, out value))
                {
                    return true;
                }

                unreadable = lease.Bytes.ToArray();
            }
#pragma warning disable CA1031 // Whatever reading throws, a codec or a callback of the type, the value can be made anew; it is told.
            catch (Exception thrown) when (thrown is not ObjectDisposedException)
#pragma warning restore CA1031
            {
                failure = thrown;
                unreadable = lease.Bytes.ToArray();
            }
            finally
            {
                lease.Dispose();
            }
        }
        else if (TryReadCopy(lease, form, out value, out failure, out unreadable))
        {
            return true;
        }

        // Of a type that has changed since, or written as another one: it is made anew. One whose type is only unknown yet is read once it is known,
        // and stays where nothing is made in its place.
        CacheLog.Unreadable(_logger, key, table.Name, typeof(T).ToString(), failure);
        if (!isLook || failure is not PileUnknownTypeException)
        {
            Drop(table, key, unreadable);
        }

        value = default;
        return false;
    }

    /// <summary>Reads outside the lease: the program's serializer runs as long as it likes.</summary>
    private static bool TryReadCopy<T>(PileLease lease, HybridForm<T> form, [MaybeNullWhen(false)] out T value, out Exception? failure, out byte[] unreadable)
    {
        unreadable = [];
        int bytes = lease.Length;
        byte[] rented;
        try
        {
            rented = ArrayPool<byte>.Shared.Rent(bytes);
            lease.Bytes.CopyTo(rented);
        }
        finally
        {
            lease.Dispose();
        }

        try
        {
            bool isRead = form.TryRead(rented.AsMemory(0, bytes), out value, out failure);
            unreadable = isRead ? [] : rented.AsSpan(0, bytes).ToArray();
            return isRead;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }
}
