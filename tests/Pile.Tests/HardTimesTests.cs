using System;
using System.Threading;
using Pile.Primitives;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests;

public sealed class HardTimesTests
{
    private static readonly byte[] _thousand = new byte[1000];

    [Fact]
    public void ALeaseHeldWhileOthersChurnMakesThePileFullAtTheLimitAndNormalOnceItIsReleased()
    {
        const long Limit = 8 << 20;
        using var pile = new CheckedPile(PileOptions.Tiny with
        {
            MemoryLimitBytes = Limit,
            TimeProvider = new SteppingTime(TimeSpan.FromMilliseconds(10)),
        });
        PilePointer held = pile.It.PutString("held");
        PilePointer pointer = pile.It.PutBytes(_thousand);
        using (PileLease lease = pile.It.Lease(held))
        {
            int updates = 0;
            OwnThread.Start(() => updates = ChurnUntilFull(pile.It, pointer)).Join();
            Assert.InRange(updates, 5000, 9000);
            Assert.InRange(pile.Statistics.UsedBytes, Limit * 9 / 10, Limit);
            Assert.Equal("held"u8.ToArray(), lease.Bytes.ToArray());
            OwnThread.Start(() => Assert.True(pile.It.Delete(held))).Join();
            Assert.Equal("held"u8.ToArray(), lease.Bytes.ToArray());
        }

        for (int round = 0; round < 20_000; round++)
        {
            pile.It.UpdateBytes(pointer, _thousand);
        }

        _ = pile.It.Compact(16, TestContext.Current.CancellationToken);
        Assert.InRange(pile.Statistics.UsedBytes, 0, Limit / 2);
        Assert.Equal(Limit, Math.Max(Limit, pile.Statistics.PeakUsedBytes));
    }

    [Fact]
    public void DisposeWithALeaseAndAPinOutNamesThemAndLeavesTheMemory()
    {
        var pile = ObjectPile.Create(PileOptions.Tiny with { DisposeWait = TimeSpan.Zero });
        PilePointer pointer = pile.PutString("kept");
        PilePin pin = pile.Pin(pointer);
        using var leased = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        OwnThread holder = OwnThread.Start(
            () =>
            {
                using PileLease lease = pile.Lease(pointer);
                leased.Set();
                go.Wait(TestContext.Current.CancellationToken);
                Assert.Equal("kept"u8.ToArray(), lease.Bytes.ToArray());
            },
            "the holder");
        leased.Wait(TestContext.Current.CancellationToken);

        PileBusyException failure = Assert.Throws<PileBusyException>(pile.Dispose);
        Assert.Equal(PileStatus.Busy, failure.Status);
        Assert.Contains("'the holder'", failure.Message, StringComparison.Ordinal);
        Assert.Contains("1 pin(s)", failure.Message, StringComparison.Ordinal);
        Assert.Equal("kept"u8.ToArray(), pin.Bytes.ToArray());
        Assert.Throws<ObjectDisposedException>(() => pile.Lease(pointer).Dispose());

        go.Set();
        holder.Join();
        failure = Assert.Throws<PileBusyException>(pile.Dispose);
        Assert.Contains("1 pin(s)", failure.Message, StringComparison.Ordinal);
        Assert.Equal("kept"u8.ToArray(), pin.Bytes.ToArray());
        pin.Dispose();
        pile.Dispose();
        pile.Dispose();
    }

