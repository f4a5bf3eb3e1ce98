// Entries that are kept past their end: shown to nobody, served by GetOrAdd when the factory fails, is slow, or refreshes them.
// The clock stands until it is moved, and timers fire as it is.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class StaleTests
{
    private static readonly TimeSpan _tick = TimeSpan.FromTicks(1);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void AnEntryThatIsKeptPastItsEndIsShownToNobodyFromTheTickOfItsEndOn()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var options = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10), KeptPastEnd = TimeSpan.FromSeconds(20) };
        table.Set(1, new byte[100], options);
        table.Set(2, new byte[50_000], options);

        tiny.Clock.Move(TimeSpan.FromSeconds(10) - _tick);
        Assert.All(new[] { 1, 2 }, key =>
        {
            Assert.True(table.TryGet(key, new byte[50_000], out int bytes) && bytes == (key == 1 ? 100 : 50_000));
            Assert.True(table.TryGet(key, out byte[]? value) && value.Length == bytes);
            Assert.Equal(bytes, table.SizeOf(key));
            Assert.True(table.TryGetExpiration(key, out DateTimeOffset? end) && end == tiny.Clock.GetUtcNow() + _tick);
        });
        Assert.Equal(2, table.GetMany([1, 2], new byte[]?[2].AsSpan()));
        Assert.Equal(2, table.Enumerate().Count(item => item.Value.Length == (item.Key == 1 ? 100 : 50_000)));
        tiny.Clock.Move(_tick);
        Assert.All(new[] { 1, 2 }, key =>
        {
            Assert.False(table.TryGet(key, new byte[50_000], out _));
            Assert.False(table.TryGet(key, out _));
            Assert.False(table.ContainsKey(key));
            Assert.False(table.Refresh(key));
            Assert.Equal(-1, table.SizeOf(key));
            Assert.Equal(PileSetOutcome.Refused, table.Replace(key, [1]).Outcome);
        });
        Assert.Empty(table.Enumerate());
        Assert.Equal(2, table.Count);
        tiny.Tick(3);
        Assert.Equal(2, table.Count);
        tiny.Clock.Move(TimeSpan.FromSeconds(20));
        tiny.Tick(3);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void ASlidingEntryIsKeptPastItsEndToo()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(10), KeptPastEnd = TimeSpan.FromSeconds(5) });

        tiny.Clock.Move(TimeSpan.FromSeconds(9));
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(TimeSpan.FromSeconds(10) - _tick);
        Assert.True(table.ContainsKey(1));
        tiny.Clock.Move(_tick);
        Assert.False(table.TryGet(1, out _));
        Assert.Equal(1, table.GetOrAdd(1, static _ => throw new NotSupportedException(), new PileFactoryOptions { FailSafe = TimeSpan.FromSeconds(5) }));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnEntryThatIsKeptForEverEndsAllTheSame(bool isSliding)
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var life = TimeSpan.FromSeconds(10);
        PileEntryOptions entry = isSliding ? new PileEntryOptions { SlidingExpiration = life } : new PileEntryOptions { TimeToLive = life };
        table.Set(1, 1, entry with { KeptPastEnd = TimeSpan.MaxValue });
        foreach (PileFactoryOptions options in (PileFactoryOptions[])[new() { Entry = entry, FailSafe = TimeSpan.MaxValue }, new() { Entry = entry, StaleWhileRevalidate = TimeSpan.MaxValue }])
        {
            _ = table.GetOrAdd(2, static _ => 2, options);
            _ = table.GetOrAdd(1, static _ => 1, options);
            tiny.Clock.Move(life - _tick);
            Assert.True(table.TryGet(1, out _) && table.TryGet(2, out _));
            tiny.Clock.Move(isSliding ? life : _tick);
            Assert.False(table.TryGet(1, out _));
            Assert.False(table.TryGet(2, out _));

            // A thousand years later there is still something to serve.
            tiny.Clock.Move(TimeSpan.FromDays(365_000));
            Assert.Equal(2, table.GetOrAdd(2, static _ => throw new NotSupportedException(), new PileFactoryOptions { FailSafe = TimeSpan.MaxValue }));
            _ = table.Remove(2);
            _ = table.Remove(1);
        }
    }

    [Fact]
    public void FailSafeServesAnEndedEntryWithinItsLimitAndAsksAgainAfterTheThrottle()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) },
            FailSafe = TimeSpan.FromSeconds(60),
            FailSafeThrottle = TimeSpan.FromSeconds(7),
        };
        int calls = 0;
        string Fail(int key) => throw new NotSupportedException($"no {++calls}");

        Assert.Equal("made", table.GetOrAdd(1, static _ => "made", options));
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.Equal("made", table.GetOrAdd(1, Fail, options));
        Assert.True(table.TryGet(1, out string? again) && again == "made");
        tiny.Clock.Move(TimeSpan.FromSeconds(7) - _tick);
        Assert.Equal("made", table.GetOrAdd(1, Fail, options));
        Assert.Equal(1, calls);
        tiny.Clock.Move(_tick);
        Assert.False(table.TryGet(1, out _));
        Assert.Equal("made", table.GetOrAdd(1, Fail, options));
        Assert.Equal(2, calls);

        // To the tick at which it had ended, and the limit more, though it was shown again meanwhile.
        tiny.Clock.Move(TimeSpan.FromSeconds(53) - _tick);
        Assert.Equal("made", table.GetOrAdd(1, Fail, options));
        tiny.Clock.Move(_tick);
        Assert.False(table.TryGet(1, out _));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, Fail, options));
        Assert.Equal("new", table.GetOrAdd(1, static _ => "new", options));
    }

    [Fact]
    public async Task WhatFailSafeServesIsSaidToBeStaleAndALargeValueIsServedToo()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var options = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) }, FailSafe = TimeSpan.FromSeconds(60) };
        byte[] large = [.. Enumerable.Range(0, 90_000).Select(static at => (byte)at)];
        _ = table.GetOrAdd(1, _ => large, options);
        tiny.Clock.Move(TimeSpan.FromSeconds(1));

        PileAnswer<byte[]> answer = await table.TryGetOrAddAsync<int, byte[], int>(1, 0, static (_, _, _) => throw new NotSupportedException(), options, Stop);
        Assert.True(answer.IsStale && answer.HasValue);
        Assert.Equal(large, answer.Value);
        Assert.True(table.TryGet(1, out byte[]? shown));
        Assert.Equal(large, shown);
        Assert.Equal(1, table.GetStatistics().StaleServed);
    }

    [Fact]
    public void JitterLengthensTheLifeByAPartThatTheSourceSays()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        double part = 0;
        var options = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) }, Jitter = TimeSpan.FromSeconds(4), JitterSource = () => part };
        DateTimeOffset now = tiny.Clock.GetUtcNow();

        foreach ((int key, double share) in new[] { (1, 0.0), (2, 0.25), (3, 1.0) })
        {
            part = share;
            _ = table.GetOrAdd(key, static key => key, options);
            Assert.True(table.TryGetExpiration(key, out DateTimeOffset? end));
            Assert.Equal(now + TimeSpan.FromSeconds(10 + (4 * share)), end);
        }

        _ = table.GetOrAdd(4, static key => key, options with { JitterSource = null });
        Assert.True(table.TryGetExpiration(4, out DateTimeOffset? random) && random >= now + TimeSpan.FromSeconds(10) && random < now + TimeSpan.FromSeconds(14));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AtTheSoftTimeoutTheEndedEntryIsServedAndTheFactorysValueIsStoredLater(bool isAsync)
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) },
            FailSafe = TimeSpan.FromSeconds(60),
            SoftTimeout = TimeSpan.FromSeconds(2),
            HardTimeout = TimeSpan.FromSeconds(30),
        };
        _ = table.GetOrAdd(1, static _ => "old", options);

        // The timer of that call goes a moment after its answer has come.
        await Until(() => tiny.Clock.Waiting == 0);
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        var gate = new TaskCompletionSource<string>();
        Task<string> waiting = isAsync
            ? table.GetOrAddAsync(1, (_, _) => new ValueTask<string>(gate.Task), options, Stop).AsTask()
            : Task.Run(() => table.GetOrAdd(1, _ => gate.Task.GetAwaiter().GetResult(), options), Stop);
        await Until(() => tiny.Clock.Waiting == 1);
        tiny.Clock.Move(TimeSpan.FromSeconds(2) - _tick);
        Assert.False(waiting.IsCompleted);
        tiny.Clock.Move(_tick);

        Assert.Equal("old", await waiting);
        Assert.Equal("old", await table.GetOrAddAsync(1, static (_, _) => throw new InvalidOperationException("a second call"), options, Stop));
        gate.SetResult("new");
        await Until(() => table.TryGet(1, out string? value) && value == "new");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AtTheHardTimeoutTheCallThrowsAndTheFactorysTokenIsCancelled(bool isAsync)
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { HardTimeout = TimeSpan.FromSeconds(3) };
        var gate = new TaskCompletionSource<string>();
        var cancelled = new TaskCompletionSource();
        Task<string> waiting = isAsync
            ? table.GetOrAddAsync(
                1,
                async (_, token) =>
                {
                    using CancellationTokenRegistration seen = token.Register(cancelled.SetResult);
                    return await gate.Task;
                },
                options,
                Stop).AsTask()
            : Task.Run(() => table.GetOrAdd(1, _ => gate.Task.GetAwaiter().GetResult(), options), Stop);
        await Until(() => tiny.Clock.Waiting == 1 && table.GetStatistics().FactoryCalls == 1);
        tiny.Clock.Move(TimeSpan.FromSeconds(3));

        string message = (await Assert.ThrowsAsync<TimeoutException>(() => waiting)).Message;
        Assert.Contains("'1'", message, StringComparison.Ordinal);
        Assert.Contains("HardTimeout", message, StringComparison.Ordinal);
        if (isAsync)
        {
            await cancelled.Task.WaitAsync(Stop);
        }

        gate.SetResult("late");
        Assert.Equal("next", table.GetOrAdd(1, static _ => "next"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5_000)]
    [InlineData(15_000)]
    public async Task AHardTimeoutOfLessThanAMillisecondIsWaitedForToo(long ticks)
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { HardTimeout = TimeSpan.FromTicks(ticks) };
        var gate = new TaskCompletionSource<string>();
        Task<string> waiting = table.GetOrAddAsync(1, (_, _) => new ValueTask<string>(gate.Task), options, Stop).AsTask();
        await Until(() => waiting.IsCompleted || tiny.Clock.Waiting == 1);
        tiny.Clock.Move(TimeSpan.FromTicks(ticks - 1));
        gate.SetResult("made");

        Assert.Equal("made", await waiting);
    }

    [Fact]
    public void OptionsOutOfTheirRangeAreRefusedByName()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var all = new (PileFactoryOptions Options, string Name)[]
        {
            (new PileFactoryOptions { FailSafe = TimeSpan.Zero }, "FailSafe"),
            (new PileFactoryOptions { FailSafeThrottle = TimeSpan.Zero }, "FailSafeThrottle"),
            (new PileFactoryOptions { StaleWhileRevalidate = -_tick }, "StaleWhileRevalidate"),
            (new PileFactoryOptions { EagerRefresh = 1 }, "EagerRefresh"),
            (new PileFactoryOptions { EagerRefresh = double.NaN }, "EagerRefresh"),
            (new PileFactoryOptions { Jitter = -_tick }, "Jitter"),
            (new PileFactoryOptions { SoftTimeout = _tick }, "SoftTimeout"),
            (new PileFactoryOptions { HardTimeout = TimeSpan.MaxValue }, "HardTimeout"),
            (new PileFactoryOptions { FailSafe = _tick, SoftTimeout = _tick, HardTimeout = _tick }, "SoftTimeout"),
            (new PileFactoryOptions { FailureTimeToLive = TimeSpan.Zero }, "FailureTimeToLive"),
        };

        foreach ((PileFactoryOptions options, string name) in all)
        {
            Assert.Contains($"PileFactoryOptions.{name} ", Assert.Throws<ArgumentOutOfRangeException>(() => table.GetOrAdd(1, static key => key, options)).Message, StringComparison.Ordinal);
            Assert.Throws<ArgumentOutOfRangeException>(() => tiny.Cache.GetOrCreateTable<int, int>("other", new PileTableOptions { Factory = options }));
        }

        Assert.Contains("KeptPastEnd", Assert.Throws<ArgumentOutOfRangeException>(() => table.Set(1, 1, new PileEntryOptions { TimeToLive = _tick, KeptPastEnd = -_tick })).Message, StringComparison.Ordinal);
        Assert.Contains("KeptPastEnd", Assert.Throws<ArgumentOutOfRangeException>(() => table.Set(1, 1, new PileEntryOptions { KeptPastEnd = -_tick })).Message, StringComparison.Ordinal);
    }

    private static async Task Until(Func<bool> isSo)
    {
        while (!isSo())
        {
            Stop.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }
}
