using System;
using System.Linq;
using System.Threading;
using Pile.Epochs;
using Xunit;

namespace Pile.Tests.Segments;

[Collection(Alone.Name)]
public sealed class WriterSetTests : IDisposable
{
    private readonly CheckedPile _pile = new(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = false });

    public void Dispose() => _pile.Dispose();

    [Fact]
    public void AWriterUsedByOneThreadBecomesItsOwn()
    {
        EpochLine line = EpochLine.Current;
        Assert.False(Own(line));

        Put(10);

        Assert.True(Own(line));
    }

    [Fact]
    public void AnotherThreadTakesTheWriterAndItsOwnerGoesOnByTheLock()
    {
        EpochLine line = EpochLine.Current;
        Put(10);
        OwnThread.Start(() => Put(1)).Join();

        Assert.False(Own(line));
        Put(1);
        Assert.False(Own(line));
        Put(100);
        Assert.True(Own(line));
        Assert.Equal(112, _pile.Statistics.Objects);
    }

    [Fact]
    public void TakingAWriterAwayWaitsForTheWriteThatItsOwnerIsIn() => AssertItWaits(static _ => { });

    /// <summary>Code of the program within a write, a comparer of keys for one, may read a pile.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ALeaseWithinAWriteDoesNotEndIt(bool ofAnotherPile)
    {
        using ObjectPile another = ObjectPile.Create(PileOptions.Tiny);
        ObjectPile read = ofAnotherPile ? another : _pile.It;
        PilePointer kept = read.PutString("kept");
        AssertItWaits(other =>
        {
            for (int step = 0; step < 100; step++)
            {
                using PileLease lease = read.Lease(kept);
                Assert.Equal(4, lease.Length);
                _ = other.Waits(TimeSpan.FromMilliseconds(1));
            }
        });
    }

    /// <summary>Whoever takes it away has its lock from the first step on: an interrupt would leave it locked for ever.</summary>
    [Fact]
    public void AThreadThatIsInterruptedWhileItTakesAWriterAwayHasItAndGivesItBack()
    {
        ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = false });
        EpochLine line = EpochLine.Current;
        for (int index = 0; index < 10; index++)
        {
            _ = pile.Put(index);
        }

        long held = line.Enter(pile.Core.Epochs.WriteWord);
        OwnThread other = OwnThread.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            _ = pile.Put("interrupted");
            using var never = new SemaphoreSlim(0);
            _ = Assert.Throws<ThreadInterruptedException>(never.Wait);
        });

        // An interrupt that ends the wait has done so by then.
        _ = other.Waits(TimeSpan.FromMilliseconds(50));
        line.Leave(held);
        other.Join();
        Assert.Equal(11, pile.GetStatistics().Objects);
        _ = pile.Put("from elsewhere");
        pile.Dispose();
    }

    [Fact]
    public void TakingAWriterAwayDoesNotWaitForALeaseOfItsOwner()
    {
        Put(10);
        using (PileLease lease = _pile.It.Lease(_pile.It.PutString("kept")))
        {
            OwnThread.Start(() => Put(1)).Join();
            Assert.Equal(4, lease.Length);
        }
    }

    [Fact]
    public void AppendedBytesNeverFallWhileSegmentsAreSealed()
    {
        bool isOver = false;
        OwnThread writer = OwnThread.Start(() =>
        {
            // A segment of the smallest size is sealed every few hundred Puts.
            for (int index = 0; index < 400_000; index++)
            {
                Assert.True(_pile.It.Delete(_pile.It.PutBytes(new byte[200])));
            }

            Volatile.Write(ref isOver, true);
        });
        long most = 0;
        while (!Volatile.Read(ref isOver))
        {
            long appended = _pile.Core.Writers[0]?.AppendedBytes ?? 0;
            Assert.True(appended >= most, $"{appended} bytes appended, after {most}");
            most = appended;
        }

        writer.Join();
        Assert.True(most > 400_000 * 200L / 2);
    }

    [Fact]
    public void LittleAfterAFlushIsStoredByOneWriterAndMuchByAll()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 4, BackgroundCleaning = false });
        void PutByEach()
        {
            for (int thread = 0; thread < 8; thread++)
            {
                OwnThread.Start(() => _ = pile.It.PutBytes(new byte[1000])).Join();
            }
        }

        long[] Appended() => [.. Enumerable.Range(0, 4).Select(index => pile.Core.Writers[index]?.AppendedBytes ?? 0)];
        for (int round = 0; round < 50 && Appended().Contains(0); round++)
        {
            // Which writer a thread begins with, its line decides; other tests have lines too.
            PutByEach();
        }

        Assert.All(Appended(), static bytes => Assert.True(bytes > 0));
        pile.Core.Writers.NoteFlush();
        long[] before = Appended();
        PutByEach();
        Assert.Equal(before[1..], Appended()[1..]);
        Assert.True(Appended()[0] > before[0]);
        for (int round = 0; round < 20; round++)
        {
            PutByEach();
        }

        Assert.All(Enumerable.Range(1, 3), index => Assert.True(Appended()[index] > before[index]));
    }

    /// <summary>It is asked for a segment that a writer has open, once the writer is held too.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void AQuestionThatThrowsLeavesNoWriterHeld(int throwsAt)
    {
        Put(1);
        int asked = 0;
        _ = Assert.Throws<InsufficientMemoryException>(() => _pile.Core.Writers.TrySeal(
            _ => ++asked < throwsAt ? true : throw new InsufficientMemoryException("the test wants it so")));
        bool isFree = _pile.Core.Writers[0]!.TryLock(EpochLine.Current);
        _pile.Core.Writers[0]!.Release();

        Assert.True(isFree);
        Assert.Equal(throwsAt, asked);
    }

    /// <summary>Has a thread take the writer away while this one is in a write, and looks whether it waited for its end.</summary>
    private void AssertItWaits(Action<OwnThread> beforeTheEnd)
    {
        EpochLine line = EpochLine.Current;
        Put(10);
        long held = line.Enter(_pile.Core.Epochs.WriteWord);
        Assert.True(Own(line));
        bool left = false;
        bool waited = false;
        OwnThread other = OwnThread.Start(() =>
        {
            _pile.Core.Writers.HoldAll();
            waited = Volatile.Read(ref left);
            _pile.Core.Writers.ReleaseAll();
        });
        var spin = default(SpinWait);
        while (Own(line))
        {
            spin.SpinOnce();
        }

        beforeTheEnd(other);
        Volatile.Write(ref left, true);
        line.Leave(held);
        other.Join();

        Assert.True(waited);
    }

    private bool Own(EpochLine line) => _pile.Core.Writers[0] is { } writer && writer.IsOwnedBy(line);

    private void Put(int count)
    {
        for (int index = 0; index < count; index++)
        {
            _pile.It.PutBytes([1, 2, 3]);
        }
    }
}
