// The flusher in a process that has no managed memory for a moment: who is told, that no flush is acknowledged which did not happen, and that
// the next one is run. Where nobody knows how a sync ended, all writing ends.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Persistence;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The flusher over a log that finds no memory.</summary>
public sealed class FlusherWantTests
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(120);

    [Fact]
    public async Task WhoWaitsForAFlushThatFindsNoMemoryIsToldAndTheNextOneIsWhole()
    {
        var log = new ScarceLog { Wants = 2 };
        using var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        flusher.Start();
        _ = Assert.Throws<InsufficientMemoryException>(flusher.Commit);
        _ = await Assert.ThrowsAsync<InsufficientMemoryException>(() => flusher.CommitAsync(CancellationToken.None).WaitAsync(_long, TestContext.Current.CancellationToken));
        Assert.Equal((2, 0), (log.Clock.Started, log.Clock.Completed));
        Assert.False(log.Clock.IsRunning);
        flusher.Commit();
        Assert.Equal((3, 3), (log.Clock.Started, log.Clock.Completed));
        Assert.Null(flusher.Failure);
    }

    [Fact]
    public void WhoWaitsForTheNumberOfAFlushThatFoundNoMemoryAsksForTheNext()
    {
        var log = new ScarceLog { Wants = 1 };
        using var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        flusher.Start();
        long needed = log.Clock.Next;
        log.Clock.Ask(needed);
        Assert.True(SpinWait.SpinUntil(() => log.Clock.Started == needed && !log.Clock.IsRunning, _long));
        Assert.False(log.Clock.HasCovered(needed));
        log.Clock.Ask(needed);
        Assert.True(SpinWait.SpinUntil(() => log.Clock.HasCovered(needed), _long));
        Assert.Equal(2, log.Clock.Started);
    }

    [Fact]
    public async Task WhatIsDoneBehindACompleteFlushMayFindNoMemory()
    {
        var log = new ScarceLog { WantsBehind = 1 };
        using var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        flusher.Start();
        flusher.Commit();
        Assert.Equal(1, log.Clock.Completed);
        await flusher.CommitAsync(CancellationToken.None).WaitAsync(_long, TestContext.Current.CancellationToken);
        Assert.Equal(2, log.Clock.Completed);
    }

    [Fact]
    public void WantOfMemoryThatLeavesASyncUnsureEndsAllWriting()
    {
        var log = new ScarceLog { Wants = 1, IsUnsure = true };
        using var flusher = new Flusher(log.Clock, log, Timeout.InfiniteTimeSpan);
        flusher.Start();
        _ = Assert.Throws<PilePoisonedException>(flusher.Commit);
        _ = Assert.Throws<PilePoisonedException>(flusher.Commit);
        Assert.IsType<InsufficientMemoryException>(flusher.Failure);
    }

    private sealed class ScarceLog : ILogFiles
    {
        internal FlushClock Clock { get; } = new(isWaitedFor: true);

        internal int Wants { get; set; }

        internal int WantsBehind { get; set; }

        public bool HasUnflushed => false;

        public bool IsUnsure { get; init; }

        public void Flush(long flush)
        {
            if (Wants-- > 0)
            {
                throw new InsufficientMemoryException("the test wants it so");
            }
        }

        public void Flushed()
        {
            if (WantsBehind-- > 0)
            {
                throw new InsufficientMemoryException("the test wants it so");
            }
        }

        public void Poison(long flush, Exception failure)
        {
        }

        public PilePoisonedException Poisoned(Exception failure) => new("poisoned", "/pile", failure);
    }
}
