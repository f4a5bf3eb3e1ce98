// IDistributedCache and IBufferDistributedCache on a table of a server, and so what a HybridCache has behind it. The table is made when it is
// not there, also when a server in memory has come back without it.
using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Caching.Distributed;

namespace Pile.Client;

/// <summary>A table of a cache server as <see cref="IBufferDistributedCache"/>.</summary>
/// <remarks>Thread-safe. Calls throw what those of <see cref="PileClientTable"/> throw. The synchronous forms block a thread while they wait for
/// the server, over a connection of their own that needs no other thread of the pool where the value has at most 64 KiB: prefer the others. Keys have 1 to 15,360 bytes of UTF-8; nothing is ever stored under the empty key. Times are kept in
/// milliseconds. A value for which there is no room is not kept, and neither is a former one of its key; where the table is durable, the failure
/// says so and the former one stays.</remarks>
public sealed class PileClientDistributedCache : IBufferDistributedCache
{
    private readonly PileClient _client;
    private readonly PileClientTable _table;
    private readonly PileClientTableOptions _options;

    /// <summary>An adapter on a client.</summary>
    /// <param name="client">The client; it stays the caller's.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    public PileClientDistributedCache(PileClient client, PileClientDistributedCacheOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(client);
        options ??= new PileClientDistributedCacheOptions();
        ArgumentException.ThrowIfNullOrEmpty(options.TableName, nameof(options));
        ArgumentNullException.ThrowIfNull(options.Table, nameof(options));
        _client = client;
        _table = client.Table(options.TableName);
        _options = options.Table;
    }

    /// <inheritdoc/>
    public byte[]? Get(string key) => GetAsync(key, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => GetAsync(key, isBlocking: false, token);

    /// <inheritdoc/>
    public bool TryGet(string key, IBufferWriter<byte> destination) => TryGetAsync(key, destination, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    /// <remarks>What the destination throws comes through.</remarks>
    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default) => new(TryGetAsync(key, destination, isBlocking: false, token));

    /// <inheritdoc/>
    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        _ = StoreAsync(key, value, options, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        return StoreAsync(key, value, options, isBlocking: false, token);
    }

    /// <inheritdoc/>
    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options) =>
        StoreAsync(key, WholeOf(value), options, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public ValueTask SetAsync(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        new(StoreAsync(key, WholeOf(value), options, isBlocking: false, token));

    /// <inheritdoc/>
    public void Refresh(string key) => RefreshAsync(key, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public Task RefreshAsync(string key, CancellationToken token = default) => RefreshAsync(key, isBlocking: false, token);

    /// <inheritdoc/>
    public void Remove(string key) => RemoveAsync(key, isBlocking: true, CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public Task RemoveAsync(string key, CancellationToken token = default) => RemoveAsync(key, isBlocking: false, token);

    private Task<byte[]?> GetAsync(string key, bool isBlocking, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        return DoAsync(key, whenEmpty: null, static (table, key, _, cancel) => table.GetAsync(key, cancel), 0, isBlocking, token);
    }

    private Task<bool> TryGetAsync(string key, IBufferWriter<byte> destination, bool isBlocking, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        return DoAsync(key, whenEmpty: false, static (table, key, target, cancel) => table.GetAsync(key, target, cancel), destination, isBlocking, token);
    }

    private Task<bool> RefreshAsync(string key, bool isBlocking, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        return DoAsync(key, whenEmpty: false, static (table, key, _, cancel) => new ValueTask<bool>(table.RefreshAsync(key, cancel)), 0, isBlocking, token);
    }

    private Task<bool> RemoveAsync(string key, bool isBlocking, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        return DoAsync(key, whenEmpty: false, static (table, key, _, cancel) => table.RemoveAsync(key, cancel), 0, isBlocking, token);
    }

    private static ReadOnlyMemory<byte> WholeOf(in ReadOnlySequence<byte> value) => value.IsSingleSegment ? value.First : value.ToArray();

    private Task<PileClientOutcome> StoreAsync(string key, ReadOnlyMemory<byte> value, DistributedCacheEntryOptions options, bool isBlocking, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(options);
        var terms = new PileClientTerms
        {
            AbsoluteExpiration = options.AbsoluteExpiration,
            TimeToLive = options.AbsoluteExpirationRelativeToNow,
            SlidingExpiration = options.SlidingExpiration,
        };
        return key.Length == 0 && !token.IsCancellationRequested
            ? throw new ArgumentException("A server keeps nothing under the empty key.", nameof(key))
            : DoAsync(key, PileClientOutcome.Refused, SetAsync, (value, terms, _client), isBlocking, token);
    }

    private static async ValueTask<PileClientOutcome> SetAsync(PileClientTable table, string key, (ReadOnlyMemory<byte> Value, PileClientTerms Terms, PileClient Client) entry, CancellationToken cancel)
    {
        try
        {
            return await table.SetAsync(key, entry.Value, entry.Terms, cancel).ConfigureAwait(false);
        }
        catch (PileClientException full) when (full.Status == PileStatus.Full)
        {
            // Whoever made the table: by what it is, not by the options here.
            if ((await entry.Client.DescribeTableAsync(table.Name, cancel).ConfigureAwait(false)).Options.IsDurable)
            {
                throw;
            }

            // The caller believes the former value replaced: none is better than that one.
            _ = await table.RemoveAsync(key, cancel).ConfigureAwait(false);
            return PileClientOutcome.Full;
        }
    }

    private async Task<TResult> DoAsync<TState, TResult>(
        string key, TResult whenEmpty, Func<PileClientTable, string, TState, CancellationToken, ValueTask<TResult>> call, TState state, bool isBlocking, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (key.Length == 0)
        {
            return whenEmpty;
        }

        try
        {
            return await call(isBlocking ? _table.Blocking : _table, key, state, token).ConfigureAwait(false);
        }
        catch (PileClientException missing) when (missing.Code == StatusCode.NotFound)
        {
            await MakeTableAsync(token).ConfigureAwait(false);
            return await call(isBlocking ? _table.Blocking : _table, key, state, token).ConfigureAwait(false);
        }
    }

    private async Task MakeTableAsync(CancellationToken token)
    {
        try
        {
            _ = await _client.CreateTableAsync(_table.Name, _options, token).ConfigureAwait(false);
        }
        catch (PileClientException there) when (there.Code == StatusCode.AlreadyExists)
        {
            // Somebody was quicker, with options of his own: it is used as it is.
        }
    }
}
