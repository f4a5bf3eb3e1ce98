using System;
using System.Text;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

/// <summary>A near table whose time stands still, and the same table by another client.</summary>
internal sealed class Near : IAsyncDisposable
{
    private readonly PileClient _client;
    private readonly PileClient _otherClient;

    private Near(PileClient client, PileClient other, string table, PileNearOptions options)
    {
        _client = client;
        _otherClient = other;
        Other = other.Table(table);
        Cache = new PileNearCache(client, options);
        Table = Cache.Table(table);
    }

    internal static TimeSpan Bound { get; } = TimeSpan.FromSeconds(1);

    internal StampClock Clock => (StampClock)_client.Link.Time;

    internal PileNearCache Cache { get; }

    internal PileNearTable Table { get; }

    internal PileClientTable Other { get; }

    internal static async Task<Near> StartAsync(SharedServer server) => await StartAsync(server.Address, server.Address, (await SharedServer.TableAsync(server.Client())).Name);

    /// <summary>A near table by one address, the other client by another one.</summary>
    internal static async Task<Near> StartAsync(string address, string otherAddress, string table, PileNearOptions? options = null)
    {
        options ??= new PileNearOptions();
        options.StalenessMax = Bound;
        var client = new PileClient(new PileClientOptions { Address = address, TimeProvider = new StampClock(), KeepAlive = TimeSpan.FromSeconds(1) });
        var near = new Near(client, new PileClient(new PileClientOptions { Address = otherAddress, Deadline = TimeSpan.FromMinutes(1) }), table, options);
        await Within.AMinuteAsync(near.Table.Ready, "the watch");
        return near;
    }

    /// <summary>Stores an entry by the other client, and waits until that is told here.</summary>
    internal async Task SetToldAsync(string key, byte[] value)
    {
        long before = Cache.GetFigures().Invalidations;
        _ = await Other.SetAsync(key, value);
        await Within.UntilAsync(() => Task.FromResult(Cache.GetFigures().Invalidations > before), "the store is told");
    }

    internal async Task<string?> TextAsync(string key) => await Table.GetAsync(key) is { } value ? Encoding.UTF8.GetString(value) : null;

    internal Task UntilAsync(string key, string? value) => Within.UntilAsync(async () => await TextAsync(key) == value, $"'{key}' is '{value}'");

    public async ValueTask DisposeAsync()
    {
        await Cache.DisposeAsync();
        await _client.DisposeAsync();
        await _otherClient.DisposeAsync();
    }
}
