using System;
using System.Linq;
using System.Threading;
using Pile.Epochs;
using Xunit;

namespace Pile.Tests.Epochs;

[Collection(Alone.Name)]
public sealed class EpochDomainTests : IDisposable
{
    private readonly EpochDomain _one = new(TimeProvider.System);
    private readonly EpochDomain _two = new(TimeProvider.System);
    private readonly EpochLine _line = EpochLine.Current;

    public void Dispose()
    {
        _one.ReleaseId();
        _two.ReleaseId();
    }

    [Fact]
    public void AnEpochPassesAtOnceWhenNobodyIsInside()
    {
        long before = _one.Epoch;
        long epoch = _one.Advance();

        Assert.Equal(before + 1, epoch);
        Assert.True(_one.HasPassed(epoch));
        Assert.NotEqual(_one.PileId, _two.PileId);
    }

    [Fact]
    public void AnEpochWaitsForThoseWhoEnteredBeforeAndNotForThoseAfter()
    {
        long held = _line.Enter(_one.IdWord);
        long first = _one.Advance();
        Assert.False(_one.HasPassed(first));
        Assert.False(_one.WaitPassed(first, waitMs: 1));
        _line.Leave(held);
        Assert.True(_one.HasPassed(first));

        held = _line.Enter(_one.IdWord);
        Assert.True(_one.HasPassed(first));
        Assert.False(_one.HasPassed(_one.Advance()));
        _line.Leave(held);
    }

    [Fact]
    public void AThreadInsideOnePileDoesNotHoldBackAnother()
    {
        long held = _line.Enter(_one.IdWord);

        Assert.True(_two.HasPassed(_two.Advance()));
        Assert.Equal(0, _two.Holders().Threads);
        Assert.Equal(1, _one.Holders().Threads);
        Assert.Contains($"managed thread {Environment.CurrentManagedThreadId}", _one.Holders().Names, StringComparison.Ordinal);
        _line.Leave(held);
        Assert.Equal(0, _one.Holders().Threads);
    }

    [Fact]
    public void AThreadInsideTwoPilesHoldsBackBothUntilItHasLeftEach()
    {
        long held = _line.Enter(_one.IdWord);
        long inner = _line.Enter(_two.IdWord);
        long one = _one.Advance();
        long two = _two.Advance();
        Assert.False(_one.HasPassed(one));
        Assert.False(_two.HasPassed(two));

        _line.Leave(inner);

        Assert.True(_two.HasPassed(two));
        Assert.False(_one.HasPassed(one));
        _line.Leave(held);
        Assert.True(_one.HasPassed(one));
    }

    [Fact]
    public void AThreadInsideTwoPilesHoldsBackNoThird()
    {
        var third = new EpochDomain(TimeProvider.System);
        var fourth = new EpochDomain(TimeProvider.System);
        long outer = _line.Enter(_one.IdWord);
        long inner = _line.Enter(_two.IdWord);
        Assert.True(third.HasPassed(third.Advance()));
        Assert.Equal(0, third.Holders().Threads);

        long innermost = _line.Enter(fourth.IdWord);
        Assert.False(_one.HasPassed(_one.Advance()));
        Assert.False(_two.HasPassed(_two.Advance()));
        Assert.False(fourth.HasPassed(fourth.Advance()));
        Assert.True(third.HasPassed(third.Advance()));
        _line.Leave(innermost);
        _line.Leave(inner);

        // Now one of the others: the names begin anew.
        inner = _line.Enter(third.IdWord);
        Assert.True(_two.HasPassed(_two.Advance()));
        Assert.True(fourth.HasPassed(fourth.Advance()));
        Assert.False(third.HasPassed(third.Advance()));
        Assert.False(_one.HasPassed(_one.Advance()));
        _line.Leave(inner);
        _line.Leave(outer);
        third.ReleaseId();
        fourth.ReleaseId();
    }

    [Fact]
    public void AThreadInsideMoreThanFourPilesHoldsBackAll()
    {
        EpochDomain[] domains = [.. Enumerable.Range(0, 6).Select(static _ => new EpochDomain(TimeProvider.System))];
        long[] outers = [.. domains.Take(5).Select(domain => _line.Enter(domain.IdWord))];
        Assert.All(domains, static domain => Assert.False(domain.HasPassed(domain.Advance())));
        for (int index = outers.Length - 1; index >= 0; index--)
        {
            _line.Leave(outers[index]);
        }

        Assert.All(domains, static domain => Assert.True(domain.HasPassed(domain.Advance())));
        Array.ForEach(domains, static domain => domain.ReleaseId());
    }

    [Fact]
    public void AThreadThatDiesInsideIsDroppedAndCounted()
    {
        long abandoned = EpochLines.AbandonedLines;
        OwnThread.Start(() => _ = EpochLine.Current.Enter(_one.IdWord)).Join();
        long epoch = _one.Advance();

        Assert.True(_one.WaitPassed(epoch, waitMs: 0));
        Assert.True(EpochLines.AbandonedLines > abandoned);
    }

    [Fact]
    public void ADeadThreadsLeaseDoesNotKeepAPileFull()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 2 << 20 });
        PilePointer pointer = pile.It.PutBytes(new byte[1000]);
        OwnThread.Start(() => _ = pile.It.Lease(pointer).Length).Join();

        for (int round = 0; round < 10_000; round++)
        {
            pile.It.UpdateBytes(pointer, new byte[1000]);
        }

        Assert.Equal(0, pile.Statistics.Refusals);
        Assert.Equal(0, pile.Statistics.ThreadsInside);
    }

    [Fact]
    public void SixtyFourThreadsComeAndGoAndEveryEpochPasses()
    {
        using var inside = new CountdownEvent(64);
        using var go = new ManualResetEventSlim();
        var threads = new OwnThread[64];
        for (int index = 0; index < threads.Length; index++)
        {
            threads[index] = OwnThread.Start(() =>
            {
                long held = EpochLine.Current.Enter(_one.IdWord);
                inside.Signal();
                go.Wait(TestContext.Current.CancellationToken);
                EpochLine.Current.Leave(held);
            });
        }

        inside.Wait(TestContext.Current.CancellationToken);
        long epoch = _one.Advance();
        Assert.False(_one.HasPassed(epoch));
        Assert.Equal(64, _one.Holders().Threads);
        go.Set();
        foreach (OwnThread thread in threads)
        {
            thread.Join();
        }

        Assert.True(_one.HasPassed(epoch));
    }
}
