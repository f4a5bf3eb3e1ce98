using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Xunit;

namespace Pile.Tests;

public sealed class ObjectPileCareTests
{
    [Fact]
    public void AnEmptyPileHasNoItemsAndNoCounts()
    {
        using var pile = new CheckedPile();
        foreach (PileItem item in pile.It.Enumerate())
        {
            Assert.Fail(item.ToString());
        }

        PileStatistics statistics = pile.Statistics;
        Assert.Equal((0, 0, 0, 0), (statistics.Objects, statistics.LiveBytes, statistics.UsedBytes, statistics.SlotsIssued));
    }

    [Fact]
    public void SegmentsAddUpToTheStatistics()
    {
        using var pile = new CheckedPile();
        var pointers = new List<PilePointer>();
        for (int index = 0; index < 5000; index++)
        {
            pointers.Add(pile.It.PutBytes(new byte[100]));
        }

        for (int index = 0; index < pointers.Count; index += 3)
        {
            Assert.True(pile.It.Delete(pointers[index]));
        }

        long bytes = 0;
        long live = 0;
        long sequence = 0;
        foreach (PileSegment segment in pile.It.ListSegments())
        {
            bytes += segment.Bytes;
            live += segment.LiveBytes;
            sequence = long.Max(sequence, segment.Sequence);
            Assert.InRange(segment.LiveBytes, 0, segment.WrittenBytes);
            Assert.InRange(segment.WrittenBytes, 0, segment.Bytes);
            Assert.NotEqual(PileSegmentState.Absent, segment.State);
        }

        Assert.Equal((pile.Statistics.SegmentBytes, pile.Statistics.LiveBytes), (bytes, live));
        Assert.True(sequence > 1);
        Assert.Equal(Enum.GetNames<Pile.Segments.SegmentState>(), Enum.GetNames<PileSegmentState>());
    }

    [Fact]
    public void CompactTellsItsProgress()
    {
        using var pile = new CheckedPile();
        List<PilePointer> pointers = [];
        for (int index = 0; index < 20_000; index++)
        {
            pointers.Add(pile.It.PutBytes(new byte[100]));
        }

        for (int index = 0; index < pointers.Count; index++)
        {
            Assert.True(index % 4 == 0 || pile.It.Delete(pointers[index]));
        }

        var progress = new Told<PileCompactProgress>();
        PileCompactReport report = pile.It.Compact(1.05, progress, TestContext.Current.CancellationToken);
        List<PileCompactProgress> told = progress.All;
        Assert.True(told.Count > 1);
        Assert.All(told, at => Assert.Equal(told[0].TotalBytes, at.TotalBytes));
        Assert.All(told, static at => Assert.InRange(at.Bytes, 0, at.TotalBytes));
        Assert.Equal(told.Select(static at => at.Bytes).Order(), told.Select(static at => at.Bytes));
        Assert.True(told[^1].Bytes > 0);
        Assert.InRange(told[^1].Bytes, 0, report.UsedBytesBefore - report.UsedBytesAfter);
    }

