// IDistributedCache and IBufferDistributedCache on a table of a server, and so what a HybridCache has behind it. The table is made when it is
// not there, also when a server in memory has come back without it.
using System;
using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Client.Calls;

namespace Pile.Client;

/// <summary>A table of a cache server as <see cref="IBufferDistributedCache"/>.</summary>
/// <remarks>Thread-safe. Calls throw what those of <see cref="PileClientTable"/> throw. The synchronous forms block a thread while they wait for
/// the server, over a connection of their own that needs no other thread of the pool where the value has at most 64 KiB: prefer the others. Keys have 1 to 15,360 bytes of UTF-8; nothing is ever stored under the empty key. Times are kept in
/// milliseconds. A value for which there is no room is not kept, and neither is a former one of its key; where the table is durable, the failure
/// says so and the former one stays.</remarks>
public sealed class PileClientDistributedCache : IBufferDistributedCache
{
    private static readonly Func<PileClientTable, string, int, CancellationToken, ValueTask<byte[]?>> _get = static (table, key, _, cancel) => table.GetAsync(key, cancel);
    private static readonly Func<PileClientTable, string, IBufferWriter<byte>, CancellationToken, ValueTask<bool>> _tryGet = static (table, key, target, cancel) => table.GetAsync(key, target, cancel);
    private static readonly Func<PileClientTable, string, int, CancellationToken, ValueTask<bool>> _refresh = static (table, key, _, cancel) => new ValueTask<bool>(table.RefreshAsync(key, cancel));
    private static readonly Func<PileClientTable, string, int, CancellationToken, ValueTask<bool>> _remove = static (table, key, _, cancel) => table.RemoveAsync(key, cancel);
    private readonly PileClient _client;
    private readonly PileClientTable _table;
    private readonly PileClientTableOptions _options;
    private readonly Lock _making = new();
    private PileClientException? _failure;
    private long _made;

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
    public byte[]? Get(string key) => Do(key, whenEmpty: null, _get, 0);

    /// <inheritdoc/>
    public Task<byte[]?> GetAsync(string key, CancellationToken token = default) => DoAsync(key, whenEmpty: null, _get, 0, token);

    /// <inheritdoc/>
    public bool TryGet(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return Do(key, whenEmpty: false, _tryGet, destination);
    }

