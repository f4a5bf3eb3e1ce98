// GetOrAdd: one factory call per key, what its failures and cancellations are to whom, calls within calls, and values that there are not.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class GetOrAddTests
{
    private const int Waiters = 64;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task SixtyFourWaitersCallTheFactoryOnce()
    {
        using TinyCache tiny = new();
        PileTable<string, string> table = tiny.Table<string, string>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        var gate = new TaskCompletionSource<string>();
        int calls = 0;
        ValueTask<string> Make(string key, CancellationToken token)
        {
            Interlocked.Increment(ref calls);
            return new ValueTask<string>(gate.Task);
        }

        Task<string>[] waiters = [.. Enumerable.Range(0, Waiters).Select(number => Task.Run(() => table.GetOrAddAsync(number % 2 == 0 ? "Ada" : "ADA", Make, null, Stop).AsTask(), Stop))];
        await Until(() => table.GetStatistics().FactoryJoins == Waiters - 1);
        gate.SetResult("Lovelace");

        Assert.All(await Task.WhenAll(waiters), static value => Assert.Equal("Lovelace", value));
        Assert.Equal(1, calls);
        Assert.True(table.TryGet("ada", out string? stored) && stored == "Lovelace");
    }

    [Fact]
    public void ThreadsThatAskTogetherCallTheFactoryOncePerKey()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        const int Keys = 300;
        int[] calls = new int[Keys];
        using var failures = new Failures();
        using var together = new Barrier(8);
        Action ask = () =>
        {
            for (int key = 0; key < Keys; key++)
            {
                together.SignalAndWait(Stop);
                int value = table.GetOrAdd(key, calls, static (key, calls) => Interlocked.Increment(ref calls[key]) + (key * 10));
                failures.Unless(value == (key * 10) + 1, $"key {key} has {value}");
            }
        };
        failures.Run([.. Enumerable.Repeat(ask, 8)]);

        Assert.All(calls, static count => Assert.Equal(1, count));
    }

    [Fact]
    public async Task AHitIsNoCall()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();

        Assert.Equal("one", table.GetOrAdd(1, static _ => "one"));
        Assert.Equal("one", table.GetOrAdd(1, static _ => "two"));
        Assert.Equal("one", table.GetOrAdd(1, "three", static (_, state) => state));
        Assert.Equal("one", await table.GetOrAddAsync(1, static (_, _) => throw new InvalidOperationException(), null, Stop));
        Assert.Equal(1, table.GetStatistics().FactoryCalls);
    }

    [Fact]
    public void AnErrorIsThrownToAllAndNotCached()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();

        Assert.Equal("no", Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException("no"))).Message);
        Assert.Equal(2, table.GetOrAdd(1, static _ => 2));
        Assert.Equal((2L, 1L), (table.GetStatistics().FactoryCalls, table.GetStatistics().FactoryFailures));
    }

    [Fact]
    public void AnErrorIsRememberedAsLongAsAsked()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var options = new PileFactoryOptions { FailureTimeToLive = TimeSpan.FromSeconds(10) };
        int calls = 0;
        int Fail(int key) => throw new NotSupportedException($"no {++calls}");

        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, Fail, options));
        tiny.Clock.Move(TimeSpan.FromSeconds(10) - TimeSpan.FromTicks(1));
        string message = Assert.Throws<PileFactoryException>(() => table.GetOrAdd(1, Fail, options)).Message;
        Assert.Contains("NotSupportedException: no 1", message, StringComparison.Ordinal);
        Assert.Contains("'table'", message, StringComparison.Ordinal);
        Assert.False(table.TryGet(1, out _));
        Assert.False(table.ContainsKey(1));
        tiny.Clock.Move(TimeSpan.FromTicks(1));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, Fail, options));
        Assert.Equal(2, calls);
        Assert.Equal(PileSetOutcome.Inserted, table.Set(1, 5).Outcome);
        Assert.Equal(5, table.GetOrAdd(1, Fail, options));
    }

    [Fact]
    public async Task OneWaitersCancellationDoesNotCancelTheRest()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var gate = new TaskCompletionSource<int>();
        CancellationToken given = default;
        using var first = new CancellationTokenSource();
        ValueTask<int> Make(int key, CancellationToken token)
        {
            given = token;
            return new ValueTask<int>(gate.Task);
        }

        Task<int> leaving = table.GetOrAddAsync(1, Make, null, first.Token).AsTask();
        Task<int> staying = table.GetOrAddAsync(1, Make, null, Stop).AsTask();
        await first.CancelAsync();

        Assert.Equal(first.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving)).CancellationToken);
        Assert.False(given.IsCancellationRequested);
        gate.SetResult(7);
        Assert.Equal(7, await staying);
    }

    [Fact]
    public async Task WhenAllWaitersHaveGoneTheFactorysTokenIsCancelled()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var cancelled = new TaskCompletionSource();
        using var source = new CancellationTokenSource();
        async ValueTask<int> Make(int key, CancellationToken token)
        {
            await new TaskCompletionSource().Task.WaitAsync(token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancelled.SetResult();
            return 0;
        }

        Task<int>[] leaving = [.. Enumerable.Range(0, 5).Select(_ => table.GetOrAddAsync(1, Make, null, source.Token).AsTask())];
        await source.CancelAsync();
        foreach (Task<int> waiter in leaving)
        {
            _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter);
        }

        await cancelled.Task.WaitAsync(Stop);
        Assert.Equal(3, await table.GetOrAddAsync(1, static (_, _) => new ValueTask<int>(3), null, Stop));
    }

    [Fact]
    public async Task ARemovalHoldsForAFactoryThatIsCalledBesideOneThatWaitsForItsCaller()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var second = new TaskCompletionSource();
        var waits = new TaskCompletionSource();
        var beside = new TaskCompletionSource();
        var gate = new TaskCompletionSource();
        Task<int> one = table.GetOrAddAsync(
            1,
            async (_, token) =>
            {
                await second.Task.WaitAsync(token);
                ValueTask<int> other = table.GetOrAddAsync(2, static (_, _) => throw new InvalidOperationException("it is being made"), null, token);
                waits.SetResult();
                return await other;
            },
            null,
            Stop).AsTask();
        Task<int> two = table.GetOrAddAsync(
            2,
            async (_, token) =>
            {
                second.SetResult();
                await waits.Task.WaitAsync(token);
                return await table.GetOrAddAsync(
                    1,
                    async (_, inner) =>
                    {
                        beside.SetResult();
                        await gate.Task.WaitAsync(inner);
                        return 10;
                    },
                    null,
                    token);
            },
            null,
            Stop).AsTask();

        await beside.Task.WaitAsync(Stop);
        _ = table.Remove(1);
        gate.SetResult();
        Assert.Equal(10, await two.WaitAsync(Stop));
        Assert.Equal(10, await one.WaitAsync(Stop));
        Assert.False(table.ContainsKey(1), "stored after it was removed");
        Assert.True(table.ContainsKey(2));
    }

    [Fact]
    public async Task TheFactorysOwnCancellationIsSeenByAllItsWaiters()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var gate = new TaskCompletionSource<int>();
        Task<int>[] waiters = [.. Enumerable.Range(0, 3).Select(_ => table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), null, Stop).AsTask())];
        gate.SetCanceled(Stop);

        foreach (Task<int> waiter in waiters)
        {
            _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiter);
        }
    }

    [Fact]
    public async Task AFactoryThatAsksForItsOwnKeyFailsAndNamesKeyAndTable()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase });

        string sync = Assert.Throws<InvalidOperationException>(() => table.GetOrAdd("Ada", key => table.GetOrAdd("ADA", static _ => 1))).Message;
        Assert.Contains("'ADA'", sync, StringComparison.Ordinal);
        Assert.Contains("'table'", sync, StringComparison.Ordinal);
        _ = await Assert.ThrowsAsync<InvalidOperationException>(() => table.GetOrAddAsync(
            "a",
            async (_, token) =>
            {
                await Task.Yield();
                return await table.GetOrAddAsync("b", (_, token) => table.GetOrAddAsync("a", static (_, _) => new ValueTask<int>(1), null, token), null, token);
            },
            null,
            Stop).AsTask());
        Assert.Equal(3, table.GetOrAdd("a", key => table.GetOrAdd("b", key => table.GetOrAdd("c", static _ => 1) + 1) + 1));
    }

    [Fact]
    public async Task CallsThatWouldWaitForEachOtherInACircleDoNot()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>();
        var both = new CountdownEvent(2);
        async ValueTask<int> Ask(string mine, string other)
        {
            return await table.GetOrAddAsync(
                mine,
                async (_, token) =>
                {
                    both.Signal();
                    await Task.Run(() => both.Wait(token), token);
                    return 1 + await table.GetOrAddAsync(other, static (_, _) => new ValueTask<int>(10), null, token);
                },
                null,
                Stop);
        }

        Task<int> first = Task.Run(async () => await Ask("a", "b"), Stop);
        Task<int> second = Task.Run(async () => await Ask("b", "a"), Stop);
        int[] values = await Task.WhenAll(first, second).WaitAsync(TimeSpan.FromMinutes(1), Stop);

        // One of them did not wait for the other's factory but called its own.
        Assert.Contains(11, values);
        Assert.True(table.TryGet("a", out _) && table.TryGet("b", out _));
        both.Dispose();
    }

    [Fact]
    public void ThatThereIsNoValueIsRememberedAsLongAsTheFactorySays()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        int calls = 0;
        PileAnswer<string> None(int key, int seconds)
        {
            calls++;
            return new PileAnswer<string>(TimeSpan.FromSeconds(seconds));
        }

        Assert.False(table.TryGetOrAdd(1, 10, None, out string? value));
        Assert.Null(value);
        tiny.Clock.Move(TimeSpan.FromSeconds(10) - TimeSpan.FromTicks(1));
        Assert.False(table.TryGetOrAdd(1, 10, None, out _));
        Assert.Equal(1, calls);
        Assert.False(table.TryGet(1, out _));
        Assert.False(table.Remove(2));
        tiny.Clock.Move(TimeSpan.FromTicks(1));
        Assert.False(table.TryGetOrAdd(1, 0, None, out _));
        Assert.False(table.TryGetOrAdd(1, 10, None, out _));
        Assert.Equal(3, calls);
        Assert.Equal("made", table.GetOrAdd(1, static _ => "made"));
        Assert.True(table.TryGetOrAdd(1, 10, None, out value) && value == "made");
    }

    [Fact]
    public void AFactoryMayGiveItsValueTermsOfItsOwn()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();
        var own = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(3) };

        Assert.True(table.TryGetOrAdd(1, own, static (_, own) => new PileAnswer<string>("short") { Entry = own }, out _, new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) } }));
        tiny.Clock.Move(TimeSpan.FromSeconds(3));
        Assert.False(table.TryGet(1, out _));
    }

    [Fact]
    public void AValueThatIsNullIsRefusedByName()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();

        string message = Assert.Throws<InvalidOperationException>(() => table.GetOrAdd(17, static _ => null!)).Message;
        Assert.Contains("'17'", message, StringComparison.Ordinal);
        Assert.Contains("TryGetOrAdd", message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => new PileAnswer<string>(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PileAnswer<string>(TimeSpan.FromTicks(-1)));
    }

    [Fact]
    public void AValueForWhichThereIsNoRoomIsReturnedAndNotStored()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { MaximumBytes = 1000 });

        Assert.Equal(5000, table.GetOrAdd(1, static _ => new byte[5000]).Length);
        Assert.False(table.ContainsKey(1));
    }

    [Fact]
    public async Task ATableThatIsDroppedWhileTheFactoryRunsAnswersDisposed()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var gate = new TaskCompletionSource<int>();
        Task<int> waiter = table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), null, Stop).AsTask();
        tiny.Cache.DropTable("table");
        gate.SetResult(1);

        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => waiter);
    }

    [Fact]
    public void WhatIsRemovedWhileItIsMadeIsNotStored()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var removals = new List<Action> { () => table.Remove(1), () => table.RemoveMany<int, int>([5, 1]), table.Clear, () => table.RemoveByTag("*"), () => tiny.Cache.RemoveByTag("*") };

        foreach (Action remove in removals)
        {
            int value = table.GetOrAdd(1, remove, static (_, remove) =>
            {
                remove();
                return 3;
            });
            Assert.Equal(3, value);
            Assert.False(table.ContainsKey(1));
        }
    }

    [Fact]
    public void WhatIsSetWhileAFactoryRunsStays()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();

        Assert.Equal(1, table.GetOrAdd(1, table, static (key, table) => table.Set(key, 2).IsStored ? 1 : 0));
        Assert.True(table.TryGet(1, out int value) && value == 2);
    }

    [Fact]
    public void ALargeValueAndKeysOfAllKindsAreMadeAndFound()
    {
        using TinyCache tiny = new();
        PileTable<(byte, long), byte[]> padded = tiny.Cache.GetOrCreateTable<(byte, long), byte[]>("padded");
        PileTable<byte[], byte[]> bytes = tiny.Cache.GetOrCreateTable<byte[], byte[]>("bytes");

        Assert.Equal(100_000, padded.GetOrAdd(((byte)1, 2L), static _ => new byte[100_000]).Length);
        Assert.Equal(100_000, padded.GetOrAdd(((byte)1, 2L), static _ => new byte[1]).Length);
        Assert.Equal(3, bytes.GetOrAdd(new byte[] { 1, 2 }, static _ => new byte[3]).Length);
        Assert.Equal(3, bytes.GetOrAdd(new byte[] { 1, 2 }, static _ => new byte[1]).Length);
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
