using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Diagnostics;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>Events of piles in the logs of hosts: with their ids and levels, each once, and only while a host runs.</summary>
public sealed class EventBridgeTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task EventsAreLoggedWithTheirIdsAndLevels()
    {
        RecordedLog log = new();
        using IHost host = TestHost.With(static options => options.InMemory = true, log);
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        pile.Clear();
        await host.StopAsync(Cancel);

        LogLine[] lines = [.. log.Lines.Where(static line => line.Category == "Pile")];
        Assert.Equal([(1, "PileCreated"), (6, "PileCleared"), (2, "PileDisposed")], lines.Select(static line => (line.Id.Id, line.Id.Name)));
        Assert.All(lines, static line => Assert.Equal(LogLevel.Debug, line.Level));
        Assert.Equal($"Pile {pile.Tag} cleared", lines[1].Message);
    }

    [Fact]
    public async Task EachHostHearsItsOwnPilesAndNoneTwice()
    {
        RecordedLog first = new();
        RecordedLog second = new();
        HostApplicationBuilder builder = TestHost.Builder(first);
        _ = builder.Services.AddPile(static options => options.InMemory = true).AddKeyedPile("too", static options => options.InMemory = true);
        using IHost one = builder.Build();
        using IHost other = TestHost.With(static options => options.InMemory = true, second);
        await one.StartAsync(Cancel);
        await other.StartAsync(Cancel);
        TestHost.PileOf(other).Clear();
        one.Services.GetRequiredKeyedService<ObjectPile>("too").Clear();

        byte tagOfOther = TestHost.PileOf(other).Tag;
        Assert.Equal($"Pile {tagOfOther} cleared", Assert.Single(second.Of(6)).Message);
        Assert.Single(first.Of(6));
        Assert.Equal(2, first.Of(1).Length);
        Assert.Single(second.Of(1));

        await one.StopAsync(Cancel);
        TestHost.PileOf(other).Clear();
        Assert.Equal(2, second.Of(6).Length);
        Assert.Single(first.Of(6));
        await other.StopAsync(Cancel);
    }

    [Fact]
    public async Task WhatEventsWithoutATagTellGoesToTheHostOnWhoseBehalfTheThreadRuns()
    {
        RecordedLog first = new();
        RecordedLog second = new();
        using var files = new SimulatedFiles();
        using IHost one = TestHost.With(static options => options.InMemory = true, first);
        using IHost other = TestHost.With(options => LifecycleTests.Simulated(options, files), second);
        await one.StartAsync(Cancel);
        await other.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(other);
        _ = pile.Put(1);
        files.AtCall = static call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal))
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };
        PilePoisonedException failure = await Assert.ThrowsAsync<PilePoisonedException>(async () => await pile.CommitAsync(Cancel));

        Assert.Contains("the test wants it so", failure.Message, StringComparison.Ordinal);
        await EventsAside.Written;
        LogLine line = Assert.Single(first.Of(7).Concat(second.Of(7)));
        Assert.Equal(LogLevel.Error, line.Level);
        Assert.Contains("the test wants it so", line.Message, StringComparison.Ordinal);
        Assert.Single(second.Of(7));
        await Assert.ThrowsAnyAsync<Exception>(() => other.StopAsync(Cancel));
        await one.StopAsync(Cancel);
    }

    [Fact]
    public async Task NothingIsHeardBeforeAStartAndAfterAStop()
    {
        RecordedLog log = new();
        using ObjectPile own = ObjectPile.Create();
        using IHost host = TestHost.With(static options => options.InMemory = true, log);
        own.Clear();
        Assert.DoesNotContain(log.Lines, static line => line.Category == "Pile");

        await host.StartAsync(Cancel);
        own.Clear();
        Assert.Equal($"Pile {own.Tag} cleared", Assert.Single(log.Of(6)).Message);

        await host.StopAsync(Cancel);
        own.Clear();
        Assert.Single(log.Of(6));
    }

    [Fact]
    public async Task RefusalsOfAFullPileAreOneLineASecondWithTheNumberOfTheOthers()
    {
        RecordedLog log = new();
        ManualTime time = new();
        HostApplicationBuilder builder = TestHost.Builder(log);
        _ = builder.Services.AddSingleton<TimeProvider>(time).AddPile(static options =>
        {
            options.InMemory = true;
            options.Pile = PileOptions.Tiny with { MemoryLimitBytes = 1 << 20, WritersMax = 1 };
        });
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);
        ObjectPile pile = TestHost.PileOf(host);
        byte[] tooMuch = new byte[2 << 20];
        for (int count = 0; count < 10; count++)
        {
            Assert.False(pile.TryPut(tooMuch, out _, out _));
        }

        LogLine line = Assert.Single(log.Of(3));
        Assert.Equal(LogLevel.Warning, line.Level);
        Assert.DoesNotContain("more", line.Message, StringComparison.Ordinal);
        long refusals = pile.GetStatistics().Refusals;
        time.Move(TimeSpan.FromSeconds(1));
        Assert.False(pile.TryPut(tooMuch, out _, out _));

        Assert.Equal(2, log.Of(3).Length);
        Assert.EndsWith($"; {refusals - 1} more such refusals since the last line", log.Of(3)[1].Message, StringComparison.Ordinal);
        await host.StopAsync(Cancel);
    }
}
