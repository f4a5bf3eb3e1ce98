// IDistributedCache and IBufferDistributedCache on a table of bytes. All work is in memory or mapped files, so that the asynchronous forms
// are done when they return. It shares nothing between machines: the name is the interface's.
using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Cache;

namespace Pile.Caching;

/// <summary>A cache of this process, or of its directory, as <see cref="IBufferDistributedCache"/>.</summary>
/// <remarks>Thread-safe. TryGet and Set allocate nothing, and neither do their asynchronous forms; Get allocates its array. Keys have at
/// most 15,360 bytes of UTF-8, values at most 268,435,455 bytes. A value for which there is no room is not kept, and neither is a former
/// one of its key; where the table is durable, a <see cref="PileFullException"/> says so and the former one stays.</remarks>
public sealed class PileDistributedCache : IBufferDistributedCache
{
    private readonly LazyTable<string, byte[]> _table;

    /// <summary>An adapter on a cache.</summary>
    /// <param name="cache">The cache; it stays the caller's.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    public PileDistributedCache(PileCache cache, PileDistributedCacheOptions? options = null)
        : this(() => cache, options ?? new PileDistributedCacheOptions()) => ArgumentNullException.ThrowIfNull(cache);

    internal PileDistributedCache(Func<PileCache> cache, PileDistributedCacheOptions options) => _table = options.TableOf<string, byte[]>(cache);

    /// <inheritdoc/>
    public byte[]? Get(string key) => _table.Value.TryGet(key, out byte[]? value) ? value : null;

    /// <inheritdoc/>
    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) =>
        token.IsCancellationRequested ? Task.FromCanceled<byte[]?>(token) : Task.FromResult(Get(key));

    /// <inheritdoc/>
    /// <remarks>What the destination throws comes through.</remarks>
    public bool TryGet(string key, IBufferWriter<byte> destination) => _table.Value.TryGet(key, destination);

    /// <inheritdoc/>
    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default) =>
        token.IsCancellationRequested ? ValueTask.FromCanceled<bool>(token) : new ValueTask<bool>(TryGet(key, destination));

    /// <inheritdoc/>
    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        StoredBytes.Set(_table.Value, key, value, TermsOf(options));
    }

    /// <inheritdoc/>
    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }

        Set(key, value, options);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options) =>
        StoredBytes.Set(_table.Value, key, value, TermsOf(options));

    /// <inheritdoc/>
    public ValueTask SetAsync(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(token);
        }

        Set(key, value, options);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public void Refresh(string key) => _ = _table.Value.Refresh(key);

    /// <inheritdoc/>
    public Task RefreshAsync(string key, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }

        Refresh(key);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public void Remove(string key) => _ = _table.Value.Remove(key);

    /// <inheritdoc/>
    public Task RemoveAsync(string key, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }

        Remove(key);
        return Task.CompletedTask;
    }

    private static PileEntryOptions TermsOf(DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return new PileEntryOptions
        {
            AbsoluteExpiration = options.AbsoluteExpiration,
            TimeToLive = options.AbsoluteExpirationRelativeToNow,
            SlidingExpiration = options.SlidingExpiration,
        };
    }
}