    [Fact]
    public void ALimitBelowTheMinimumIsRefusedAndOneBelowUseStopsGrowthUntilItIsRaised()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 8 << 20 });
        PilePointer[] pointers = new PilePointer[4000];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(_thousand);
        }

        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.MemoryLimitBytes = Limits.MemoryLimitMin - 1);
        Assert.Equal(8 << 20, pile.It.MemoryLimitBytes);
        long used = pile.Statistics.UsedBytes;
        pile.It.MemoryLimitBytes = 2 << 20;
        int more = 0;
        while (pile.It.TryPut(_thousand, out _, out PileStatus status))
        {
            Assert.Equal(PileStatus.Ok, status);
            Assert.True(++more < 1000);
        }

        Assert.True(pile.Statistics.UsedBytes <= used);
        Assert.Equal(_thousand, pile.It.Get<byte[]>(pointers[^1]));
        for (int index = 0; index < 1000; index++)
        {
            Assert.True(pile.It.Delete(pointers[index]));
        }

        pile.It.MemoryLimitBytes = 16 << 20;
        for (int index = 0; index < 8000; index++)
        {
            pile.It.PutBytes(_thousand);
        }

        Assert.True(pile.Statistics.PeakUsedBytes <= 16 << 20);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(Limits.SegmentBytesMin - 8)]
    [InlineData(Limits.SegmentBytesMin)]
    [InlineData(-8)]
    public void ALimitLoweredToWhatIsUsedLeavesRoomForWhatIsDeletedToComeBack(int aboveUsed)
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        PilePointer[] pointers = new PilePointer[8000];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(_thousand);
        }

        pile.It.MemoryLimitBytes = pile.Statistics.UsedBytes + aboveUsed;
        for (int index = 0; index < pointers.Length; index += 2)
        {
            Assert.True(pile.It.Delete(pointers[index]));
        }

        int more = 0;
        while (more < 3000 && pile.It.TryPut(_thousand, out _, out _))
        {
            more++;
        }

        Assert.Equal(3000, more);
    }

    [Theory]
    [InlineData(1, 450, false)]
    [InlineData(2, 450, true)]
    [InlineData(3, 3000, false)]
    [InlineData(4, 3000, true)]
    public void MemoryStaysWithinTheLimitUnderAnyChurnOfTwoThreads(int seed, int objects, bool background)
    {
        const long Limit = 4 << 20;
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = Limit, BackgroundCleaning = background });
        OwnThread[] threads = [OwnThread.Start(() => Churn(pile.It, seed, objects)), OwnThread.Start(() => Churn(pile.It, seed + 100, objects))];
        foreach (OwnThread thread in threads)
        {
            thread.Join();
        }

        Assert.InRange(pile.Statistics.PeakUsedBytes, Limit / 2, Limit);
    }

    [Fact]
    public void SixteenThreadsAtHalfTheLimitAreNeverRefused()
    {
        const long Limit = 32 << 20;
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = Limit, WritersMax = 2 });
        var threads = new OwnThread[16];
        for (int index = 0; index < threads.Length; index++)
        {
            int seed = index;
            threads[index] = OwnThread.Start(() => PutAndDelete(pile.It, seed, (int)(Limit / 2 / threads.Length / 1016)));
        }

        foreach (OwnThread thread in threads)
        {
            thread.Join();
        }

        Assert.Equal(0, pile.Statistics.Refusals);
        Assert.Equal(0, pile.Statistics.Objects);
        Assert.Equal(0, pile.Statistics.LiveBytes);
    }

    private static void PutAndDelete(ObjectPile pile, int seed, int live)
    {
        var random = new Random(seed);
        PilePointer[] pointers = new PilePointer[live];
        for (int step = 0; step < 20_000; step++)
        {
            int index = step < live ? step : random.Next(live);
            _ = !pointers[index].IsNull && pile.Delete(pointers[index]);
            pointers[index] = pile.PutBytes(_thousand);
        }

        foreach (PilePointer pointer in pointers)
        {
            Assert.True(pile.Delete(pointer));
        }
    }

    private static int ChurnUntilFull(ObjectPile pile, PilePointer pointer)
    {
        int updates = 0;
        while (pile.TryUpdate(pointer, _thousand) == PileStatus.Ok)
        {
            Assert.True(++updates < 100_000);
        }

        return updates;
    }

    private static void Churn(ObjectPile pile, int seed, int objects)
    {
        var random = new Random(seed);
        byte[] bytes = new byte[60_000];
        PilePointer[] pointers = new PilePointer[objects];
        for (int step = 0; step < 30_000; step++)
        {
            ref PilePointer pointer = ref pointers[random.Next(pointers.Length)];
            int length = random.Next(20) == 0 ? random.Next(60_000) : random.Next(1200);
            if (pointer.IsNull || pile.TryUpdate(pointer, bytes[..length]) != PileStatus.Ok)
            {
                _ = pile.Delete(pointer);
                _ = pile.TryPut(bytes[..length], out pointer, out _);
            }

            if (step % 1000 == 0)
            {
                PileStatistics statistics = pile.GetStatistics();
                Assert.True(statistics.UsedBytes <= statistics.MemoryLimitBytes);
            }
        }
    }
}
