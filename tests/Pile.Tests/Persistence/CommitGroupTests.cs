using System;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>When a flush is held back for other callers, and when not.</summary>
public sealed class CommitGroupTests
{
    private readonly ManualTime _time = new();
    private readonly CommitGroup _group;

    public CommitGroupTests() => _group = new CommitGroup(_time);

    [Fact]
    public void OneCallerNeverWaits()
    {
        for (int flush = 0; flush < 5; flush++)
        {
            _group.Add();
            Assert.False(_group.IsGathering);
            Flush(comeMeanwhile: 0);
        }
    }

    [Fact]
    public void AsManyAreExpectedAsWereServedOrWaitedAndNoLongerThanAFlushTakes()
    {
        _group.Add();
        Flush(comeMeanwhile: 3);
        Assert.True(_group.IsGathering);
        Assert.Equal(TimeSpan.FromMilliseconds(10), _group.Patience);
        _group.Add();
        Assert.False(_group.IsGathering);
        Assert.Equal(4, _group.Waiting);

        Flush(comeMeanwhile: 0);
        _group.Add();
        Assert.True(_group.IsGathering);
        _time.Pass(TimeSpan.FromMilliseconds(9.9));
        Assert.True(_group.IsGathering);
        _time.Pass(TimeSpan.FromMilliseconds(0.2));
        Assert.False(_group.IsGathering);
        Assert.Equal(TimeSpan.Zero, _group.Patience);
    }

    [Fact]
    public void WhereTheyDoNotComeNobodyWaitsForTheNextOnesAndLongerEachTime()
    {
        int[] waits = [0, 0, 0];
        for (int round = 0; round < waits.Length; round++)
        {
            // Two come at the same time, then only one of them again.
            while (!Gathers())
            {
                waits[round]++;
            }

            _time.Pass(TimeSpan.FromMilliseconds(11));
            _group.GiveUp();
            Flush(comeMeanwhile: 0);
        }

        Assert.Equal([0, 1, 3], waits);
    }

    [Fact]
    public void AFlushThatServedNobodyMakesNobodyWait()
    {
        Flush(comeMeanwhile: 1);
        Assert.False(_group.IsGathering);
    }

    private bool Gathers()
    {
        _group.Add();
        Flush(comeMeanwhile: 1);
        return _group.IsGathering;
    }

    private void Flush(int comeMeanwhile)
    {
        int served = _group.Begin();
        Assert.Equal(0, _group.Waiting);
        _time.Pass(TimeSpan.FromMilliseconds(10));
        for (int caller = 0; caller < comeMeanwhile; caller++)
        {
            _group.Add();
        }

        _group.End(served);
    }

    private sealed class ManualTime : TimeProvider
    {
        private long _ticks = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _ticks;

        internal void Pass(TimeSpan time) => _ticks += time.Ticks;
    }
}
