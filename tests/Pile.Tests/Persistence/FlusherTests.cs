using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The flusher over a log that only counts: who is told that its data is durable, and when.</summary>
public sealed class FlusherTests
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(120);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(16)]
    public void EveryCommitReturnsAfterAFlushThatBeganAfterIt(int callers)
    {
        const int Commits = 500;
        var log = new CountingLog();
        using Flusher flusher = log.Begin();
        RunAll(callers, caller =>
        {
            for (int number = 0; number < Commits; number++)
            {
                long stored = Interlocked.Increment(ref log.Stored);
                if ((number + caller) % 5 == 4)
                {
                    flusher.CommitAsync(CancellationToken.None).Wait(_long);
                }
                else
                {
                    flusher.Commit();
                }

                Assert.True(Volatile.Read(ref log.Durable) >= stored, $"{stored} was told to be durable, {log.Durable} is");
            }
        });
        Assert.False(log.RanTwice);
        Assert.Equal(log.Clock.Started, log.Clock.Completed);
        Assert.True(log.Flushes <= callers * Commits, $"{log.Flushes} flushes for {callers * Commits} commits");
    }

    [Fact]
    public void CallersThatComeAgainAndAgainShareTheirFlushes()
    {
        const int Callers = 8;
        const int Commits = 50;
        var log = new CountingLog { Lasts = TimeSpan.FromMilliseconds(5) };
        using Flusher flusher = log.Begin();
        RunAll(Callers, _ =>
        {
            for (int number = 0; number < Commits; number++)
            {
                flusher.Commit();
            }
        });

        // Alone each would take one of its own.
        Assert.True(log.Flushes < Callers * Commits / 2, $"{log.Flushes} flushes");
    }

    [Fact]
    public async Task CallersThatAwaitShareAFlushThatIsHeldBackForThem()
    {
        var log = new CountingLog { Lasts = TimeSpan.FromSeconds(3) };
        using Flusher flusher = log.Begin();

        // Two come together, and are expected together for as long as their flush took.
        await CommitTwoTogether(flusher);
        Assert.Equal(1, log.Flushes);
        log.Lasts = TimeSpan.Zero;
        using ManualResetEventSlim isFlushing = new();
        log.AtFlush = isFlushing.Set;
        Task early = flusher.CommitAsync(CancellationToken.None);
        Assert.False(isFlushing.Wait(TimeSpan.FromMilliseconds(100), TestContext.Current.CancellationToken), "it was not held back");
        await flusher.CommitAsync(CancellationToken.None).WaitAsync(_long, TestContext.Current.CancellationToken);
        await early.WaitAsync(_long, TestContext.Current.CancellationToken);
        Assert.Equal(2, log.Flushes);
    }

    [Fact]
    public async Task AFlushThatIsHeldBackForNobodyBeginsWithoutThem()
    {
        var log = new CountingLog { Lasts = TimeSpan.FromMilliseconds(200) };
        using Flusher flusher = log.Begin();
        await CommitTwoTogether(flusher);
        for (int number = 2; number < 6; number++)
        {
            await flusher.CommitAsync(CancellationToken.None).WaitAsync(_long, TestContext.Current.CancellationToken);
            Assert.Equal(number, log.Flushes);
        }
    }

    [Fact]
    public async Task WhoWantsAFlushGetsOneMoreWhenOneRunsAndNobodyGetsOneThatNobodyWants()
    {
        var log = new CountingLog();
        using Flusher flusher = log.Begin();
        log.AtFlush = () =>
        {
            log.AtFlush = static () => { };
            log.Clock.Wanted();
            log.Clock.Wanted();
        };
        await flusher.CommitAsync(CancellationToken.None).WaitAsync(_long, TestContext.Current.CancellationToken);
        Assert.True(SpinWait.SpinUntil(() => log.Clock.Completed == 2, _long));
        for (int number = 3; number < 200; number++)
        {
            // Woken by the first of two, and by the second for the flush that serves both.
            using (flusher.Gate.EnterAnyhow())
            {
                _ = flusher.CommitAsync(CancellationToken.None);
                Thread.Yield();
                _ = flusher.CommitAsync(CancellationToken.None);
            }

            Assert.True(SpinWait.SpinUntil(() => log.Clock.Completed == number, _long));
        }

        using ManualResetEventSlim isFlushing = new();
        log.AtFlush = isFlushing.Set;
        Assert.False(isFlushing.Wait(TimeSpan.FromMilliseconds(100), TestContext.Current.CancellationToken));
        Assert.Equal(199, log.Clock.Started);
    }

    [Fact]
    public void AFailedFlushIsToldToAllWhoWaitAndToAllWhoCome()
    {
        const int Callers = 8;
        var log = new CountingLog { FailsAt = 20, Lasts = TimeSpan.FromMilliseconds(1) };
        using Flusher flusher = log.Begin();
        int told = 0;
        RunAll(Callers, caller =>
        {
            try
            {
                while (true)
                {
                    long stored = Interlocked.Increment(ref log.Stored);
                    if (caller % 2 == 0)
                    {
                        flusher.Commit();
                    }
                    else
                    {
                        flusher.CommitAsync(CancellationToken.None).GetAwaiter().GetResult();
                    }

                    Assert.True(Volatile.Read(ref log.Durable) >= stored);
                }
            }
            catch (PilePoisonedException)
            {
                Interlocked.Increment(ref told);
            }
        });
        Assert.Equal(Callers, told);
        Assert.Equal(20, log.Clock.Started);
        Assert.Equal(19, log.Clock.Completed);
        Assert.Throws<PilePoisonedException>(flusher.Commit);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AFailureElsewhereIsToldToWhoWaitsWithoutAThread(bool whileAFlushRuns)
    {
        for (int round = 0; round < 50; round++)
        {
            var log = new CountingLog();
            using Flusher flusher = log.Begin();
            Task? waiting = null;
            if (whileAFlushRuns)
            {
                log.AtFlush = () => waiting ??= flusher.CommitAsync(CancellationToken.None);
                flusher.Commit();
            }
            else
            {
                waiting = flusher.CommitAsync(CancellationToken.None);
            }

            // Before the thread that was woken looks, nearly always.
            flusher.Fail(new IOException("the test wants it so"));
            Exception? told = await Record.ExceptionAsync(() => waiting!.WaitAsync(_long, TestContext.Current.CancellationToken));
            Assert.True(told is null or PilePoisonedException, $"{told}");
        }
    }

    [Fact]
    public void AnEndOfAFlushThatThrowsHoldsNobody()
    {
        var log = new CountingLog { AtFlushed = static () => throw new InvalidOperationException("the test wants it so") };
        using Flusher flusher = log.Begin();
        RunAll(2, caller =>
        {
            // What its flush has covered is durable; whoever comes later is told.
            Exception? told = Record.Exception(caller == 0 ? flusher.Commit : () => flusher.CommitAsync(CancellationToken.None).GetAwaiter().GetResult());
            Assert.True(told is null or PilePoisonedException, $"{told}");
        });
        Assert.Throws<PilePoisonedException>(flusher.Commit);
    }

    [Fact]
    public void ASyncThatFailsAfterAnotherFailureIsNotedToo()
    {
        var log = new CountingLog();
        using Flusher flusher = log.Begin();
        var first = new FileCallException("fallocate", "/pile", "the test wants it so", FileFailure.Other);
        flusher.Fail(first);
        flusher.Fail(new FileCallException("ftruncate", "/pile", "the test wants it so", FileFailure.Other));
        flusher.Fail(new FileCallException("fdatasync", "/pile", "the test wants it so", FileFailure.Other));
        Assert.Equal(["fallocate", "fdatasync"], log.Poisons.Select(static failure => failure.Message.Split(' ')[0]));
        Assert.Same(first, flusher.Failure);
    }

    [Fact]
    public void WhoeverWaitsWhenItStopsGetsItsFlushAndWhoComesLaterIsRefused()
    {
        for (int round = 0; round < 20; round++)
        {
            var log = new CountingLog { Lasts = TimeSpan.FromMilliseconds(1) };
            Flusher flusher = log.Begin();
            using var begun = new CountdownEvent(4);
            RunAll(5, caller =>
            {
                if (caller == 4)
                {
                    Assert.True(begun.Wait(_long, CancellationToken.None));
                    flusher.Stop();
                    log.IsClosed = true;
                    return;
                }

                try
                {
                    CommitUntilDisposed(flusher, log, isAsync: caller == 0, begun);
                }
                catch (ObjectDisposedException)
                {
                    // The end.
                }
            });
            Assert.False(log.RanClosed);
            flusher.Dispose();
        }
    }

    private static async Task CommitTwoTogether(Flusher flusher)
    {
        Task[] both;
        using (flusher.Gate.EnterAnyhow())
        {
            both = [flusher.CommitAsync(CancellationToken.None), flusher.CommitAsync(CancellationToken.None)];
        }

        await Task.WhenAll(both).WaitAsync(_long, TestContext.Current.CancellationToken);
    }

    private static void CommitUntilDisposed(Flusher flusher, CountingLog log, bool isAsync, CountdownEvent begun)
    {
        for (int number = 0; ; number++)
        {
            long stored = Interlocked.Increment(ref log.Stored);
            if (isAsync)
            {
                flusher.CommitAsync(CancellationToken.None).GetAwaiter().GetResult();
            }
            else
            {
                flusher.Commit();
            }

            Assert.True(Volatile.Read(ref log.Durable) >= stored);
            if (number == 3)
            {
                begun.Signal();
            }
        }
    }

    private static void RunAll(int callers, Action<int> call)
    {
        List<Exception> failures = [];
        Thread[] threads = [.. Enumerable.Range(0, callers).Select(caller => new Thread(() =>
        {
            try
            {
                call(caller);
            }
            catch (Exception failure)
            {
                lock (failures)
                {
                    failures.Add(failure);
                }
            }
        }))];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => Assert.True(thread.Join(_long), "a commit waits for ever"));
        Assert.Empty(failures);
    }

    private sealed class CountingLog : ILogFiles
    {
        internal long Stored;
        internal long Durable;
        private readonly Parker _device = Parker.Create();
        private int _running;

        internal FlushClock Clock { get; } = new(isWaitedFor: true);

        internal TimeSpan Lasts { get; set; }

        internal long FailsAt { get; init; } = long.MaxValue;

        internal Action AtFlush { get; set; } = static () => { };

        internal Action AtFlushed { get; init; } = static () => { };

        internal List<Exception> Poisons { get; } = [];

        internal int Flushes { get; private set; }

        internal bool RanTwice { get; private set; }

        internal bool IsClosed { get; set; }

        internal bool RanClosed { get; private set; }

        public bool HasUnflushed => false;

        public bool IsUnsure { get; init; }

        internal Flusher Begin()
        {
            var flusher = new Flusher(Clock, this, Timeout.InfiniteTimeSpan);
            flusher.Start();
            return flusher;
        }

        public void Flush(long flush)
        {
            RanTwice |= Interlocked.Increment(ref _running) != 1;
            RanClosed |= IsClosed;
            long stored = Volatile.Read(ref Stored);
            AtFlush();
            if (Lasts > TimeSpan.Zero)
            {
                _ = _device.Park(Lasts);
            }

            if (flush == FailsAt)
            {
                throw new IOException("the test wants it so");
            }

            Flushes++;
            Volatile.Write(ref Durable, stored);
            Interlocked.Decrement(ref _running);
        }

        public void Flushed() => AtFlushed();

        public void Poison(long flush, Exception failure) => Poisons.Add(failure);

        public PilePoisonedException Poisoned(Exception failure) => new("poisoned", "/pile", failure);
    }
}