    /// <inheritdoc/>
    /// <remarks>What the destination throws comes through.</remarks>
    public ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return new ValueTask<bool>(DoAsync(key, whenEmpty: false, _tryGet, destination, token));
    }

    /// <inheritdoc/>
    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        Store(key, value, options);
    }

    /// <inheritdoc/>
    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        return StoreAsync(key, value, options, token);
    }

    /// <inheritdoc/>
    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options) => Store(key, WholeOf(value), options);

    /// <inheritdoc/>
    public ValueTask SetAsync(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        new(StoreAsync(key, WholeOf(value), options, token));

    /// <inheritdoc/>
    public void Refresh(string key) => _ = Do(key, whenEmpty: false, _refresh, 0);

    /// <inheritdoc/>
    public Task RefreshAsync(string key, CancellationToken token = default) => DoAsync(key, whenEmpty: false, _refresh, 0, token);

    /// <inheritdoc/>
    public void Remove(string key) => _ = Do(key, whenEmpty: false, _remove, 0);

    /// <inheritdoc/>
    public Task RemoveAsync(string key, CancellationToken token = default) => DoAsync(key, whenEmpty: false, _remove, 0, token);

    private static ReadOnlyMemory<byte> WholeOf(in ReadOnlySequence<byte> value) => value.IsSingleSegment ? value.First : value.ToArray();

    private void Store(string key, ReadOnlyMemory<byte> value, DistributedCacheEntryOptions options)
    {
        (ReadOnlyMemory<byte> Value, PileClientTerms Terms) entry = EntryOf(value, options);
        try
        {
            _ = Do(Stored(key), PileClientOutcome.Refused, static (table, key, entry, cancel) => table.SetAsync(key, entry.Value, entry.Terms, cancel), entry);
        }
        catch (PileClientException full) when (full.Status == PileStatus.Full)
        {
            _ = SettleFullAsync(_table, key, full, CancellationToken.None).GetAwaiter().GetResult();
        }
    }

    private Task<PileClientOutcome> StoreAsync(string key, ReadOnlyMemory<byte> value, DistributedCacheEntryOptions options, CancellationToken token) =>
        DoAsync(token.IsCancellationRequested ? key : Stored(key), PileClientOutcome.Refused, SetAsync, EntryOf(value, options), token);

    private static string Stored(string key) => key is "" ? throw new ArgumentException("A server keeps nothing under the empty key.", nameof(key)) : key;

    private static (ReadOnlyMemory<byte> Value, PileClientTerms Terms) EntryOf(ReadOnlyMemory<byte> value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return (value, new PileClientTerms
        {
            AbsoluteExpiration = options.AbsoluteExpiration,
            TimeToLive = options.AbsoluteExpirationRelativeToNow,
            SlidingExpiration = options.SlidingExpiration,
        });
    }

    private async ValueTask<PileClientOutcome> SetAsync(PileClientTable table, string key, (ReadOnlyMemory<byte> Value, PileClientTerms Terms) entry, CancellationToken cancel)
    {
        try
        {
            return await table.SetAsync(key, entry.Value, entry.Terms, cancel).ConfigureAwait(false);
        }
        catch (PileClientException full) when (full.Status == PileStatus.Full)
        {
            return await SettleFullAsync(table, key, full, cancel).ConfigureAwait(false);
        }
    }

    private async Task<PileClientOutcome> SettleFullAsync(PileClientTable table, string key, PileClientException full, CancellationToken cancel)
    {
        // Whoever made the table: by what it is, not by the options here.
        if ((await _client.DescribeTableAsync(table.Name, cancel).ConfigureAwait(false)).Options.IsDurable)
        {
            ExceptionDispatchInfo.Throw(full);
        }

        // The caller believes the former value replaced: none is better than that one.
        _ = await table.RemoveAsync(key, cancel).ConfigureAwait(false);
        return PileClientOutcome.Full;
    }

    private Task<TResult> DoAsync<TState, TResult>(
        string key, TResult whenEmpty, Func<PileClientTable, string, TState, CancellationToken, ValueTask<TResult>> call, TState state, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(key);
        return token.IsCancellationRequested ? Task.FromCanceled<TResult>(token)
            : key.Length == 0 ? Task.FromResult(whenEmpty)
            : AskAsync(key, call, state, token);
    }

    private async Task<TResult> AskAsync<TState, TResult>(string key, Func<PileClientTable, string, TState, CancellationToken, ValueTask<TResult>> call, TState state, CancellationToken token)
    {
        try
        {
            return await call(_table, key, state, token).ConfigureAwait(false);
        }
        catch (PileClientException missing) when (missing.Code == StatusCode.NotFound)
        {
            await MakeTableAsync(token).ConfigureAwait(false);
            return await call(_table, key, state, token).ConfigureAwait(false);
        }
    }

    /// <summary>The same by the calling thread, which is blocked until then.</summary>
    private TResult Do<TState, TResult>(string key, TResult whenEmpty, Func<PileClientTable, string, TState, CancellationToken, ValueTask<TResult>> call, TState state)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length == 0)
        {
            return whenEmpty;
        }

        PileClientTable table = _table.Blocking;
        long made = Volatile.Read(ref _made);
        try
        {
            return BlockingWait.For(call(table, key, state, CancellationToken.None));
        }
        catch (PileClientException missing) when (missing.Code == StatusCode.NotFound)
        {
            MakeTable(table.Link, made);
            return BlockingWait.For(call(table, key, state, CancellationToken.None));
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

    // By one of those who miss it; those who waited meanwhile share what became of that.
    private void MakeTable(ServerLink link, long made)
    {
        lock (_making)
        {
            if (_made != made)
            {
                if (_failure is { } shared)
                {
                    throw CallFailures.Copy(shared);
                }

                return;
            }

            try
            {
                _failure = null;
                BlockingUnary.Call(link, "/pile.v1.Tables/Create", WireForm.RequestOf(_table.Name, _options));
            }
            catch (PileClientException there) when (there.Code == StatusCode.AlreadyExists)
            {
                // As above.
            }
            catch (PileClientException failure)
            {
                _failure = failure;
                throw;
            }
            finally
            {
                Volatile.Write(ref _made, made + 1);
            }
        }
    }
}
