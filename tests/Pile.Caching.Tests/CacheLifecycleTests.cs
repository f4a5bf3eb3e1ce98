using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Diagnostics;
using Pile.Hosting.Tests;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>A cache in files, opened and closed with the host.</summary>
public sealed class CacheLifecycleTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly RecordedLog _log = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task WhatWasCachedIsThereAfterTheNextStartAndTheLogSaysSo()
    {
        using (IHost host = InFiles())
        {
            await host.StartAsync(Cancel);
            host.Services.GetRequiredService<IDistributedCache>().SetString("a", "kept");
            await host.StopAsync(Cancel);
        }

        using IHost next = InFiles();
        await next.StartAsync(Cancel);
        Assert.Equal("kept", next.Services.GetRequiredService<IDistributedCache>().GetString("a"));
        await next.StopAsync(Cancel);

        LogLine found = Assert.Single(_log.Of(201));
        Assert.Equal("Table 'distributed' of the cache: 1 entries, it had been closed in order", found.Message);
        Assert.Equal((LogLevel.Debug, "Pile.Hosting"), (found.Level, found.Category));
        Assert.StartsWith("Found in the cache: tables 0, entries 0, bytes ", _log.Of(206)[0].Message, StringComparison.Ordinal);
        Assert.StartsWith("Found in the cache: tables 1, entries 1, bytes ", _log.Of(206)[1].Message, StringComparison.Ordinal);
        Assert.Equal([103, 206, 107, 103, 206, 107], _log.Lines.Where(static line => line.Level == LogLevel.Information && line.Category.StartsWith("Pile", StringComparison.Ordinal)).Select(static line => line.Id.Id));
        Assert.Contains($"Opening the cache in '{_directory.Path}'", _log.Of(101)[0].Message, StringComparison.Ordinal);
        Assert.Contains("Opened the cache, tag", _log.Of(103)[1].Message, StringComparison.Ordinal);
        Assert.Equal(2, _log.Of(107).Length);
        Assert.DoesNotContain(_log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task AWorkerFindsTheCacheOpenAtItsStartAndAtItsStop()
    {
        using IHost host = CacheHost.With(CacheHost.Small, _log, static services => services.AddHostedService<Worker>().AddPileDistributedCache());
        await host.StartAsync(Cancel);
        await host.StopAsync(Cancel);

        Assert.Equal("open at start, open at stop", Assert.Single(host.Services.GetServices<IHostedService>(), static service => service is Worker).ToString());
    }

    [Fact]
    public async Task ADirectoryInUseEndsTheStartAndOneOfAPileIsTakenAsItIs()
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path))
        {
            using IHost host = InFiles();
            Assert.Contains(_directory.Path, (await Assert.ThrowsAsync<PileLockedException>(() => host.StartAsync(Cancel))).Message, StringComparison.Ordinal);
            Assert.False(host.Services.GetRequiredService<HostedPileCache>().TryGet(out _));
            pile.Roots.Set("it", pile.Put(5));
        }

        using (IHost next = InFiles())
        {
            await next.StartAsync(Cancel);
            next.Services.GetRequiredService<IDistributedCache>().SetString("a", "beside");
            await next.StopAsync(Cancel);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path);
        Assert.True(again.Roots.TryGet("it", out PilePointer pointer) && again.Get<int>(pointer) == 5);
    }

    [Fact]
    public async Task AHostThatIsDisposedWithoutAStopLeavesEverythingForTheNext()
    {
        using (IHost host = InFiles())
        {
            await host.StartAsync(Cancel);
            host.Services.GetRequiredService<IDistributedCache>().SetString("a", "kept");
        }

        using PileCache cache = PileCache.Open(_directory.Path);
        Assert.Equal("kept"u8, cache.GetOrCreateTable<string, byte[]>("distributed").TryGet("a", out byte[]? value) ? value : []);
    }

    [Fact]
    public async Task AnIndexThatCanNotBeReadEndsNoStartAndTheTableIsEmpty()
    {
        using (IHost host = InFiles())
        {
            await host.StartAsync(Cancel);
            host.Services.GetRequiredService<IDistributedCache>().SetString("a", "lost");
            await host.StopAsync(Cancel);
        }

        string index = Directory.GetFiles(_directory.Path, "*", SearchOption.AllDirectories).Single(static path => Path.GetFileName(path).StartsWith("index", StringComparison.Ordinal) || path.Contains("/index", StringComparison.Ordinal));
        await File.WriteAllBytesAsync(index, new byte[new FileInfo(index).Length], Cancel);
        using IHost next = InFiles();
        await next.StartAsync(Cancel);
        Assert.Null(next.Services.GetRequiredService<IDistributedCache>().GetString("a"));
        await next.StopAsync(Cancel);
    }

    [Fact]
    public async Task ALimitBelowWhatTheFilesTakeStartsAndIsAWarning()
    {
        using (IHost host = InFiles())
        {
            await host.StartAsync(Cancel);
            IDistributedCache cache = host.Services.GetRequiredService<IDistributedCache>();
            for (int key = 0; key < 8000; key++)
            {
                cache.Set($"{key}", new byte[1000]);
            }

            await host.StopAsync(Cancel);
        }

        using IHost lowered = InFiles(limitBytes: 4 << 20);
        await lowered.StartAsync(Cancel);
        Assert.Equal(4 << 20, CacheHost.CacheOf(lowered).Pile.MemoryLimitBytes);
        LogLine warned = Assert.Single(_log.Of(205));
        Assert.Equal(LogLevel.Warning, warned.Level);
        Assert.EndsWith("more than the limit of 4194304: entries that may be evicted leave until they do not", warned.Message, StringComparison.Ordinal);
        await lowered.StopAsync(Cancel);
    }

    [Fact]
    public async Task OptionsThatATableDoesNotTakeAreAWarningOnce()
    {
        using IHost host = InFiles();
        await host.StartAsync(Cancel);
        PileCache cache = CacheHost.CacheOf(host);
        PileTableOptions made = new() { DefaultTimeToLive = TimeSpan.FromMinutes(1), MaximumEntries = 5 };
        PileTable<int, int> table = cache.GetOrCreateTable<int, int>("t", made);
        Assert.Same(table, cache.GetOrCreateTable<int, int>("t", made with { InitialCapacity = 9 }));
        Assert.Same(table, cache.GetOrCreateTable<int, int>("t"));
        await EventsAside.Written;
        Assert.Empty(_log.Of(14));

        Assert.Same(table, cache.GetOrCreateTable<int, int>("t", new PileTableOptions { MaximumEntries = 6 }));
        Assert.Same(table, cache.GetOrCreateTable<int, int>("t", new PileTableOptions()));
        await EventsAside.Written;
        LogLine warned = Assert.Single(_log.Of(14));
        Assert.Equal((LogLevel.Warning, $"Pile {cache.Pile.Tag}: the table 't' of its cache keeps the options that it has; asked for was another DefaultTimeToLive, MaximumEntries"), (warned.Level, warned.Message));
        await host.StopAsync(Cancel);
    }

    private IHost InFiles(long limitBytes = 16 << 20) => CacheHost.With(
        options =>
        {
            options.Directory = _directory.Path;
            options.Cache = options.Cache with { MemoryLimitBytes = limitBytes };
        },
        _log,
        static services => services.AddPileDistributedCache());

    private sealed class Worker(IDistributedCache cache) : IHostedService
    {
        private string _seen = "";

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            await cache.SetStringAsync("a", "b", cancellationToken);
            _seen = "open at start";
        }

        public async Task StopAsync(CancellationToken cancellationToken) =>
            _seen += await cache.GetStringAsync("a", cancellationToken) == "b" ? ", open at stop" : ", wrong";

        public override string ToString() => _seen;
    }
}
