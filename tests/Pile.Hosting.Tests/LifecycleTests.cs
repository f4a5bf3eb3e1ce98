using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Memory;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>Opening and closing with the host: what is kept, what the log says, and what ends a start or a stop.</summary>
public sealed class LifecycleTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly RecordedLog _log = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task WhatWasStoredIsThereAfterTheNextStart()
    {
        PilePointer pointer;
        using (IHost host = InFiles())
        {
            await host.StartAsync(Cancel);
            pointer = TestHost.PileOf(host).Put("kept");
            await host.StopAsync(Cancel);
        }

        using IHost next = InFiles();
        await next.StartAsync(Cancel);
        Assert.Equal("kept", TestHost.PileOf(next).Get<string>(pointer));
        Assert.Equal(PileOpening.Clean, TestHost.PileOf(next).RecoveryReport().Opening);
        await next.StopAsync(Cancel);

        Assert.Equal(2, _log.Of(101).Length);
        Assert.Contains(_directory.Path, _log.Of(101)[0].Message, StringComparison.Ordinal);
        Assert.Contains("Clean", _log.Of(103)[1].Message, StringComparison.Ordinal);
        Assert.Equal(2, _log.Of(107).Length);
        Assert.DoesNotContain(_log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task ARelativeDirectoryIsOneOfTheContentRoot()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true, ContentRootPath = Directory.CreateDirectory(_directory.Path).FullName });
        _ = builder.Services.AddPile(static options => options.Directory = "data");
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        await host.StopAsync(Cancel);

        Assert.True(File.Exists(Path.Combine(_directory.Path, "data", "pile.meta")));
    }

    [Fact]
    public async Task ADirectoryInUseEndsTheStart()
    {
        using ObjectPile other = ObjectPile.Open(_directory.Path);
        using IHost host = InFiles();

        PileLockedException locked = await Assert.ThrowsAsync<PileLockedException>(() => host.StartAsync(Cancel));
        Assert.Contains(_directory.Path, locked.Message, StringComparison.Ordinal);
        Assert.False(host.Services.GetRequiredService<HostedPile>().TryGet(out _));
    }

    [Fact]
    public async Task ACancelledStartLeavesTheDirectoryToTheNextOne()
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path))
        {
            pile.Roots.Set("it", pile.Put(5));
        }

        using CancellationTokenSource ending = new();
        _log.AtLine = line =>
        {
            if (line.Id.Id == 101)
            {
                ending.Cancel();
            }
        };
        using (IHost host = InFiles())
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => host.StartAsync(ending.Token));
        }

        _log.AtLine = static _ => { };
        using IHost next = InFiles();
        await next.StartAsync(Cancel);
        Assert.True(TestHost.PileOf(next).Roots.TryGet("it", out PilePointer pointer));
        Assert.Equal(5, TestHost.PileOf(next).Get<int>(pointer));
        await next.StopAsync(Cancel);
    }

    /// <summary>The container disposes what it was asked for after the host has stopped, and throws what that throws: out of Main, where a host runs.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task APinThatOutlastsTheHostEndsNoProgram(bool isStopped)
    {
        HostApplicationBuilder builder = TestHost.Builder(_log);
        _ = builder.Services.AddPile(static options => options.InMemory = true);
        IHost host = builder.Build();
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        PilePointer pointer = pile.Put("kept");
        using (PilePin pin = pile.Pin(pointer))
        {
            if (isStopped)
            {
                await host.StopAsync(new CancellationToken(canceled: true));
            }

            host.Dispose();

            Assert.All(_log.Of(108), static line => Assert.Contains("1 pin(s)", Assert.IsType<PileBusyException>(line.Exception).Message, StringComparison.Ordinal));
            Assert.Equal(isStopped ? 2 : 1, _log.Of(108).Length);
            Assert.Equal("kept"u8, pin.Memory.Span);
            _ = Assert.Throws<ObjectDisposedException>(() => pile.Put(1));
        }

        pile.Dispose();
    }

    [Fact]
    public async Task APinThatOutlastsTheShutdownIsLoggedAndNothingIsLost()
    {
        using var files = new SimulatedFiles();
        HostApplicationBuilder builder = TestHost.Builder(_log);
        _ = builder.Services.AddPile(options => Simulated(options, files));
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        PilePointer pointer = pile.Put("kept");
        using (PilePin pin = pile.Pin(pointer))
        {
            // The time is over before it begins: the flush and one try to close come all the same.
            await host.StopAsync(new CancellationToken(canceled: true));

            LogLine line = Assert.Single(_log.Of(108));
            Assert.Equal(LogLevel.Error, line.Level);
            Assert.Contains("1 pin(s)", Assert.IsType<PileBusyException>(line.Exception).Message, StringComparison.Ordinal);
            Assert.Empty(_log.Of(107));
            Assert.Equal("kept"u8, pin.Memory.Span);
        }

        // The host is disposed at the end of the test; then nobody is inside, and the pile is closed in order.
        host.Dispose();
        using ObjectPile next = ObjectPile.Open("/pile", OptionsOn(files));
        Assert.Equal(PileOpening.Clean, next.RecoveryReport().Opening);
        Assert.Equal("kept", next.Get<string>(pointer));
    }

    [Fact]
    public async Task WhatWasStoredIsDurableBeforeReadersAreWaitedFor()
    {
        using var files = new SimulatedFiles();
        using IHost host = TestHost.With(options => Simulated(options, files), _log);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        PilePointer pointer = pile.Put("kept");
        using CancellationTokenSource ending = new();
        using (PilePin pin = pile.Pin(pointer))
        {
            PileLifecycle lifecycle = host.Services.GetServices<IHostedService>().OfType<PileLifecycle>().Single();
            Task stopping = lifecycle.StoppedAsync(ending.Token);
            Assert.True(SpinWait.SpinUntil(() => !pile.TryPut(1, out _, out PileStatus status) && status == PileStatus.Disposed, TimeSpan.FromMinutes(1)));

            // It waits for the pin. The power is cut now.
            using (SimulatedFiles left = files.PowerCut(new Random(11)))
            using (ObjectPile recovered = ObjectPile.Open("/pile", OptionsOn(left)))
            {
                Assert.Equal("kept", recovered.Get<string>(pointer));
            }

            Assert.False(stopping.IsCompleted);
            pin.Dispose();
            await stopping;
        }

        _ = Assert.Single(_log.Of(107));
        Assert.Empty(_log.Of(108));
    }

    [Fact]
    public async Task AFailedSyncAtTheStopEndsItWithTheFailure()
    {
        using var files = new SimulatedFiles();
        using IHost host = TestHost.With(options => Simulated(options, files), _log);
        await host.StartAsync(Cancel);
        _ = TestHost.PileOf(host).Put("lost by the device");
        files.AtCall = static call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal))
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };

        Exception failure = await Assert.ThrowsAnyAsync<Exception>(() => host.StopAsync(Cancel));
        Assert.Contains("the test wants it so", failure.ToString(), StringComparison.Ordinal);
        Assert.IsType<PilePoisonedException>(Assert.Single(_log.Of(109)).Exception);
        _ = Assert.Single(_log.Of(110));
        files.AtCall = null;
    }

    [Fact]
    public async Task DamageAndAcceptedLossAreWarnings()
    {
        HostApplicationBuilder builder = TestHost.Builder(_log, ("Pile:Directory", _directory.Path), ("Pile:AcceptLoss", "true"));
        _ = builder.AddPile();
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        await host.StopAsync(Cancel);

        Assert.Equal(LogLevel.Warning, Assert.Single(_log.Of(106)).Level);
    }

    [Fact]
    public void ALongRecoveryTellsEachTenthOnceAndAShortOneNone()
    {
        using LoggerFactory loggers = new([_log]);
        ManualTime time = new();
        RecoveryLog quick = new(loggers.CreateLogger(PileLog.Category), "the pile", time);
        RecoveryLog progress = new(loggers.CreateLogger(PileLog.Category), "the pile", time);
        progress.Report(new PileRecoveryProgress(0, 0));
        for (long bytes = 0; bytes <= 2000; bytes++)
        {
            quick.Report(new PileRecoveryProgress(bytes, 2000));
        }

        Assert.Empty(_log.Of(102));
        for (long bytes = 0; bytes <= 2000; bytes++)
        {
            time.Move(TimeSpan.FromMilliseconds(5));
            progress.Report(new PileRecoveryProgress(bytes, 2000));
        }

        Assert.Equal(Enumerable.Range(1, 10).Select(static tenth => $"Recovering the pile: {tenth * 10} % of 2000 bytes"), _log.Of(102).Select(static line => line.Message));
    }

    [Fact]
    public async Task ARecoveryIsToldToTheLog()
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path))
        {
            for (int index = 0; index < 1000; index++)
            {
                _ = pile.Put(new byte[1000]);
            }
        }

        File.Delete(Assert.Single(Directory.GetFiles(_directory.Path, "table.*")));
        HostApplicationBuilder builder = TestHost.Builder(_log, ("Pile:Directory", _directory.Path));
        _ = builder.AddPile();
        _ = builder.Services.AddSingleton<TimeProvider>(new ManualTime { Step = TimeSpan.FromSeconds(1) });
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        await host.StopAsync(Cancel);

        Assert.NotEmpty(_log.Of(102));
        Assert.Contains("Crawled", Assert.Single(_log.Of(103)).Message, StringComparison.Ordinal);
    }

    internal static void Simulated(PileHostOptions options, SimulatedFiles files)
    {
        options.Directory = "/pile";
        options.Pile = OptionsOn(files);
    }

    internal static PileOptions OptionsOn(SimulatedFiles files) => PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 4 << 20,
        FlushInterval = TimeSpan.FromHours(1),
    };

    private IHost InFiles() => TestHost.With(options => options.Directory = _directory.Path, _log);
}
