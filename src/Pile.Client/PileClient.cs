// The client of one cache server: its tables, its figures, its care. What is asked of entries is PileClientTable's. All clients of an
// address could be one: a client is made once and used by everybody.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;

namespace Pile.Client;

/// <summary>A client of a cache server.</summary>
/// <remarks>Thread-safe; one is enough for an address. It connects with the first call, and again by itself. Every call ends within its
/// deadline: by its answer, a <see cref="PileClientException"/>, an <see cref="OperationCanceledException"/> of its token, or an
/// <see cref="ObjectDisposedException"/> when the client is disposed under it.</remarks>
public sealed class PileClient : IDisposable, IAsyncDisposable
{
    private readonly ServerLink _link;

    /// <summary>A client of the server at an address.</summary>
    /// <param name="address">Like <c>http://127.0.0.1:7171</c>, <c>https://cache.example:7171</c> or <c>unix:/run/pile.sock</c>.</param>
    /// <exception cref="ArgumentException">It is no such address.</exception>
    public PileClient(string address)
        : this(new PileClientOptions { Address = address })
    {
    }

    /// <summary>A client with options.</summary>
    /// <param name="options">The options; read now.</param>
    /// <exception cref="ArgumentException">An option can't be so; the parameter's name is the option's.</exception>
    public PileClient(PileClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _link = new ServerLink(options);
    }

    /// <summary>The server's address.</summary>
    public string Address => _link.Endpoint;

    /// <summary>How calls are made.</summary>
    internal ServerLink Link => _link;

    /// <summary>A table, whether it is there or not.</summary>
    /// <param name="name">Its name; empty for the table <c>default</c>, which is always there.</param>
    public PileClientTable Table(string name = "")
    {
        ArgumentNullException.ThrowIfNull(name);
        return new PileClientTable(_link, name);
    }

    /// <summary>Makes a table. One of that name with the same options is left as it is.</summary>
    /// <param name="name">Its name, of 1 to 256 chars.</param>
    /// <param name="options">What it is made with, or null for a table that evicts.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>True when it was made, false when it was there.</returns>
    /// <exception cref="PileClientException">The call failed; ALREADY_EXISTS where there is one with other options.</exception>
    public async Task<bool> CreateTableAsync(string name, PileClientTableOptions? options = null, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        return (await _link.CallAsync(_link.Tables.CreateAsync, WireForm.RequestOf(name, options), isIdempotent: true, cancel).ConfigureAwait(false)).Created;
    }

    /// <summary>The names of all tables, sorted.</summary>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task<IReadOnlyList<string>> ListTablesAsync(CancellationToken cancel = default) =>
        [.. (await _link.CallAsync(_link.Tables.ListAsync, new V1.ListTablesRequest(), isIdempotent: true, cancel).ConfigureAwait(false)).Tables];

    /// <summary>A table's options and figures.</summary>
    /// <param name="name">Its name; empty for <c>default</c>.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed; NOT_FOUND where there is no such table.</exception>
    public async Task<PileTableDescription> DescribeTableAsync(string name, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        return WireForm.DescriptionOf(await _link.CallAsync(_link.Tables.DescribeAsync, new V1.DescribeTableRequest { Table = name }, isIdempotent: true, cancel).ConfigureAwait(false));
    }

    /// <summary>Removes a table with its entries. The table <c>default</c> can be cleared, not dropped.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>False when there was none, also where a first try has dropped it already.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task<bool> DropTableAsync(string name, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        return (await _link.CallAsync(_link.Tables.DropAsync, new V1.DropTableRequest { Table = name }, isIdempotent: true, cancel).ConfigureAwait(false)).Dropped;
    }

    /// <summary>Takes all entries of all tables that were stored with a tag, in constant time.</summary>
    /// <param name="tag">The tag; "*" takes all entries.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task RemoveByTagAsync(string tag, CancellationToken cancel = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        _ = await _link.CallAsync(_link.Entries.RemoveByTagAsync, new V1.RemoveByTagRequest { Tag = tag, AllTables = true }, isIdempotent: true, cancel).ConfigureAwait(false);
    }

    /// <summary>Figures of the server.</summary>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task<PileServerStats> GetStatsAsync(CancellationToken cancel = default) =>
        WireForm.StatsOf(await _link.CallAsync(_link.Tables.StatsAsync, new V1.StatsRequest(), isIdempotent: true, cancel).ConfigureAwait(false));

    /// <summary>Asks the server whether it serves. Needs no access.</summary>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>How long the answer took, the first time with the making of a connection.</returns>
    /// <exception cref="PileClientException">It can't be reached, or says that it does not serve.</exception>
    public async Task<TimeSpan> PingAsync(CancellationToken cancel = default)
    {
        long began = _link.Time.GetTimestamp();
        Grpc.Health.V1.HealthCheckResponse reply = await _link.CallAsync(_link.Health.CheckAsync, new Grpc.Health.V1.HealthCheckRequest(), isIdempotent: true, cancel).ConfigureAwait(false);
        return reply.Status == Grpc.Health.V1.HealthCheckResponse.Types.ServingStatus.Serving
            ? _link.Time.GetElapsedTime(began)
            : throw new PileClientException($"The server at {Address} says {reply.Status}: it is starting or stopping, or a call of its files failed, and it takes no writes until it is started anew. Its log says which.", Grpc.Core.StatusCode.Unavailable, PileStatus.Disposed, Address, isRetrySafe: true);
    }

    /// <summary>Makes durable all that was acknowledged so far. Needs the access Admin.</summary>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task CheckpointAsync(CancellationToken cancel = default) =>
        _ = await _link.CallAsync(_link.Admin.CheckpointAsync, new V1.CheckpointRequest(), isIdempotent: true, cancel).ConfigureAwait(false);

    /// <summary>Ends all connections. Calls under way end with an <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose() => _link.Dispose();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }
}
