using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Clients as services: options from configuration, keys, health, and what stands on them.</summary>
public sealed class ServicesTests(SharedServer server) : IClassFixture<SharedServer>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task ClientsAreMadeFromConfigurationWithAndWithoutAKey()
    {
        using IHost host = HostWith(new() { ["PileClient:Address"] = server.Address, ["PileConnections:other:Address"] = server.Address, ["PileConnections:other:IsBatching"] = "false" }, builder =>
        {
            _ = builder.AddPileClient();
            _ = builder.AddKeyedPileClient("other");
            _ = builder.Services.AddPileClientDistributedCache().AddPileClientDistributedCache("other", static options => options.TableName = "others");
        });
        await host.StartAsync(Cancel);
        PileClient client = host.Services.GetRequiredService<PileClient>();
        Assert.NotSame(client, host.Services.GetRequiredKeyedService<PileClient>("other"));
        await host.Services.GetRequiredService<IDistributedCache>().SetAsync("a", [1], Cancel);
        await host.Services.GetRequiredKeyedService<IDistributedCache>("other").SetAsync("a", [2], Cancel);

        Assert.Equal([1], await client.Table("distributed").GetAsync("a", Cancel));
        Assert.Equal([2], await client.Table("others").GetAsync("a", Cancel));
        host.Dispose();
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await client.Table().GetAsync("a", Cancel));
    }

    [Fact]
    public async Task ANearCacheIsAServiceThatEndsWithTheOthers()
    {
        using IHost host = HostWith(new() { ["PileClient:Address"] = server.Address }, static builder =>
        {
            _ = builder.AddPileClient();
            _ = builder.Services.AddPileNearCache(configure: static options => options.StalenessMax = TimeSpan.FromSeconds(3));
        });
        await host.StartAsync(Cancel);
        PileNearCache near = host.Services.GetRequiredService<PileNearCache>();
        _ = await host.Services.GetRequiredService<PileClient>().Table().SetAsync("near", new byte[] { 5 }, cancel: Cancel);
        Assert.Equal([5], await near.Table().GetAsync("near", Cancel));
        host.Dispose();
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await near.Table().GetAsync("near", Cancel));
    }

    [Theory]
    [InlineData("Addres", "x", "PileClient:Addres is not a setting of a client")]
    [InlineData("Deadline", "5", "PileClient:Deadline = '5' can't be read")]
    [InlineData("Deadline", "-00:00:05", "PileClient:Deadline: ")]
    [InlineData("Address", "nowhere", "PileClient:Address: 'nowhere'")]
    [InlineData("RetriesMax", "99999999999", "PileClient:RetriesMax: ")]
    public async Task OptionsThatCantBeEndTheStartWithTheirPath(string name, string value, string said)
    {
        using IHost host = HostWith(new() { [$"PileClient:{name}"] = value }, static builder => builder.AddPileClient());
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancel));
        Assert.Contains(said, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AKeyIsTakenOnce()
    {
        var services = new ServiceCollection();
        _ = services.AddPileClient(static _ => { }).AddKeyedPileClient("a", static _ => { });
        _ = Assert.Throws<InvalidOperationException>(() => services.AddPileClient(static _ => { }));
        Assert.Contains("'a'", Assert.Throws<InvalidOperationException>(() => services.AddKeyedPileClient("a", static _ => { })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task HealthSaysWhetherTheServerServes()
    {
        using IHost host = HostWith([], builder =>
        {
            _ = builder.Services.AddPileClient(options => options.Address = server.Address).AddKeyedPileClient("none", static options => (options.Address, options.RetriesMax) = ("http://127.0.0.1:1", 0));
            _ = builder.Services.AddHealthChecks().AddPileClient().AddPileClient("none");
        });
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancel);

        Assert.Equal(HealthStatus.Healthy, report.Entries["pile-client"].Status);
        Assert.Equal(HealthStatus.Unhealthy, report.Entries["pile-client:none"].Status);
        Assert.Contains("http://127.0.0.1:1", report.Entries["pile-client:none"].Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheStockHybridCacheHasTheServerBehindIt()
    {
        int made = 0;
        for (int machine = 0; machine < 2; machine++)
        {
            using IHost host = HostWith([], builder =>
            {
                _ = builder.Services.AddPileClient(options => options.Address = server.Address).AddPileClientDistributedCache(configure: static options => options.TableName = "hybrid");
                _ = builder.Services.AddHybridCache();
            });
            string value = await host.Services.GetRequiredService<HybridCache>().GetOrCreateAsync("a", _ => ValueTask.FromResult($"made {++made}"), cancellationToken: Cancel);
            Assert.Equal("made 1", value);

            // The stock cache writes to the one behind it after it has answered.
            IDistributedCache behind = host.Services.GetRequiredService<IDistributedCache>();
            await Within.UntilAsync(async () => await behind.GetAsync("a", Cancel) is not null, "the value has reached the server");
        }
    }

    [Fact]
    public async Task ATableThatWentWithItsServerIsMadeAgain()
    {
        ServerProcess first = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = first.Address, Deadline = TimeSpan.FromMinutes(1), RetriesMax = 10 });
        var cache = new PileClientDistributedCache(client);
        await cache.SetAsync("a", [1], Cancel);
        await first.DisposeAsync();
        await using ServerProcess second = await ServerProcess.StartAsync("--listen", first.Address);

        await Within.UntilAsync(async () => await Record.ExceptionAsync(() => cache.GetAsync("a", Cancel)) is null, "the client has found the server");
        Assert.Null(await cache.GetAsync("a", Cancel));
        await cache.SetAsync("a", Encoding.UTF8.GetBytes("two"), Cancel);
        Assert.Equal("two", await cache.GetStringAsync("a", Cancel));
    }

    private static IHost HostWith(Dictionary<string, string?> configuration, Action<HostApplicationBuilder> add)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        _ = builder.Configuration.AddInMemoryCollection(configuration);
        add(builder);
        return builder.Build();
    }
}
