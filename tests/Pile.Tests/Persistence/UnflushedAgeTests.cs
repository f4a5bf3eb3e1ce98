using System;
using System.Threading;
using Pile.Persistence;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class UnflushedAgeTests
{
    private readonly Clock _clock = new();
    private readonly Log _log = new();

    [Fact]
    public void TheAgeIsThatOfAChangeSinceNothingWasLeftToFlush()
    {
        var age = new UnflushedAge(_log, _clock);
        _clock.Seconds += 3600;
        Assert.Equal(TimeSpan.Zero, age.Look());
        _clock.Seconds += 1;
        _log.HasUnflushed = true;
        _clock.Seconds += 2;
        Assert.Equal(TimeSpan.FromSeconds(3), age.Look());
        _clock.Seconds += 40;
        Assert.Equal(TimeSpan.FromSeconds(43), age.Look());
    }

    [Fact]
    public void AFlushCoversWhatWasThereWhenItBegan()
    {
        _log.HasUnflushed = true;
        _log.AtFlush = () => _clock.Seconds += 40;
        var age = new UnflushedAge(_log, _clock);
        _clock.Seconds += 5;
        age.Flush(1);
        Assert.Equal(TimeSpan.FromSeconds(40), age.Look());
        _log.HasUnflushed = false;
        Assert.Equal(TimeSpan.Zero, age.Look());
    }

    [Fact]
    public void AFlushThatFailsCoversNothing()
    {
        _log.HasUnflushed = true;
        _log.AtFlush = static () => throw new InsufficientMemoryException("the test wants it so");
        var age = new UnflushedAge(_log, _clock);
        _clock.Seconds += 5;
        Assert.Throws<InsufficientMemoryException>(() => age.Flush(1));
        Assert.Equal(TimeSpan.FromSeconds(5), age.Look());
    }

    [Fact]
    public void ACommitOfTheFlusherCoversWhatWasThereWhenItsFlushBegan()
    {
        _log.HasUnflushed = true;
        _log.AtFlush = () => _clock.Seconds += 40;
        using var flusher = new Flusher(new FlushClock(isWaitedFor: true), _log, Timeout.InfiniteTimeSpan, _clock);
        _clock.Seconds += 5;
        flusher.Commit();
        Assert.Equal(TimeSpan.FromSeconds(40), flusher.Age.Look());
    }

    [Fact]
    public void TheThreadOfTheFlusherSeesThatThereIsNothingToFlush()
    {
        _log.AtFlush = static () => throw new InsufficientMemoryException("the test wants it so");
        using var flusher = new Flusher(new FlushClock(isWaitedFor: true), _log, TimeSpan.FromMilliseconds(10), _clock);
        flusher.Start();
        _clock.Seconds += 3600;
        long before = _log.Looks;
        Assert.True(SpinWait.SpinUntil(() => _log.Looks >= before + 3, TimeSpan.FromMinutes(1)));
        _log.HasUnflushed = true;
        Assert.Equal(TimeSpan.Zero, flusher.Age.Look());
    }

    private sealed class Clock : TimeProvider
    {
        internal long Seconds { get; set; }

        public override long TimestampFrequency => 1;

        public override long GetTimestamp() => Seconds;
    }

    private sealed class Log : ILogFiles
    {
        private volatile bool _hasUnflushed;
        private long _looks;

        public bool HasUnflushed
        {
            get
            {
                _ = Interlocked.Increment(ref _looks);
                return _hasUnflushed;
            }

            set => _hasUnflushed = value;
        }

        internal long Looks => Interlocked.Read(ref _looks);

        internal Action AtFlush { get; set; } = static () => { };

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
