using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Tests.Primitives;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Threads that are interrupted while they call factories, or wait for those of others.</summary>
public sealed class FactoryInterruptTests
{
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(1);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    /// <summary>Whoever has joined the call would wait for ever.</summary>
    [Fact]
    public async Task ACallWhoseThreadIsInterruptedWhereItEndsIsEndedForAllWhoWait()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        Lock gate = table.Factories.Flights.Gate;
        Task<int>? joined = null;
        using var begun = new ManualResetEventSlim();
        bool isHeld = false;
        int Make(int key)
        {
            // Without a wait, which the interrupt would end.
            begun.Set();
            while (!Volatile.Read(ref isHeld))
            {
                _ = Thread.Yield();
            }

            return key;
        }

        await Task.Factory.StartNew(
            () => Interrupted.AssertToldLater(
                work =>
                {
                    lock (gate)
                    {
                        Volatile.Write(ref isHeld, true);
                        work();
                    }
                },
                () => Assert.Equal(1, table.GetOrAdd(1, Make)),
                untilReady: () =>
                {
                    Assert.True(begun.Wait(_long));
                    joined = table.GetOrAddAsync(1, static (_, _) => new ValueTask<int>(2), null, Stop).AsTask();
                }),
            Stop,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        Assert.Equal(1, await joined!.WaitAsync(_long, Stop));
        Assert.True(table.TryGet(1, out int value) && value == 1);
    }

    /// <summary>It waits no more, and a factory that nobody waits for is told so.</summary>
    [Fact]
    public async Task WhoIsInterruptedWhileItWaitsForAFactoryHasLeftIt()
    {
        using TinyCache tiny = new();
        var store = new SlowStore();
        PileBackedTable<int, int> table = tiny.Table<int, int>().WithStore(store);
        Exception? failure = null;
        var other = new Thread(() => failure = Record.Exception(() => table.TryGet(1, out _))) { IsBackground = true };
        other.Start();
        await store.Begun.Task.WaitAsync(_long, Stop);
        other.Interrupt();
        Assert.True(other.Join(_long));
        _ = Assert.IsType<ThreadInterruptedException>(failure);
        await store.Told.Task.WaitAsync(_long, Stop);
    }

    private sealed class SlowStore : IPileStore<int, int>
    {
        internal TaskCompletionSource Begun { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal TaskCompletionSource Told { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public async ValueTask<PileAnswer<int>> LoadAsync(int key, CancellationToken cancellationToken)
        {
            using CancellationTokenRegistration told = cancellationToken.Register(() => Told.TrySetResult());
            Begun.SetResult();
            await Told.Task;
            return default;
        }

        public ValueTask SaveAsync(int key, int value, CancellationToken cancellationToken) => default;

        public ValueTask DeleteAsync(int key, CancellationToken cancellationToken) => default;
    }
}