    [Fact]
    public void VerifyTellsItsProgressAndCanBeEnded()
    {
        using var pile = new CheckedPile();
        for (int index = 0; index < 3000; index++)
        {
            _ = pile.It.PutBytes(new byte[100]);
        }

        var told = new Told<PileVerifyProgress>();
        PileVerifyReport report = pile.It.Verify(told, TestContext.Current.CancellationToken);
        Assert.True(report.IsGood);
        Assert.InRange(told.All.Count, 1, report.Segments);
        Assert.Equal(told.All.OrderBy(static one => one.Bytes), told.All);
        Assert.Equal((report.Bytes, report.Bytes), (told.All[^1].Bytes, told.All[^1].TotalBytes));
        using var ended = new CancellationTokenSource();
        ended.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => pile.It.Verify(progress: null, ended.Token));
        _ = pile.It.PutBytes([1]);
    }

    /// <summary>What a verification tells may store what it is told into the pile that is verified, and may throw.</summary>
    [Fact]
    public void WhatVerifyTellsMayWriteToThePile()
    {
        using var pile = new CheckedPile();
        for (int index = 0; index < 3000; index++)
        {
            _ = pile.It.PutBytes(new byte[100]);
        }

        var writing = new Writing(pile.It);
        Assert.True(pile.It.Verify(writing, TestContext.Current.CancellationToken).IsGood);
        Assert.NotEmpty(writing.Pointers);
        Assert.All(writing.Pointers, pointer => Assert.True(pile.It.Get<long>(pointer) > 0));
        Assert.Throws<TimeoutException>(() => pile.It.Verify(new Throwing(), TestContext.Current.CancellationToken));
        _ = pile.It.PutBytes([1]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(65)]
    [InlineData(10_000)]
    public void EnumerationMeetsEachObjectOnceWithKindAndLength(int count)
    {
        using var pile = new CheckedPile();
        var expected = new Dictionary<PilePointer, (PileKind Kind, int Length)>();
        for (int index = 0; index < count; index++)
        {
            int length = index % 1000 == 7 ? 50_000 : index % 100;
            PilePointer pointer = index % 2 == 0 ? pile.It.PutBytes(new byte[length]) : pile.It.PutString(new string('x', length));
            expected.Add(pointer, (index % 2 == 0 ? PileKind.Bytes : PileKind.NarrowString, length));
            if (index % 5 == 4)
            {
                Assert.True(pile.It.Delete(pointer));
                expected.Remove(pointer);
            }
        }

        foreach (PileItem item in pile.It.Enumerate())
        {
            Assert.True(expected.Remove(item.Pointer, out (PileKind Kind, int Length) found));
            Assert.Equal(found, (item.Kind, item.PayloadBytes));
        }

        Assert.Empty(expected);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void UnderWritersEachObjectAliveThroughoutIsMetExactlyOnce(int seed)
    {
        using var pile = new CheckedPile();
        PilePointer[] stable = new PilePointer[5000];
        for (int index = 0; index < stable.Length; index++)
        {
            stable[index] = pile.It.Put((long)index);
            Assert.True(pile.It.Delete(pile.It.Put((long)index)));
        }

        int enumerations = 0;
        using var done = new CancellationTokenSource();
        OwnThread[] writers =
        [
            OwnThread.Start(() => ComeAndGo(pile.It, stable, new Random(seed), done.Token)),
            OwnThread.Start(() => ComeAndGo(pile.It, stable, new Random(seed + 100), done.Token)),
        ];
        try
        {
            for (; enumerations < 30; enumerations++)
            {
                var met = new Dictionary<PilePointer, int>();
                foreach (PileItem item in pile.It.Enumerate())
                {
                    met[item.Pointer] = met.GetValueOrDefault(item.Pointer) + 1;
                }

                Assert.All(stable, pointer => Assert.Equal(1, met.GetValueOrDefault(pointer)));
                Assert.All(met.Values, static times => Assert.Equal(1, times));
            }
        }
        finally
        {
            done.Cancel();
            foreach (OwnThread writer in writers)
            {
                writer.Join();
            }
        }

        Assert.True(pile.Statistics.CleanerPasses > 0);
    }

    [Fact]
    public void EnumerationOfAPileDisposedInTheMiddleThrowsDisposed()
    {
        var pile = ObjectPile.Create(PileOptions.Tiny);
        for (int index = 0; index < 1000; index++)
        {
            pile.Put(index);
        }

        PileItems items = pile.Enumerate();
        Assert.True(items.MoveNext());
        pile.Dispose();
        int met = 1;
        try
        {
            while (items.MoveNext())
            {
                met++;
            }

            Assert.Fail("no exception");
        }
        catch (ObjectDisposedException)
        {
            Assert.InRange(met, 1, 64);
        }
    }

    [Fact]
    public void ClearMakesEveryPointerStaleAndTheCountsZeroAndGenerationsGoOn()
    {
        using var pile = new CheckedPile();
        var before = new Dictionary<uint, PilePointer>();
        for (int round = 0; round < 3; round++)
        {
            List<PilePointer> pointers = [];
            for (int index = 0; index < 5000; index++)
            {
                PilePointer pointer = pile.It.PutBytes(new byte[index % 500 == 0 ? 40_000 : 100]);
                pointers.Add(pointer);
                Assert.True(!before.TryGetValue(pointer.Slot, out PilePointer earlier) || earlier.Generation < pointer.Generation);
                before[pointer.Slot] = pointer;
            }

            pile.It.Clear();
            Assert.All(pointers, pointer => Assert.False(pile.It.TryLease(pointer, out _)));
            PileStatistics statistics = pile.Statistics;
            Assert.Equal((0, 0, 0, 0), (statistics.Objects, statistics.LiveBytes, statistics.LargeObjects, statistics.LargeBytes));
            pile.AssertGood();
        }

        Assert.True(pile.Statistics.SlotsIssued < 6000);
    }

    [Fact]
    public void LeasesHeldAcrossAClearKeepTheirBytes()
    {
        using var pile = new CheckedPile();
        byte[] small = new byte[100];
        byte[] large = new byte[100_000];
        small.AsSpan().Fill(1);
        large.AsSpan().Fill(2);
        PilePointer first = pile.It.PutBytes(small);
        PilePointer second = pile.It.PutBytes(large);
        using PileLease one = pile.It.Lease(first);
        using PileLease two = pile.It.Lease(second);
        OwnThread.Start(() =>
        {
            pile.It.Clear();
            for (int index = 0; index < 150; index++)
            {
                pile.It.PutBytes(new byte[5000]);
                Assert.True(pile.It.Delete(pile.It.PutBytes(new byte[90_000])));
            }
        }).Join();

        Assert.Equal(small, one.Bytes.ToArray());
        Assert.Equal(large, two.Bytes.ToArray());
    }

    [Fact]
    public void CountersAreExactlyZeroAfterDeletingEverything()
    {
        using var pile = new CheckedPile();
        List<PilePointer> pointers = [];
        for (int index = 0; index < 20_000; index++)
        {
            pointers.Add(pile.It.PutBytes(new byte[index % 1000 == 0 ? 60_000 : index % 300]));
            if (index % 3 == 0)
            {
                pile.It.UpdateBytes(pointers[index / 2], new byte[index % 200]);
            }
        }

        Assert.All(pointers, pointer => Assert.True(pile.It.Delete(pointer)));
        Assert.True(pile.It.Compact(cancellationToken: TestContext.Current.CancellationToken).UsedBytesAfter < 2 << 20);
        PileStatistics statistics = pile.Statistics;
        Assert.Equal((0, 0, 0, 0), (statistics.Objects, statistics.LiveBytes, statistics.LargeObjects, statistics.LargeBytes));
        Assert.Equal((0, 0, 0), (statistics.Pins, statistics.ThreadsInside, statistics.QuarantinedSegments));
        Assert.Equal(statistics.UsedBytes, statistics.TableBytes + statistics.SegmentBytes);
    }

    [Fact]
    public void CompactRefusesARatioOutOfRangeAndReachesOneInRange()
    {
        using var pile = new CheckedPile();
        CancellationToken none = CancellationToken.None;
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.Compact(1.04, none));
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.Compact(double.NaN, none));
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.Compact(17, none));
        PilePointer[] pointers = new PilePointer[20_000];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(new byte[500]);
        }

        for (int index = 0; index < pointers.Length; index++)
        {
            Assert.True(index % 4 == 0 || pile.It.Delete(pointers[index]));
        }

        PileCompactReport report = pile.It.Compact(1.3, none);
        Assert.True(report.ReachedRatio);
        Assert.True(report.UsedBytesAfter < report.UsedBytesBefore && report.MovedBytes > 0);
        PileStatistics statistics = pile.Statistics;
        Assert.True(statistics.SegmentBytes <= statistics.LiveBytes * 1.3);
        Assert.Throws<OperationCanceledException>(() => pile.It.Compact(1.05, new CancellationToken(canceled: true)));
    }

    private static void ComeAndGo(ObjectPile pile, PilePointer[] stable, Random random, CancellationToken done)
    {
        PilePointer[] own = new PilePointer[2000];
        while (!done.IsCancellationRequested)
        {
            ref PilePointer pointer = ref own[random.Next(own.Length)];
            _ = pile.Delete(pointer);
            pointer = pile.PutBytes(new byte[random.Next(300)]);
            pile.Update(stable[random.Next(stable.Length)], random.NextInt64());
        }
    }

    private sealed class Writing(ObjectPile pile) : IProgress<PileVerifyProgress>
    {
        internal List<PilePointer> Pointers { get; } = [];

        public void Report(PileVerifyProgress value) => Pointers.Add(pile.Put(value.Bytes));
    }

    private sealed class Throwing : IProgress<PileVerifyProgress>
    {
        public void Report(PileVerifyProgress value) => throw new TimeoutException("the user's");
    }

    private sealed class Told<T> : IProgress<T>
    {
        internal List<T> All { get; } = [];

        public void Report(T value) => All.Add(value);
    }
}
