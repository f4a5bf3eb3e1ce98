// Entries that a caller lets end: gone, or kept for fail-safe, as at their own end. And what is made of keys meanwhile.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class ExpireTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(PileTableKind.Speculative, false, 10)]
    [InlineData(PileTableKind.Speculative, true, 50_000)]
    [InlineData(PileTableKind.Durable, true, 10)]
    [InlineData(PileTableKind.Durable, true, 50_000)]
    public void AnEntryThatIsLetEndIsGoneAsAtItsEnd(PileTableKind kind, bool inFiles, int bytes)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        using PileWatch<int> watch = table.Watch();
        table.Set(1, new byte[bytes]);
        table.Set(2, new byte[bytes], new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) });
        Assert.True(table.Expire(1));
        Assert.True(table.Expire(2));
        Assert.False(table.Expire(2));
        Assert.False(table.Expire(3));
        Assert.Equal(0, table.Count);
        Assert.Equal(2, table.GetStatistics().Expirations);
        PileEventKinds[] told = [.. Enumerable.Range(0, 4).Select(_ => watch.TryRead(out PileTableEvent<int> one) ? one.Kind : default)];
        Assert.Equal([PileEventKinds.Inserted, PileEventKinds.Inserted, PileEventKinds.Expired, PileEventKinds.Expired], told);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false, 10)]
    [InlineData(PileTableKind.Speculative, true, 50_000)]
    [InlineData(PileTableKind.Durable, true, 10)]
    [InlineData(PileTableKind.Durable, true, 50_000)]
    public void FailSafeMayStillServeIt(PileTableKind kind, bool inFiles, int bytes)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        var safe = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) }, FailSafe = TimeSpan.FromSeconds(60), FailSafeThrottle = TimeSpan.FromSeconds(1) };
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, Factory = safe });
        _ = table.GetOrAdd(1, _ => new byte[bytes]);
        Assert.True(table.Expire(1));
        Assert.False(table.TryGet(1, out _));
        Assert.False(table.Expire(1));
        Assert.Equal(1, table.Count);
        Assert.Equal(bytes, table.GetOrAdd(1, static _ => throw new NotSupportedException()).Length);

        // No longer than at an end of its own.
        tiny.Clock.Move(TimeSpan.FromSeconds(60));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException()));
        Assert.Equal(5, table.GetOrAdd(1, static _ => new byte[5]).Length);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false, 10)]
    [InlineData(PileTableKind.Speculative, true, 50_000)]
    [InlineData(PileTableKind.Durable, true, 10)]
    [InlineData(PileTableKind.Durable, true, 50_000)]
    public void AClockThatStepsBackDoesNotShowIt(PileTableKind kind, bool inFiles, int bytes)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        var safe = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) }, FailSafe = TimeSpan.FromSeconds(60), FailSafeThrottle = TimeSpan.FromSeconds(1) };
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, Factory = safe });
        _ = table.GetOrAdd(1, _ => new byte[bytes]);
        tiny.Clock.Move(TimeSpan.FromSeconds(30));
        Assert.True(table.Expire(1));
        foreach (int seconds in (int[])[0, -1, -29, -3600])
        {
            tiny.Clock.Move(TimeSpan.FromSeconds(seconds));
            Assert.False(table.TryGet(1, out _));
            Assert.False(table.ContainsKey(1));
            Assert.False(table.Expire(1));
            tiny.Clock.Move(TimeSpan.FromSeconds(-seconds));
        }

        // Kept from the call on, and not from where the clock was set to.
        tiny.Clock.Move(TimeSpan.FromSeconds(59));
        Assert.Equal(bytes, table.GetOrAdd(1, static _ => throw new NotSupportedException()).Length);
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(TimeSpan.FromSeconds(1));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException()));
        Assert.Equal(5, table.GetOrAdd(1, static _ => new byte[5]).Length);
    }

    [Fact]
    public void ARestartKnowsThatADurableEntryWasLetEndWhateverTheClockSays()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        var safe = new PileFactoryOptions { FailSafe = TimeSpan.FromSeconds(60) };
        SimulatedFiles killed;
        using (var first = new MappedCache(files, clock))
        {
            PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
            table.Set(1, 7, new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1), KeptPastEnd = TimeSpan.FromHours(1) });
            clock.Move(TimeSpan.FromSeconds(30));
            Assert.True(table.Expire(1));
            killed = files.Fork();
        }

        clock.Move(TimeSpan.FromSeconds(-20));
        using SimulatedFiles left = killed;
        foreach (SimulatedFiles found in (SimulatedFiles[])[files, left])
        {
            using var again = new MappedCache(found, clock);
            PileTable<int, int> table = again.Table<int, int>(DurableTests.Durable);
            Assert.False(table.TryGet(1, out _));
            Assert.Equal(1, table.Count);
            Assert.Equal(7, table.GetOrAdd(1, static _ => throw new NotSupportedException(), safe));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhereThereIsNoRoomToKeepItItIsGone(bool inFiles)
    {
        using TinyCache tiny = new(limitBytes: 4 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });
        var kept = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1), KeptPastEnd = TimeSpan.FromHours(1) };
        int keys = 0;
        while (table.Set(keys, new byte[200_000], kept).IsStored)
        {
            keys++;
        }

        Assert.InRange(keys, 2, 30);
        Assert.True(table.Expire(0));
        Assert.False(table.TryGet(0, out _));
        Assert.False(table.Expire(0));
        Assert.True(table.TryGet(1, out _));
    }

    [Fact]
    public void AnEntryThatLeadsToAnObjectIsKeptTooThoughItWasStoredInThatMillisecond()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        table.SetPointer(1, tiny.Cache.Pile.Put("object"), new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1), KeptPastEnd = TimeSpan.FromHours(1) });
        Assert.True(table.Expire(1));
        Assert.False(table.TryGet(1, out _));
        Assert.Equal("object", table.GetOrAdd(1, static _ => throw new NotSupportedException(), new PileFactoryOptions { FailSafe = TimeSpan.FromHours(1) }));
    }

    [Fact]
    public async Task WhatAFactoryIsMakingOfItIsNotStored()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var gate = new TaskCompletionSource<int>();
        Task<int> made = table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), null, Stop).AsTask();
        Assert.False(table.Expire(1));
        gate.SetResult(7);
        Assert.Equal(7, await made);
        Assert.False(table.ContainsKey(1));
    }

    [Fact]
    public async Task AClearOfAScopeKeepsWhatIsBeingMadeOfItsKeysFromBeingStoredAndNothingElse()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        var gate = new TaskCompletionSource<int>();
        string[] keys = ["Left\u001Fa", "left\u001Fb", "lefter\u001Fa", "left"];
        Task<int>[] made = [.. keys.Select(key => table.GetOrAddAsync(key, (_, _) => new ValueTask<int>(gate.Task), null, Stop).AsTask())];
        Assert.Equal(0, table.WithPrefix("left").Clear());
        gate.SetResult(7);
        Assert.All(await Task.WhenAll(made), static value => Assert.Equal(7, value));
        Assert.Equal([false, false, true, true], keys.Select(table.ContainsKey));
    }

    [Theory]
    [InlineData(false, PileTableKind.Speculative)]
    [InlineData(true, PileTableKind.Speculative)]
    [InlineData(true, PileTableKind.Durable)]
    public void AClearOfAScopeTakesWhatIsKeptPastItsEndAndWhatIsRememberedInPlaceOfAValue(bool inFiles, PileTableKind kind)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<string, string> table = tiny.Table<string, string>(new PileTableOptions { Kind = kind });
        var hour = TimeSpan.FromHours(1);
        var kept = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1), KeptPastEnd = hour };
        var remembered = new PileFactoryOptions { FailureTimeToLive = hour };
        foreach (string scope in (string[])["left", "right"])
        {
            table.WithPrefix(scope).Set("shown", "old");
            table.WithPrefix(scope).Set("kept", "old", kept);
            Assert.False(table.TryGetOrAdd($"{scope}\u001Fnothing", 0, (_, _) => new PileAnswer<string>(hour), out _));
            Assert.Throws<NotSupportedException>(() => table.GetOrAdd($"{scope}\u001Ffailed", static _ => throw new NotSupportedException(), remembered));
        }

        tiny.Clock.Move(TimeSpan.FromSeconds(2));
        Assert.Equal(1, table.WithPrefix("left").Clear());
        Assert.Equal(4, table.Count);
        var stale = new PileFactoryOptions { StaleWhileRevalidate = hour };
        Assert.All((string[])["shown", "kept", "nothing", "failed"], key => Assert.Equal("new", table.GetOrAdd($"left\u001F{key}", static _ => "new", stale)));
        Assert.Equal("old", table.GetOrAdd("right\u001Fkept", static _ => "new", new PileFactoryOptions { FailSafe = hour, StaleWhileRevalidate = hour }));
    }

    [Fact]
    public void AClearOfAScopeReadsNoValue()
    {
        using TinyCache tiny = new();
        PileTable<string, string> table = tiny.Table<string, string>();
        PileTable<string, int> numbers = new(tiny.Cache, table.Core);
        for (int key = 0; key < 100; key++)
        {
            table.WithPrefix("left").Set($"{key}", "value");
            numbers.Set($"right\u001F{key}", key);
        }

        Assert.Throws<PileTypeMismatchException>(() => table.TryGet("right\u001F1", out _));
        Assert.Equal(100, table.WithPrefix("left").Clear());
        Assert.Equal(100, table.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ALateAnswerIsStoredWhereThatIsAskedFor(bool isKept)
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { HardTimeout = TimeSpan.FromSeconds(3), KeepLateAnswers = isKept };
        var gate = new TaskCompletionSource<string>();
        var tokens = new TaskCompletionSource<CancellationToken>();
        Task<string> waiting = table.GetOrAddAsync(
            1,
            (_, token) =>
            {
                tokens.SetResult(token);
                return new ValueTask<string>(gate.Task);
            },
            options,
            Stop).AsTask();
        CancellationToken given = await tokens.Task.WaitAsync(Stop);
        while (tiny.Clock.Waiting == 0)
        {
            Stop.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        tiny.Clock.Move(TimeSpan.FromSeconds(3));
        await Assert.ThrowsAsync<TimeoutException>(() => waiting);
        Assert.Equal(!isKept, given.IsCancellationRequested);
        gate.SetResult("late");
        if (isKept)
        {
            Assert.Equal("late", await table.GetOrAddAsync(1, static (_, _) => throw new InvalidOperationException("a second call"), null, Stop));
        }

        Assert.Equal(isKept ? "late" : "next", table.GetOrAdd(1, static _ => "next"));
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false, false)]
    [InlineData(PileTableKind.Speculative, true, true)]
    [InlineData(PileTableKind.Durable, true, false)]
    [InlineData(PileTableKind.Durable, true, true)]
    public void AnEntryThatIsChangedAsItIsLetEndEndsAsWell(PileTableKind kind, bool inFiles, bool isKept)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        var options = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) } };
        if (isKept)
        {
            options = new PileFactoryOptions { Entry = options.Entry, FailSafe = TimeSpan.FromSeconds(60) };
        }

        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions { Kind = kind, Factory = options });
        AtTheSecondRead(() => Assert.True(table.Update(1, "changed", static (_, text) => text, options.Entry).IsStored));
        Assert.True(ExpireIn(table));
        Assert.False(table.TryGet(1, out _));

        // Who removes it has ended it.
        AtTheSecondRead(() => Assert.True(table.Remove(1)));
        Assert.False(ExpireIn(table));

        void AtTheSecondRead(Action change)
        {
            int reads = 0;
            _ = table.GetOrAdd(1, static _ => "first");
            tiny.Clock.AtRead = () =>
            {
                if (++reads == 2)
                {
                    tiny.Clock.AtRead = null;
                    change();
                }
            };
        }

        bool ExpireIn(PileTable<int, string> of)
        {
            bool hasEnded = of.Expire(1);
            Assert.Null(tiny.Clock.AtRead);
            return hasEnded;
        }
    }

    [Fact]
    public async Task AFactoryWhoseCallersHaveAllCancelledIsAbandonedEvenSo()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { HardTimeout = TimeSpan.FromSeconds(3), KeepLateAnswers = true };
        using var cancellation = new CancellationTokenSource();
        var abandoned = new TaskCompletionSource();
        Task<string> waiting = table.GetOrAddAsync(
            1,
            async (_, token) =>
            {
                try
                {
                    return await new TaskCompletionSource<string>().Task.WaitAsync(token);
                }
                finally
                {
                    abandoned.SetResult();
                }
            },
            options,
            cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await abandoned.Task.WaitAsync(Stop);
    }
}
