using System;
using System.Text;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Cache.Tests.Model;
using Pile.Caching.Tests;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>The sentences of IDistributedCache, through the client and a real server, whose clock the tests move.</summary>
public sealed class DistributedCacheThroughClientTests : DistributedCacheSentences, IAsyncLifetime
{
    private ServerHere _server = null!;
    private PileClient _client = null!;
    private PileClientDistributedCache _cache = null!;

    private protected override IBufferDistributedCache Door => _cache;

    private protected override ManualClock Clock { get; } = new();

    public async ValueTask InitializeAsync()
    {
        _server = await ServerHere.StartAsync(Clock);
        _client = new PileClient(new PileClientOptions { Address = _server.Address, Deadline = TimeSpan.FromMinutes(1) });
        _cache = new PileClientDistributedCache(_client);
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task NothingIsKeptUnderTheEmptyKey()
    {
        _ = await Assert.ThrowsAsync<ArgumentException>(() => _cache.SetAsync("", [1], TestContext.Current.CancellationToken));
        await _cache.RemoveAsync("", TestContext.Current.CancellationToken);
        await _cache.RefreshAsync("", TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task ALargeValueComesBackWhole()
    {
        byte[] value = new byte[10 << 20];
        new Random(3).NextBytes(value);
        var small = new PileClientDistributedCache(_client, new PileClientDistributedCacheOptions { TableName = "large" });
        await using ServerProcess server = await ServerProcess.StartAsync("--memory-limit", "256MiB");
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });
        var cache = new PileClientDistributedCache(client);
        await cache.SetAsync("a", value, new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken);

        Assert.Equal(value, await cache.GetAsync("a", TestContext.Current.CancellationToken));

        // Without room there is none rather than the former one.
        await small.SetAsync("a", [1], new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken);
        await small.SetAsync("a", new byte[20 << 20], new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken);
        Assert.Null(await small.GetAsync("a", TestContext.Current.CancellationToken));
    }

    /// <summary>A former value of a durable table is never thrown away, whoever made the table.</summary>
    [Fact]
    public async Task WithoutRoomADurableTableKeepsWhatItHas()
    {
        _ = await _client.CreateTableAsync("durable", new PileClientTableOptions { IsDurable = true }, TestContext.Current.CancellationToken);
        var cache = new PileClientDistributedCache(_client, new PileClientDistributedCacheOptions { TableName = "durable" });
        await cache.SetAsync("a", [1], new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken);
        PileClientException full = await Assert.ThrowsAsync<PileClientException>(
            () => cache.SetAsync("a", new byte[20 << 20], new DistributedCacheEntryOptions(), TestContext.Current.CancellationToken));

        Assert.Equal(PileStatus.Full, full.Status);
        Assert.Equal([1], await cache.GetAsync("a", TestContext.Current.CancellationToken));
    }

    // The server's tables have keys of bytes.
    private protected override bool Contains(string key) => _server.Cache.GetOrCreateTable<byte[], byte[]>("distributed").ContainsKey(Encoding.UTF8.GetBytes(key));
}
