using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>The health check, asked through the host's own service.</summary>
public sealed class HealthTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly RecordedLog _log = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task APileIsUnhealthyBeforeItIsOpenHealthyWhileItIsAndUnhealthyAfterwards()
    {
        using IHost host = With(static options => options.InMemory = true);
        Assert.Equal("The pile is not open yet.", (await RequireAsync(host, HealthStatus.Unhealthy)).Description);

        await host.StartAsync(Cancel);
        _ = TestHost.PileOf(host).Put(1);
        HealthReportEntry healthy = await RequireAsync(host, HealthStatus.Healthy);
        Assert.Equal("The pile is in order.", healthy.Description);
        Assert.Equal(1L, healthy.Data["objects"]);
        Assert.DoesNotContain("diskFreeBytes", healthy.Data.Keys);

        await host.StopAsync(Cancel);
        Assert.Equal("The pile was disposed.", (await RequireAsync(host, HealthStatus.Unhealthy)).Description);
    }

    [Fact]
    public async Task EachPileHasACheckOfItsOwn()
    {
        HostApplicationBuilder builder = TestHost.Builder(null, ("Piles:a:InMemory", "true"));
        _ = builder.AddKeyedPile("a");
        _ = builder.Services.AddHealthChecks().AddPile("a", tags: ["ready"]);
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(static check => check.Tags.Contains("ready"), Cancel);
        Assert.Equal(HealthStatus.Healthy, report.Entries["pile:a"].Status);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task AFailedWriteIsUnhealthyWithTheFailure()
    {
        using var files = new SimulatedFiles();
        using IHost host = With(options => LifecycleTests.Simulated(options, files));
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        _ = pile.Put(1);
        files.AtCall = static call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal))
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };
        Assert.Throws<PilePoisonedException>(pile.Commit);

        HealthReportEntry entry = await RequireAsync(host, HealthStatus.Unhealthy);
        Assert.Contains("nothing can be written: close the pile, see to the device", entry.Description, StringComparison.Ordinal);
        Assert.IsType<PilePoisonedException>(entry.Exception);
        await Assert.ThrowsAnyAsync<Exception>(() => host.StopAsync(Cancel));
    }

    [Fact]
    public async Task ADamagedTableIsUnhealthy()
    {
        const int Objects = 2 * Limits.TablePageSlots;
        PilePointer damaged = default;
        PileOptions options = new() { DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) };
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, options))
        {
            for (int index = 0; index < Objects; index++)
            {
                damaged = pile.Put(index);
            }
        }

        using (FileStream table = File.OpenWrite(Assert.Single(Directory.GetFiles(_directory.Path, "table.*"))))
        {
            table.Position = TableHeader.Bytes + (damaged.Slot * (long)Limits.WordBytes);
            table.Write(new byte[Limits.WordBytes]);
        }

        using IHost host = With(pileOptions =>
        {
            pileOptions.Directory = _directory.Path;
            pileOptions.Pile = options;
        });
        await host.StartAsync(Cancel);
        Assert.False(TestHost.PileOf(host).TryGet(damaged, out int _, out PileStatus status));
        Assert.Equal(PileStatus.Corrupted, status);
        TestHost.PileOf(host).Durable!.Core.Counted.Wait(Cancel);

        HealthReportEntry entry = await RequireAsync(host, HealthStatus.Unhealthy);
        Assert.Contains("entries of its table are damaged", entry.Description, StringComparison.Ordinal);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task ACorruptedObjectIsUnhealthyAndInTheLog()
    {
        byte[] content = [.. Enumerable.Range(1, 100).Select(static value => (byte)value)];
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path))
        {
            pointer = pile.PutBytes(content);
        }

        string extent = Assert.Single(Directory.GetFiles(Path.Combine(_directory.Path, "extents")));
        using (FileStream file = File.Open(extent, FileMode.Open))
        {
            byte[] head = new byte[4 << 20];
            file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false);
            file.Position = head.AsSpan().IndexOf(content) + 50;
            Assert.True(file.Position >= 50);
            file.WriteByte(0);
        }

        using IHost host = With(options => options.Directory = _directory.Path);
        await host.StartAsync(Cancel);
        Assert.False(TestHost.PileOf(host).TryLease(pointer, out _, out PileStatus status));
        Assert.Equal(PileStatus.Corrupted, status);

        Assert.Equal("The pile: 1 objects are corrupted.", (await RequireAsync(host, HealthStatus.Unhealthy)).Description);
        await EventsAside.Written;
        Assert.Contains($"the object of slot {pointer.Slot} is corrupted", Assert.Single(_log.Of(11)).Message, StringComparison.Ordinal);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task AFullPileIsDegradedUntilObjectsAreDeleted()
    {
        using IHost host = With(static options =>
        {
            options.InMemory = true;
            options.Pile = PileOptions.Tiny with { MemoryLimitBytes = 4 << 20, WritersMax = 1 };
        }, static health => health.NearLimit = 0.5);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        Assert.Equal(HealthStatus.Healthy, (await RequireAsync(host, HealthStatus.Healthy)).Status);
        while (pile.TryPut(new byte[1000], out _, out _))
        {
        }

        Assert.Contains("It is nearly full", (await RequireAsync(host, HealthStatus.Degraded)).Description, StringComparison.Ordinal);
        pile.Clear();
        _ = await RequireAsync(host, HealthStatus.Healthy);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task ALowDeviceIsDegraded()
    {
        using var files = new SimulatedFiles { CapacityBytes = 1L << 30 };
        ObjectPile.Open("/pile", LifecycleTests.OptionsOn(files)).Dispose();
        using IHost host = With(options =>
        {
            LifecycleTests.Simulated(options, files);
            options.Pile = options.Pile with { DiskReserveBytes = 2L << 30 };
        });
        await host.StartAsync(Cancel);

        HealthReportEntry entry = await RequireAsync(host, HealthStatus.Degraded);
        Assert.Contains("It can't grow", entry.Description, StringComparison.Ordinal);
        Assert.True((long)entry.Data["diskFreeBytes"] < 1L << 30);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task AFlushThatIsLateIsDegradedUntilItHasCompleted()
    {
        using var files = new SimulatedFiles();
        var time = new ManualTime();
        using IHost host = With(options => LifecycleTests.Simulated(options, files), static health => health.FlushLag = TimeSpan.FromMinutes(1), time);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        _ = pile.Put("before the first look");
        _ = await RequireAsync(host, HealthStatus.Healthy);
        time.Move(TimeSpan.FromHours(9));
        _ = await RequireAsync(host, HealthStatus.Healthy);

        _ = pile.Put("after it");
        _ = await RequireAsync(host, HealthStatus.Healthy);
        time.Move(TimeSpan.FromMinutes(61));
        _ = await RequireAsync(host, HealthStatus.Healthy);
        time.Move(TimeSpan.FromSeconds(1));
        Assert.Contains("Its flush is late: for 3,661 s at least", (await RequireAsync(host, HealthStatus.Degraded)).Description, StringComparison.Ordinal);

        pile.Commit();
        _ = await RequireAsync(host, HealthStatus.Healthy);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task APileThatNeverFlushesByItselfHasNoFlushThatIsLate()
    {
        using var files = new SimulatedFiles();
        var time = new ManualTime();
        using IHost host = With(
            options =>
            {
                LifecycleTests.Simulated(options, files);
                options.Pile = options.Pile with { Promise = PilePromise.ProcessSafe };
            },
            static health => health.FlushLag = TimeSpan.Zero,
            time);
        await host.StartAsync(Cancel);
        _ = await RequireAsync(host, HealthStatus.Healthy);

        _ = TestHost.PileOf(host).Put("never flushed");
        _ = await RequireAsync(host, HealthStatus.Healthy);
        time.Move(TimeSpan.FromDays(1));
        _ = await RequireAsync(host, HealthStatus.Healthy);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task ACleanerThatIsBehindIsDegradedUntilItIsNot()
    {
        var time = new ManualTime();
        using IHost host = With(
            static options =>
            {
                options.InMemory = true;
                options.Pile = PileOptions.Tiny with { MemoryLimitBytes = 4 << 20, WritersMax = 1, BackgroundCleaning = false };
            },
            static health => (health.NearLimit, health.RoomWaitsPerSecond) = (1, 0.5),
            time);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        _ = await RequireAsync(host, HealthStatus.Healthy);
        PilePointer pointer = pile.Put(new byte[1000]);
        while (pile.GetStatistics().RoomWaits < 10)
        {
            pile.Update(pointer, new byte[1000]);
        }

        time.Move(TimeSpan.FromSeconds(2));
        Assert.Contains("The cleaner is behind: 5 calls a second", (await RequireAsync(host, HealthStatus.Degraded)).Description, StringComparison.Ordinal);
        time.Move(TimeSpan.FromSeconds(1));
        _ = await RequireAsync(host, HealthStatus.Healthy);
        await host.StopAsync(Cancel);
    }

    [Theory]
    [InlineData(false, HealthStatus.Healthy)]
    [InlineData(true, HealthStatus.Degraded)]
    public async Task APileThatIsNotWarmIsDegradedWhereThatIsAsked(bool wantsWarm, HealthStatus expected)
    {
        using IHost host = With(options => options.Directory = _directory.Path, health => health.WantsWarm = wantsWarm);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);

        // As a large pile whose objects are still being counted.
        long counted = pile.Durable!.Core.CountedSlots;
        pile.Durable.Core.CountedSlots = Limits.FirstSlot;
        Assert.False(pile.IsWarm());
        _ = await RequireAsync(host, expected);
        pile.Durable.Core.CountedSlots = counted;
        _ = await RequireAsync(host, HealthStatus.Healthy);
        await host.StopAsync(Cancel);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1.1)]
    [InlineData(double.NaN)]
    public void ANearLimitThatCanNotBeIsRefused(double nearLimit)
    {
        ServiceCollection services = new();
        ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(() => services.AddHealthChecks().AddPile(configure: health => health.NearLimit = nearLimit));
        Assert.Contains("PileHealthOptions.NearLimit must be above 0 and up to 1.", refused.Message, StringComparison.Ordinal);
    }

    private IHost With(Action<PileHostOptions> configure, Action<PileHealthOptions>? configureHealth = null, TimeProvider? time = null)
    {
        HostApplicationBuilder builder = TestHost.Builder(_log);
        _ = builder.Services.AddSingleton(time ?? TimeProvider.System);
        _ = builder.Services.AddPile(configure).AddHealthChecks().AddPile(configure: configureHealth);
        return builder.Build();
    }

    private static async Task<HealthReportEntry> RequireAsync(IHost host, HealthStatus status)
    {
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancel);
        HealthReportEntry entry = report.Entries["pile"];
        Assert.True(entry.Status == status, $"{entry.Status}, not {status}: {entry.Description}");
        return entry;
    }
}
