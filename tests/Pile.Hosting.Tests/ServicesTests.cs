using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>Piles as services of a host.</summary>
public sealed class ServicesTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task APileIsAServiceOnceTheHostHasStarted()
    {
        using IHost host = TestHost.With(static options => options.InMemory = true);
        await host.StartAsync(Cancel);
        ObjectPile pile = host.Services.GetRequiredService<ObjectPile>();

        Assert.Equal(7, pile.Get<int>(pile.Put(7)));
        Assert.Same(pile, host.Services.GetRequiredService<HostedPile>().Pile);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task APileThatIsNotOpenYetIsRefusedWithWhatToDoInstead()
    {
        HostApplicationBuilder builder = TestHost.Builder();
        _ = builder.Services.AddKeyedPile("orders", static options => options.InMemory = true);
        using IHost host = builder.Build();

        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredKeyedService<ObjectPile>("orders"));
        Assert.StartsWith("The pile 'orders' is not open yet: the host opens it when it starts", refused.Message, StringComparison.Ordinal);
        Assert.Contains("take HostedPile in its constructor", refused.Message, StringComparison.Ordinal);
        Assert.Contains("between Build and Run awaits the host's StartAsync", refused.Message, StringComparison.Ordinal);
        Assert.False(host.Services.GetRequiredKeyedService<HostedPile>("orders").TryGet(out _));

        await host.StartAsync(Cancel);
        Assert.NotNull(host.Services.GetRequiredKeyedService<ObjectPile>("orders"));
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task PilesWithKeysStandBesideOneWithout()
    {
        HostApplicationBuilder builder = TestHost.Builder(null, ("Pile:InMemory", "true"), ("Piles:a:InMemory", "true"), ("Piles:a:MemoryLimitBytes", "4194304"), ("Piles:b:InMemory", "TRUE"));
        _ = builder.AddPile().AddKeyedPile("a").AddKeyedPile("b", static options => options.Pile = options.Pile with { MemoryLimitBytes = 8 << 20 });
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);

        ObjectPile alone = host.Services.GetRequiredService<ObjectPile>();
        ObjectPile a = host.Services.GetRequiredKeyedService<ObjectPile>("a");
        ObjectPile b = host.Services.GetRequiredKeyedService<ObjectPile>("b");
        Assert.NotSame(alone, a);
        Assert.Equal(4 << 20, a.MemoryLimitBytes);
        Assert.Equal(8 << 20, b.MemoryLimitBytes);
        await host.StopAsync(Cancel);
        Assert.All([alone, a, b], static pile => Assert.Throws<ObjectDisposedException>(() => pile.Put(1)));
    }

    [Fact]
    public void ASecondPileOfTheSameNameIsRefused()
    {
        ServiceCollection services = new();
        _ = services.AddPile(static options => options.InMemory = true).AddKeyedPile("a", static options => options.InMemory = true);

        Assert.Contains("AddKeyedPile", Assert.Throws<InvalidOperationException>(() => services.AddPile(static _ => { })).Message, StringComparison.Ordinal);
        Assert.Contains("The pile 'a' was added already", Assert.Throws<InvalidOperationException>(() => services.AddKeyedPile("a", static _ => { })).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => services.AddKeyedPile(" ", static _ => { }));
    }

    [Fact]
    public async Task AWorkerTakesTheHostedPileAndFindsItOpen()
    {
        HostApplicationBuilder builder = TestHost.Builder();
        _ = builder.Services.AddHostedService<Worker>().AddPile(static options => options.InMemory = true);
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        await host.StopAsync(Cancel);

        Assert.Equal("open at start, open at stop", Assert.Single(host.Services.GetServices<IHostedService>(), static service => service is Worker).ToString());
    }

    [Fact]
    public async Task AHostThatIsDisposedWithoutAStopClosesItsPile()
    {
        ObjectPile pile;
        using (IHost host = TestHost.With(static options => options.InMemory = true))
        {
            await host.StartAsync(Cancel);
            pile = host.Services.GetRequiredService<HostedPile>().Pile;
        }

        Assert.Throws<ObjectDisposedException>(() => pile.Put(1));
    }

    private sealed class Worker(HostedPile place) : IHostedService
    {
        private string _seen = "";

        public Task StartAsync(CancellationToken cancellationToken)
        {
            _seen = place.Pile.Get<int>(place.Pile.Put(3)) == 3 ? "open at start" : "wrong";
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken)
        {
            _seen += place.Pile.Get<int>(place.Pile.Put(4)) == 4 ? ", open at stop" : ", wrong";
            return Task.CompletedTask;
        }

        public override string ToString() => _seen;
    }
}
