// Factories that refresh an entry in the background, ahead of its end or behind it, and what becomes of it where they fail.
// The clock stands until it is moved.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Factories;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class RefreshTests
{
    private static readonly TimeSpan _tick = TimeSpan.FromTicks(1);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task StaleWhileRevalidateServesAtOnceAndRefreshesOnceInTheBackground()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) }, StaleWhileRevalidate = TimeSpan.FromSeconds(5) };
        _ = table.GetOrAdd(1, static _ => "old", options);
        tiny.Clock.Move(TimeSpan.FromSeconds(15) - _tick);
        var gate = new TaskCompletionSource<string>();
        int calls = 0;
        ValueTask<string> Make(int key, CancellationToken token)
        {
            Interlocked.Increment(ref calls);
            return new ValueTask<string>(gate.Task);
        }

        for (int call = 0; call < 10; call++)
        {
            Assert.Equal("old", await table.GetOrAddAsync(1, Make, options, Stop));
        }

        gate.SetResult("new");
        await Until(() => table.TryGet(1, out string? value) && value == "new");
        Assert.Equal(1, calls);

        tiny.Clock.Move(TimeSpan.FromSeconds(15));
        Assert.Equal("newer", table.GetOrAdd(1, static _ => "newer", options));
    }

    [Fact]
    public async Task AnEagerRefreshComesBeforeTheEndAndNoReadWaits()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions
        {
            Factory = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) }, EagerRefresh = 0.8 },
        });
        int calls = 0;
        string Make(int key) => $"made {Interlocked.Increment(ref calls)}";

        Assert.Equal("made 1", table.GetOrAdd(1, Make));
        tiny.Clock.Move(TimeSpan.FromSeconds(8) - _tick);
        Assert.Equal("made 1", table.GetOrAdd(1, Make));
        Assert.Equal(1, table.GetStatistics().FactoryCalls);
        tiny.Clock.Move(_tick);
        Assert.Equal("made 1", table.GetOrAdd(1, Make));
        await Until(() => table.TryGet(1, out string? value) && value == "made 2");
        Assert.Equal("made 2", table.GetOrAdd(1, Make));
        Assert.Equal(2, calls);
    }

    [Fact]
    public async Task AnEagerRefreshThatFindsNoValueTakesTheEntryAway()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions { EagerRefresh = 0.5 };
        table.Set(1, "old", new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) });
        tiny.Clock.Move(TimeSpan.FromSeconds(5));

        Assert.True(table.TryGetOrAdd(1, 0, static (_, _) => default, out string? value, options) && value == "old");
        await Until(() => !table.ContainsKey(1));
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public async Task AnEagerRefreshThatFailsLeavesTheEntryAsItWas(PileTableKind kind, bool isSafe)
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions { Kind = kind });
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) },
            EagerRefresh = 0.5,
            FailureTimeToLive = TimeSpan.FromSeconds(20),
            FailSafe = isSafe ? TimeSpan.FromHours(1) : null,
        };
        Assert.Equal("old", table.GetOrAdd(1, static _ => "old", options));
        Assert.True(table.TryGet(1, out _, out PileEntryVersion version));
        tiny.Clock.Move(TimeSpan.FromSeconds(5));
        Assert.Equal("old", await FailAsync(table, options));

        Assert.True(table.TryGet(1, out string? shown, out PileEntryVersion after) && shown == "old");
        Assert.Equal(version, after);
        tiny.Clock.Move(TimeSpan.FromSeconds(5) - _tick);
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(_tick);
        Assert.False(table.TryGet(1, out _));
    }

    [Fact]
    public async Task WithinStaleWhileRevalidateAnEntryIsServedWhenARefreshHasFailedToo()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) },
            StaleWhileRevalidate = TimeSpan.FromSeconds(5),
            FailureTimeToLive = TimeSpan.FromSeconds(60),
        };
        Assert.Equal("old", table.GetOrAdd(1, static _ => "old", options));
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        for (int read = 0; read < 3; read++)
        {
            Assert.Equal("old", await FailAsync(table, options));
            Assert.False(table.TryGet(1, out _));
        }

        // Behind it the failure is the caller's, and remembered.
        tiny.Clock.Move(TimeSpan.FromSeconds(5));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException(), options));
        Assert.Throws<PileFactoryException>(() => table.GetOrAdd(1, static _ => "new", options));
    }

    /// <summary>Reads the key 1, and waits for the refresh in the background that this begins, which fails.</summary>
    private static async Task<string> FailAsync(PileTable<int, string> table, PileFactoryOptions options)
    {
        var begun = new TaskCompletionSource<Task>();
        string read = table.GetOrAdd(
            1,
            _ =>
            {
                begun.SetResult(FactoryFlight.OfFlow!.Done);
                throw new NotSupportedException();
            },
            options);
        await (await begun.Task.WaitAsync(Stop)).WaitAsync(Stop);
        return read;
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
