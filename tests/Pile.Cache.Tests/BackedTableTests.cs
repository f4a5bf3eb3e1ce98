// Tables before a store: what is missing is loaded, what is written is in the store first, and the table never shows what the store has not had.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class BackedTableTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AReadThatMissesLoadsOnceForAllWhoAskMeanwhile(bool isAsync)
    {
        using TinyCache tiny = new();
        var store = new FakeStore { Values = { [1] = "one" } };
        var gate = new TaskCompletionSource();
        store.Before = (_, _, token) => new ValueTask(gate.Task.WaitAsync(token));
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        Task<string?>[] reads = [.. Enumerable.Range(0, 8).Select(_ => Task.Run(async () => isAsync ? (await view.TryGetAsync(1, Stop)).Value : view.TryGet(1, out string? value) ? value : null, Stop))];
        await Until(() => view.Table.GetStatistics().FactoryCalls + view.Table.GetStatistics().FactoryJoins == 8);
        gate.SetResult();
        Assert.All(await Task.WhenAll(reads), static value => Assert.Equal("one", value));
        Assert.Equal(1, store.Loads);
        Assert.True(view.TryGet(1, out _));
        Assert.True(view.Table.TryGet(1, out string? kept) && kept == "one");
        Assert.Equal(1, store.Loads);
    }

    [Fact]
    public async Task ThatTheStoreHasNoValueIsRememberedAsItSays()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        Assert.False(view.TryGet(1, out _));
        Assert.False((await view.TryGetAsync(1, Stop)).HasValue);
        Assert.Equal(1, store.Loads);
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.False(view.TryGet(1, out _));
        Assert.Equal(2, store.Loads);
        view.Set(1, "one");
        Assert.True(view.TryGet(1, out string? value) && value == "one");
        Assert.Equal(2, store.Loads);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AWriteIsInTheStoreBeforeItIsInTheTable(bool isAsync)
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        var seen = new List<string?>();
        Assert.Equal(PileSetOutcome.Inserted, isAsync ? (await view.SetAsync(1, "one", cancellationToken: Stop)).Outcome : view.Set(1, "one").Outcome);
        store.Before = (what, _, _) =>
        {
            seen.Add($"{what} {(view.Table.TryGet(1, out string? there) ? there : null)}");
            return default;
        };
        Assert.Equal(PileSetOutcome.Replaced, isAsync ? (await view.SetAsync(1, "two", cancellationToken: Stop)).Outcome : view.Set(1, "two").Outcome);
        Assert.True(view.Table.TryGet(1, out string? value) && value == "two" && store.Values[1] == "two");
        Assert.True(isAsync ? await view.RemoveAsync(1, Stop) : view.Remove(1));
        Assert.False(isAsync ? await view.RemoveAsync(1, Stop) : view.Remove(1));
        Assert.Empty(store.Values);
        Assert.False(view.Table.ContainsKey(1));
        Assert.Equal(["save one", "delete two", "delete "], seen);
        Assert.Equal(0, store.Loads);
    }

    [Theory]
    [InlineData("save", true)]
    [InlineData("save", false)]
    [InlineData("delete", true)]
    [InlineData("delete", false)]
    public async Task AStoreThatFailsLeavesTheTableWithoutTheEntryAndTheNextReadLoads(string what, bool hasEffect)
    {
        using TinyCache tiny = new();
        var store = new FakeStore { Values = { [1] = "old" } };
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        Assert.True(view.TryGet(1, out _));
        store.Before = (asked, _, _) =>
        {
            if (asked != what)
            {
                return default;
            }

            if (hasEffect)
            {
                store.Values[1] = "other";
            }

            throw new IOException("away");
        };
        Assert.Equal("away", Assert.Throws<IOException>(() => Write(view)).Message);
        Assert.False(view.Table.ContainsKey(1));
        Assert.True(view.TryGet(1, out string? value) && value == (hasEffect ? "other" : "old"));
        Assert.Equal("away", (await Assert.ThrowsAsync<IOException>(() => WriteAsync(view, Stop))).Message);
        Assert.False(view.Table.ContainsKey(1));
        store.Before = static (_, _, _) => default;
        Write(view);
        Assert.Equal(what == "save", view.Table.ContainsKey(1));

        void Write(PileBackedTable<int, string> view) => _ = what == "save" ? view.Set(1, "new").IsStored : view.Remove(1);
        Task WriteAsync(PileBackedTable<int, string> view, CancellationToken token) => what == "save" ? view.SetAsync(1, "new", null, token) : view.RemoveAsync(1, token);
    }

    [Fact]
    public async Task CancellationBeforeTheStoreIsCalledChangesNothingAndAfterwardsItIsAsAFailure()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        view.Set(1, "one");
        using var cancellation = new CancellationTokenSource();
        var begun = new TaskCompletionSource();
        store.Before = async (_, _, token) =>
        {
            begun.SetResult();
            await new TaskCompletionSource().Task.WaitAsync(token);
        };
        Task<PileSetResult> first = view.SetAsync(1, "two", null, cancellation.Token);
        Task<bool> second = view.RemoveAsync(1, new CancellationToken(canceled: true));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        await begun.Task.WaitAsync(Stop);
        Assert.True(view.Table.TryGet(1, out string? value) && value == "one");
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(view.Table.ContainsKey(1));
        Assert.Equal("one", store.Values[1]);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => view.SetAsync(1, "x", null, cancellation.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await view.TryGetAsync(1, cancellation.Token));
    }

    [Fact]
    public async Task ALoadThatBeganBeforeAWriteIsNotStoredAfterIt()
    {
        using TinyCache tiny = new();
        var store = new FakeStore { Values = { [1] = "old" } };
        var gate = new TaskCompletionSource();
        var loaded = new TaskCompletionSource();
        store.Loaded = _ =>
        {
            loaded.TrySetResult();
            return new ValueTask(gate.Task);
        };
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        Task<PileAnswer<string>> read = view.TryGetAsync(1, Stop).AsTask();
        await loaded.Task.WaitAsync(Stop);
        Assert.False(view.Remove(1));
        gate.SetResult();
        Assert.Equal("old", (await read).Value);
        Assert.False(view.Table.ContainsKey(1));
        Assert.False(view.TryGet(1, out _));
    }

    [Fact]
    public void AValueForWhichThereIsNoRoomIsInTheStoreAlone()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>(new PileTableOptions { MaximumBytes = 10_000 }).WithStore(store);
        view.Set(1, "small");
        Assert.Equal(PileSetOutcome.Full, view.Set(1, new string('x', 20_000)).Outcome);
        Assert.False(view.Table.ContainsKey(1));
        Assert.True(view.TryGet(1, out string? value) && value.Length == 20_000);
    }

    [Fact]
    public async Task WhoMissesTheKeyOfAWriteWaitsForItAndLoadsWhereItFails()
    {
        using TinyCache tiny = new();
        var store = new FakeStore { Values = { [1] = "old" } };
        var gates = new Queue<TaskCompletionSource>([new TaskCompletionSource(), new TaskCompletionSource()]);
        TaskCompletionSource[] all = [.. gates];
        store.Before = (what, _, _) => what == "save" ? new ValueTask(gates.Dequeue().Task) : default;
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);

        Task<PileSetResult> write = view.SetAsync(1, "new", null, Stop);
        Task<PileAnswer<string>> read = view.TryGetAsync(1, Stop).AsTask();
        Assert.False(read.IsCompleted);
        all[0].SetResult();
        Assert.True((await write).IsStored);
        Assert.Equal("new", (await read).Value);
        Assert.Equal(0, store.Loads);

        view.Table.Remove(1);
        write = view.SetAsync(1, "newer", null, Stop);
        read = view.TryGetAsync(1, Stop).AsTask();
        all[1].SetException(new IOException("away"));
        await Assert.ThrowsAsync<IOException>(() => write);
        Assert.Equal("new", (await read).Value);
        Assert.Equal(1, store.Loads);
    }

    [Fact]
    public async Task AStoreThatCallsTheTableForTheKeyThatItIsAskedForIsRefused()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        store.Before = (what, key, _) => what == "load" ? new ValueTask(view.SetAsync(key, "x", null, Stop)) : default;
        Assert.Contains("'1' in the table 'table'", Assert.Throws<InvalidOperationException>(() => view.TryGet(1, out _)).Message, StringComparison.Ordinal);
        store.Before = (what, key, _) => what == "save" ? new ValueTask(view.TryGetAsync(key, Stop).AsTask()) : default;
        await Assert.ThrowsAsync<InvalidOperationException>(() => view.SetAsync(1, "x", null, Stop));

        // Writes within writes that would wait for each other: one of them is refused.
        var both = new CountdownEvent(2);
        store.Before = async (what, key, _) =>
        {
            if (key is 1 or 2 && both.CurrentCount > 0)
            {
                both.Signal();
                await Until(() => both.CurrentCount == 0);
                await view.SetAsync(3 - key, "inner", null, Stop);
            }
        };
        Task<PileSetResult>[] writes = [Task.Run(() => view.SetAsync(1, "a", null, Stop)), Task.Run(() => view.SetAsync(2, "b", null, Stop))];
        await Task.WhenAll(writes.Select(static write => write.ContinueWith(static _ => { }, TaskScheduler.Default)));
        Assert.Contains(writes, static write => write.Exception?.InnerException is InvalidOperationException failure && failure.Message.Contains("would wait", StringComparison.Ordinal));
        Assert.All([1, 2], key => Assert.True(!view.Table.TryGet(key, out string? value) || value == store.Values[key]));
    }

    [Fact]
    public void WhatCanNotBeAnEntryIsRefusedBeforeTheStoreIsCalled()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        Assert.Throws<ArgumentOutOfRangeException>(() => view.Set(1, "x", new PileEntryOptions { TimeToLive = TimeSpan.Zero }));
        Assert.Throws<ArgumentNullException>(() => view.Set(1, null!));
        Assert.Empty(store.Values);
        Assert.Throws<ArgumentOutOfRangeException>(() => view.Table.WithStore(store, new PileFactoryOptions { FailSafe = TimeSpan.Zero }));
        tiny.Cache.DropTable("table");
        Assert.Throws<ObjectDisposedException>(() => view.Set(1, "x"));
        Assert.Throws<ObjectDisposedException>(() => view.TryGet(1, out _));
        Assert.Empty(store.Values);
    }

    [Fact]
    public void WrittenValuesHaveTheTermsOfTheViewAndAreServedByFailSafe()
    {
        using TinyCache tiny = new();
        var store = new FakeStore();
        var options = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10), Tags = ["t"] }, FailSafe = TimeSpan.FromSeconds(100) };
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store, options);
        view.Set(1, "one");
        view.Set(2, "two", new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(20) });
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.Equal([false, true], new[] { 1, 2 }.Select(view.Table.ContainsKey));
        store.Before = static (_, _, _) => throw new IOException("away");
        Assert.True(view.TryGet(1, out string? value) && value == "one");
        store.Before = (_, _, _) =>
        {
            view.Table.RemoveByTag("t");
            return default;
        };
        view.Set(1, "new");
        Assert.False(view.Table.ContainsKey(1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ASynchronousCallUnderAContextThatTheStoreComesBackToDoesNotWaitForItself(bool isScheduler)
    {
        using TinyCache tiny = new();
        var store = new FakeStore { Before = static async (_, _, _) => await Task.Yield() };
        PileBackedTable<int, string> view = tiny.Table<int, string>().WithStore(store);
        string? read = await Task.Factory.StartNew(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(isScheduler ? null : new DeafContext());
                view.Set(1, "one");
                view.Table.Remove(1);
                _ = view.TryGet(1, out string? value);
                view.Remove(1);
                SynchronizationContext.SetSynchronizationContext(null);
                return value;
            },
            Stop,
            TaskCreationOptions.LongRunning,
            isScheduler ? new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler : TaskScheduler.Default).WaitAsync(Stop);
        Assert.Equal("one", read);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    public async Task WritesOfAKeyReachStoreAndTableInOneOrderWhateverFails(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        var store = new FakeStore();
        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions { Kind = kind });
        PileBackedTable<int, string>[] views = [table.WithStore(store), table.WithStore(store)];
        int calls = 0;
        store.Before = async (_, _, _) =>
        {
            int drawn = (int)((uint)(Interlocked.Increment(ref calls) * 0x9E3779B1L) % 10);
            if (drawn < 3)
            {
                await Task.Yield();
            }

            if (drawn == 5)
            {
                throw new IOException("away");
            }
        };
        store.Loaded = static async _ => await Task.Yield();
        for (int round = 0; round < 40; round++)
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(writer => Task.Run(() => WriteAsync(views[writer % 2], new Random((round * 8) + writer)), Stop)));
            foreach ((int key, string value) in table.Enumerate().Select(static item => (item.Key, item.Value)))
            {
                Assert.Equal(store.Values[key], value);
            }
        }

        Assert.Equal(0, store.Clashes);
        Assert.True(store.Loads > 100 && table.Count > 0);
    }

    private static async Task WriteAsync(PileBackedTable<int, string> view, Random random)
    {
        for (int step = 0; step < 50; step++)
        {
            int key = random.Next(5);
            try
            {
                switch (random.Next(4))
                {
                    case 0:
                        _ = await view.SetAsync(key, $"{random.Next()}", null, Stop);
                        break;
                    case 1:
                        _ = view.Set(key, $"{random.Next()}");
                        break;
                    case 2 when random.Next(2) == 0:
                        _ = await view.RemoveAsync(key, Stop);
                        break;
                    default:
                        _ = await view.TryGetAsync(key, Stop);
                        break;
                }
            }
            catch (IOException)
            {
                // The store's: the table has no entry then, or a later one.
            }
        }
    }

    private static async Task Until(Func<bool> isSo)
    {
        while (!isSo())
        {
            Stop.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    /// <summary>Never runs what is posted to it.</summary>
    private sealed class DeafContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
