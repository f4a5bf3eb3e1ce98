using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Calls that find an entry when their turn to make it has come: it is their own caller's answer, and whoever joins them looks by itself.</summary>
public sealed class FoundAnswerTests
{
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(1);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ACallThatBeginsWhenARemovalHasReturnedDoesNotGetWhatWasRemoved(bool isFailure)
    {
        using TinyCache tiny = new();
        var comparer = new WatchedComparer();
        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions { Comparer = comparer });
        using var removerIsIn = new ManualResetEventSlim();
        using var callerHasFound = new ManualResetEventSlim();
        Task? removing = null;
        Task<string>? late = null;
        bool hasJoined = false;
        int caller = 0;
        int reads = 0;
        tiny.Clock.AtRead = () =>
        {
            // The second time that the caller asks for the time: it has looked, and is about to begin.
            if (Environment.CurrentManagedThreadId == Volatile.Read(ref caller) && ++reads == 2)
            {
                Store(table, isFailure);
                removing = Task.Factory.StartNew(Remove, Stop, TaskCreationOptions.LongRunning, TaskScheduler.Default);
                Assert.True(removerIsIn.Wait(_long, Stop));
                comparer.OfThread(() =>
                {
                    // It has found the entry in its second look, and goes on when that is gone and somebody has joined it.
                    callerHasFound.Set();
                    Assert.True(removing.Wait(_long));
                    using (ExecutionContext.SuppressFlow())
                    {
                        late = Task.Factory.StartNew(() => table.GetOrAdd(1, static _ => "new"), Stop, TaskCreationOptions.LongRunning, TaskScheduler.Default);
                    }

                    hasJoined = SpinWait.SpinUntil(() => table.GetStatistics().FactoryJoins == 1, _long);
                });
            }
        };

        Task<string> first = Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref caller, Environment.CurrentManagedThreadId);
                return table.GetOrAdd(1, static _ => "new");
            },
            Stop,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        if (isFailure)
        {
            await Assert.ThrowsAsync<PileFactoryException>(() => first.WaitAsync(_long, Stop));
        }
        else
        {
            Assert.Equal("old", await first.WaitAsync(_long, Stop));
        }

        Assert.True(hasJoined);
        Assert.Equal("new", await late!.WaitAsync(_long, Stop));

        void Remove()
        {
            // With the chain's lock: what is being made of the key was asked for before.
            comparer.OfThread(() =>
            {
                removerIsIn.Set();
                Assert.True(callerHasFound.Wait(_long));
            });
            _ = table.Remove(1);
        }
    }

    private static void Store(PileTable<int, string> table, bool isFailure)
    {
        if (isFailure)
        {
            var remembered = new PileFactoryOptions { FailureTimeToLive = TimeSpan.FromHours(1) };
            Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException(), remembered));
        }
        else
        {
            table.Set(1, "old");
        }
    }

    /// <summary>Acts at the first comparison of a thread that has asked for it.</summary>
    private sealed class WatchedComparer : IPileKeyComparer
    {
        private readonly ConcurrentDictionary<int, Action> _acts = new();

        public string Name => "watched";

        internal void OfThread(Action act) => _acts[Environment.CurrentManagedThreadId] = act;

        public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => PileKeyComparers.Ordinal.Hash(key, seed);

        public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
        {
            if (_acts.TryRemove(Environment.CurrentManagedThreadId, out Action? act))
            {
                act();
            }

            return left.SequenceEqual(right);
        }
    }
}
