using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Primitives;

/// <summary>A thread that is interrupted while it waits for one of the engine's locks goes on as any other, and is told at its next wait.</summary>
public sealed class GatesTests
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(60);

    [Fact]
    public void ALockIsTakenByAThreadThatIsInterruptedWhichItsNextWaitIsTold()
    {
        Lock gate = new();
        bool isTaken = false;
        Interrupted.AssertToldLater(work => Hold(gate, work), () =>
        {
            using (gate.EnterAnyhow())
            {
                isTaken = gate.IsHeldByCurrentThread;
            }
        });
        Assert.True(isTaken);
        Assert.True(gate.TryEnter());
        gate.Exit();
    }

    /// <summary>Nothing may throw there, want of memory as little as an interrupt. What the first wait for a lock, and of a thread, needs is the runtime's.</summary>
    [Fact]
    public void ALockThatIsWaitedForTakesNoMemory()
    {
        Lock gate = new();
        int round = 0;
        int done = 0;
        bool isAsking = false;
        long allocated = -1;
        OwnThread other = OwnThread.Start(() =>
        {
            for (int own = 1; own <= 2; own++)
            {
                Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref round) == own, _long));
                long before = GC.GetAllocatedBytesForCurrentThread();
                Volatile.Write(ref isAsking, true);
                using (gate.EnterAnyhow())
                {
                    allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                }

                Volatile.Write(ref done, own);
            }
        });
        for (int own = 1; own <= 2; own++)
        {
            gate.Enter();
            Volatile.Write(ref isAsking, false);
            Volatile.Write(ref round, own);
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref isAsking), _long));
            Assert.True(other.Waits(_long));
            gate.Exit();
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref done) == own, _long));
        }

        other.Join();
        Assert.Equal(0, allocated);
    }

    [Fact]
    public void ADeletionThatIsInterruptedLeavesNoPages()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = false });
        PilePointer large = pile.PutBytes(new byte[100_000]);
        bool isDeleted = false;
        Interrupted.AssertToldLater(pile.Core.Large.WhileStill, () => isDeleted = pile.Delete(large));
        Assert.True(isDeleted);
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        pile.Clear();
        Assert.Equal(0, pile.Core.Large.UsedBytes);
    }

    [Fact]
    public void AWriterThatIsInterruptedGetsItsSegment()
    {
        using var extents = new ExtentMap(RegionProvider.Default, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
        var directory = new SegmentDirectory(extents, RegionProvider.Default, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(0, 0, 0, 0, 1));
        var pool = new SegmentPool(RegionProvider.Default, directory, new MemoryBudget(64 << 20), policy, hugePages: false, static () => { });
        Segment? taken = null;
        Interrupted.AssertToldLater(
            work =>
            {
                // A number is drawn with the lock held.
                pool.Sequences.Restore(0, 0);
                pool.Sequences.Extend = _ =>
                {
                    work();
                    return 100;
                };
                Assert.NotNull(pool.TryTake(overRatio: true, recordBytes: 64));
            },
            () => taken = pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.NotNull(taken);
    }

    [Fact]
    public async Task ACommitThatIsInterruptedBehindItsFlushHoldsNobody()
    {
        var log = new PlainLog();
        using var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        using ManualResetEventSlim isFlushing = new();
        using ManualResetEventSlim isHeld = new();
        using ManualResetEventSlim isInterrupted = new();
        log.AtFlush = () =>
        {
            isFlushing.Set();
            Assert.True(isHeld.Wait(_long));
            log.AtFlush = static () => { };
            Thread.CurrentThread.Interrupt();
            isInterrupted.Set();
        };
        Interrupted.AssertToldLater(
            work => Hold(flusher.Gate, () =>
            {
                isHeld.Set();
                Assert.True(isInterrupted.Wait(_long));
                work();
            }),
            flusher.Commit,
            () => Assert.True(isFlushing.Wait(_long)),
            interruptsItself: false);
        Assert.Null(flusher.Failure);
        await Task.Factory.StartNew(flusher.Commit, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .WaitAsync(_long, TestContext.Current.CancellationToken);
    }

    /// <summary>What the thread works with is closed by who waits for its end.</summary>
    [Fact]
    public void TheEndOfAFlusherThatIsWaitedForByAnInterruptedThreadHasCome()
    {
        var log = new PlainLog();
        using ManualResetEventSlim isFlushing = new();
        using ManualResetEventSlim mayEnd = new();
        bool hasEnded = false;
        bool wasOver = false;
        log.AtFlush = () =>
        {
            isFlushing.Set();
            Assert.True(mayEnd.Wait(_long));
            Volatile.Write(ref hasEnded, true);
        };
        var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        flusher.Start();
        log.Clock.Wanted();
        Assert.True(isFlushing.Wait(_long, TestContext.Current.CancellationToken));
        Interrupted.AssertToldLater(
            work =>
            {
                work();
                mayEnd.Set();
            },
            () =>
            {
                flusher.Dispose();
                wasOver = Volatile.Read(ref hasEnded);
            });
        Assert.True(wasOver);
    }

    [Fact]
    public void WorkOfAllCoresForAThreadThatIsInterruptedIsDone()
    {
        using ManualResetEventSlim mayEnd = new();
        int done = 0;
        int doneBehind = 0;
        int owner = 0;
        Interrupted.AssertToldLater(
            work =>
            {
                work();
                mayEnd.Set();
            },
            () =>
            {
                owner = Environment.CurrentManagedThreadId;
                AllCores.Share(2, 1, () =>
                {
                    Assert.True(Environment.CurrentManagedThreadId == owner || mayEnd.Wait(_long));
                    _ = Interlocked.Increment(ref done);
                });
                doneBehind = Volatile.Read(ref done);
            });
        Assert.Equal(AllCores.CountFor(2, 1), doneBehind);
    }

    private static void Hold(Lock gate, Action work)
    {
        gate.Enter();
        work();
        gate.Exit();
    }

    private sealed class PlainLog : ILogFiles
    {
        internal FlushClock Clock { get; } = new(isWaitedFor: true);

        internal Action AtFlush { get; set; } = static () => { };

        public bool HasUnflushed => false;

        public bool IsUnsure => false;

        public void Flush(long flush) => AtFlush();

        public void Flushed()
        {
        }

        public void Poison(long flush, Exception failure)
        {
        }

        public PilePoisonedException Poisoned(Exception failure) => new("poisoned", "/pile", failure);
    }
}
