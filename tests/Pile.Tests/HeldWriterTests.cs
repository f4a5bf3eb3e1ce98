using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests;

/// <summary>A call that throws while it holds a writer gives back what it holds: others go on.</summary>
public sealed class HeldWriterTests
{
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    public async Task AWriteThatThrowsHoldsNothingAfterwards(int throwsAt, bool updates)
    {
        var regions = new ThrowingRegions();
        await Task.Factory.StartNew(
            () =>
            {
                using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Regions = regions, WritersMax = 1, BackgroundCleaning = false });
                PilePointer pointer = pile.Put("there");
                (regions.ThreadId, regions.ThrowsAt) = (Environment.CurrentManagedThreadId, throwsAt);
                Assert.Throws<InsufficientMemoryException>(() =>
                {
                    for (int index = 0; index < 100_000; index++)
                    {
                        if (updates)
                        {
                            pile.UpdateBytes(pointer, new byte[1000 + (index % 7)]);
                        }
                        else
                        {
                            _ = pile.PutBytes(new byte[1000]);
                        }
                    }
                });
                OwnThread.Start(() => pile.Put("from elsewhere")).Join();
                AssertGood(pile);
                Assert.True(pile.Delete(pointer));
                pile.Clear();
                Assert.Equal("again", pile.Get<string>(pile.Put("again")));
                Assert.Equal(0, pile.GetStatistics().ThreadsInside);
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
    }

    /// <summary>The pages of a large object are taken before the record that refers to them has its room.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ALargeObjectWhoseRecordThrowsLeavesNoPages(bool updates)
    {
        var regions = new ThrowingRegions();
        await Task.Factory.StartNew(
            () =>
            {
                using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Regions = regions, WritersMax = 1 });
                PilePointer pointer = pile.Put("there");
                Assert.True(pile.Delete(pile.PutBytes(new byte[100_000])));
                Assert.True(pile.Core.Large.Reclaim(waitMs: 1000) > 0);

                // The pages are there from before: the next call for memory is one for the next segment.
                (regions.ThreadId, regions.ThrowsAt) = (Environment.CurrentManagedThreadId, 1);
                int stored = 0;
                _ = Assert.Throws<InsufficientMemoryException>(() =>
                {
                    for (; stored < 100_000; stored++)
                    {
                        if (updates)
                        {
                            pile.UpdateBytes(pointer, new byte[20_000]);
                            _ = pile.Core.Large.Reclaim(waitMs: 1000);
                        }
                        else
                        {
                            Assert.True(pile.Delete(pile.PutBytes(new byte[20_000])));
                            _ = pile.Core.Large.Reclaim(waitMs: 1000);
                        }
                    }
                });
                Assert.InRange(stored, 1000, 99_999);
                _ = pile.Core.Large.Reclaim(waitMs: 1000);
                Assert.Equal(updates ? 20_480 : 0, pile.Core.Large.UsedBytes);
                AssertGood(pile);
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
    }

    /// <summary>Whichever call for memory throws, what it was for is taken from the limit no longer.</summary>
    [Theory]
    [InlineData(10)]
    [InlineData(1000)]
    [InlineData(100_000)]
    public void AnAllocationThatThrowsLeavesTheLimitAsItWas(int bytes)
    {
        for (int throwsAt = 1; throwsAt <= 12; throwsAt++)
        {
            var regions = new ThrowingRegions();
            using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Regions = regions, WritersMax = 1, BackgroundCleaning = false, MemoryLimitBytes = 8 << 20 });
            (regions.ThreadId, regions.ThrowsAt) = (Environment.CurrentManagedThreadId, throwsAt);
            int thrown = 0;
            for (int index = 0; index < 200_000 / (bytes + 10) * 20; index++)
            {
                try
                {
                    _ = pile.TryPut(new byte[bytes], out _, out _);
                }
                catch (InsufficientMemoryException)
                {
                    thrown++;
                    AssertGood(pile);
                }
            }

            Assert.Equal(1, thrown);
            AssertGood(pile);
        }
    }

    /// <summary>Neither the writers nor the role, and in the order of the locks none of them.</summary>
    [Fact]
    public void AClearThatIsInterruptedWhileItWaitsForTheCleanerHoldsNothing()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = false });
        PilePointer kept = pile.It.Put("kept");
        pile.Core.Cleaner.EnterRole();
        OwnThread other = OwnThread.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            _ = Assert.Throws<ThreadInterruptedException>(pile.It.Clear);
            _ = pile.It.Put("after it");
        });
        try
        {
            other.Join();
        }
        finally
        {
            pile.Core.Cleaner.ExitRole();
        }

        Assert.Equal("kept", pile.It.Get<string>(kept));
        pile.It.Clear();
        Assert.Equal(0, pile.Statistics.Objects);
    }

    private static void AssertGood(ObjectPile pile)
    {
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
    }
}
