using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cleaning;
using Pile.Format;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

public sealed class PileBatchTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void PutsUpdatesAndDeletesOfABatchAreThereAfterAnOpen(bool crawls)
    {
        byte[] large = [.. Enumerable.Range(0, 100_000).Select(static index => (byte)index)];
        PilePointer old;
        PilePointer gone;
        PilePointer link;
        PilePointer big;
        using (ObjectPile pile = Open())
        {
            old = pile.Put("old");
            gone = pile.Put("gone");
            using PileBatch batch = pile.BeginBatch();
            big = batch.Put(large);
            link = batch.Put(new Link { To = big });
            batch.Update(old, "new");
            batch.Update(old, "newest");
            batch.Delete(gone);
            PilePointer never = batch.Put("never");
            batch.Delete(never);
            Assert.Equal(4, batch.Count);
            Assert.False(pile.TryLease(link, out _));
            Assert.Equal("old", pile.Get<string>(old));
            batch.Commit();
            Assert.False(pile.TryLease(never, out _));
            AssertDone(pile);
        }

        if (crawls)
        {
            Assert.All(Directory.GetFiles(_directory.Path, "table.*"), File.Delete);
        }

        using ObjectPile opened = Open();
        Assert.Equal(crawls ? PileOpening.Crawled : PileOpening.Clean, opened.RecoveryReport().Opening);
        AssertDone(opened);

        void AssertDone(ObjectPile pile)
        {
            Assert.Equal("newest", pile.Get<string>(old));
            Assert.False(pile.TryLease(gone, out _));
            Assert.Equal(large, pile.Get<byte[]>(pile.Get<Link>(link).To));
            PileVerifyReport report = pile.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
            Assert.Equal(3, report.Objects);
        }
    }

    [Fact]
    public void ABatchThatDeletesGetsASegmentOfItsOwnSizeFromThoseThatAreFree()
    {
        PileOptions options = PileOptions.Tiny with { SegmentBytesMax = 1 << 20, MemoryLimitBytes = null, DiskLimitBytes = 4 << 20, FlushInterval = TimeSpan.FromHours(1) };
        using ObjectPile pile = ObjectPile.Open(_directory.Path, options);
        List<PilePointer> pointers = [];
        byte[] value = new byte[200];
        while (pile.TryPutBytes(value, out PilePointer pointer) == PileStatus.Ok)
        {
            pointers.Add(pointer);
        }

        // Segments that were emptied, and flushed, are free and no larger than before.
        for (int index = 0; index < pointers.Count / 2; index++)
        {
            pile.Delete(pointers[index]);
        }

        pile.Commit();
        Clean(pile);
        pile.Commit();
        Clean(pile);
        using PileBatch batch = pile.BeginBatch();
        for (int index = pointers.Count / 2; index < pointers.Count; index++)
        {
            batch.Delete(pointers[index]);
        }

        batch.Commit();
        Assert.Equal(0, pile.GetStatistics().Objects);

        static void Clean(ObjectPile pile)
        {
            Cleaner<DurableRecord> cleaner = pile.Durable!.Core.Cleaner;
            cleaner.EnterRole();
            for (int pass = 0; pass < 40; pass++)
            {
                _ = cleaner.Pass(8, 0.9, waitMs: 0);
            }

            cleaner.ExitRole();
        }
    }

    [Fact]
    public void AStaleMemberStopsTheWholeBatchAndItCanBeMended()
    {
        using ObjectPile pile = Open();
        PilePointer kept = pile.Put(1);
        PilePointer stale = pile.Put(2);
        Assert.True(pile.Delete(stale));
        using PileBatch batch = pile.BeginBatch();
        PilePointer put = batch.Put(3);
        batch.Update(kept, 10);
        batch.Delete(stale);

        Assert.Equal(stale, Assert.Throws<PileStaleException>(batch.Commit).Pointer);
        Assert.Equal(1, pile.Get<int>(kept));
        Assert.False(pile.TryLease(put, out _));
        batch.Dispose();
        _ = Assert.Throws<InvalidOperationException>(batch.Commit);
        Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
    }

    /// <summary>What is refused leaves the batch as it was: no bytes are counted or kept for it.</summary>
    [Fact]
    public void WhatIsRefusedTakesNoRoomInABatch()
    {
        using ObjectPile pile = Open();
        PilePointer deleted = pile.Put("deleted");
        using PileBatch batch = pile.BeginBatch();
        batch.Delete(deleted);
        for (int attempt = 0; attempt < 2000; attempt++)
        {
            PileStaleException stale = Assert.Throws<PileStaleException>(() => batch.Update(deleted, new byte[10_000]));
            Assert.Equal(deleted, stale.Pointer);
        }

        byte[] half = new byte[Limits.PayloadBytesMax / 2];
        PilePointer first = batch.Put(half);
        for (int attempt = 0; attempt < 3; attempt++)
        {
            PileFullException full = Assert.Throws<PileFullException>(() => batch.Put(new byte[(Limits.PayloadBytesMax / 2) + 2]));
            Assert.Contains("PayloadBytesMax", full.Message, StringComparison.Ordinal);
        }

        PilePointer second = batch.Put(new byte[100]);
        batch.Delete(first);
        batch.Commit();
        Assert.Equal(100, pile.Get<byte[]>(second).Length);
        Assert.False(pile.TryLease(deleted, out _));
    }

    [Fact]
    public void AnAbandonedBatchLeavesNothing()
    {
        using ObjectPile pile = Open();
        HashSet<PilePointer> abandoned = [];
        for (int round = 0; round < 50; round++)
        {
            using PileBatch batch = pile.BeginBatch();
            for (int index = 0; index < 40; index++)
            {
                abandoned.Add(batch.Put(index));
            }
        }

        Assert.All(abandoned, pointer => Assert.False(pile.TryLease(pointer, out _)));
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        Assert.Equal(0, report.Objects);
    }

    /// <summary>A pointer was handed out for what a batch puts, and is that one's alone, whether or not it ever comes.</summary>
    [Fact]
    public void APointerOfABatchThatDidNotPutItGoesToNoOtherObject()
    {
        using ObjectPile pile = Open();
        HashSet<PilePointer> issued = [];
        for (int round = 0; round < 50; round++)
        {
            using PileBatch batch = pile.BeginBatch();
            for (int index = 0; index < 40; index++)
            {
                Assert.True(issued.Add(batch.Put(index)));
            }

            batch.Delete(batch.Put(round));
            pile.Commit();
        }

        for (int round = 0; round < 10; round++)
        {
            PilePointer[] put = [.. Enumerable.Range(0, 4_000).Select(index => pile.Put(index))];
            Assert.Empty(issued.Intersect(put));
            Assert.All(issued, pointer => Assert.False(pile.TryLease(pointer, out _)));
            Assert.All(put, pointer => Assert.True(pile.Delete(pointer)));
            pile.Commit();
        }

        Assert.Empty(pile.Verify().Findings);
    }

    /// <summary>Nor after a power cut, which takes the generations back that no record has: neither that pointer nor the next one of its slot.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void APointerOfABatchThatDidNotPutItGoesToNoOtherObjectAfterAPowerCut(int times)
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) };
        HashSet<PilePointer> issued = [];
        using ObjectPile pile = ObjectPile.Open("/pile", options);
        for (int time = 0; time < times; time++)
        {
            using (PileBatch batch = pile.BeginBatch())
            {
                for (int index = 0; index < 1500; index++)
                {
                    Assert.True(issued.Add(batch.Put(index)));
                }
            }

            Assert.Equal(0, pile.Durable!.Batches.SlotsHeld);
            pile.Commit();
        }

        Assert.Empty(pile.Verify().Findings);
        using SimulatedFiles flushed = files.Fork();
        for (int index = 0; index < 4_000; index++)
        {
            Assert.True(issued.Add(pile.Put(index)));
        }

        // The cut leaves nothing of what was put since the last flush.
        using SimulatedFiles cut = flushed.PowerCut(new Random(1));
        using ObjectPile opened = ObjectPile.Open("/pile", options with { Files = cut });
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        Assert.All(Enumerable.Range(0, 4_000), index => Assert.True(issued.Add(opened.Put(index))));
        Assert.Empty(opened.Verify().Findings);
    }

    [Fact]
    public void ABatchThatIsFullSaysSoAndCanStillBeCommitted()
    {
        using ObjectPile pile = Open();
        using PileBatch batch = pile.BeginBatch();
        List<PilePointer> pointers = [];
        PileFullException full = Assert.Throws<PileFullException>(() =>
        {
            while (pointers.Count < 10_000)
            {
                pointers.Add(batch.Put(pointers.Count.ToString("D100", System.Globalization.CultureInfo.InvariantCulture)));
            }
        });
        Assert.Contains("BatchBytesMax", full.Message, StringComparison.Ordinal);
        batch.Commit();
        Assert.Equal(65_480 / 128, pointers.Count);
        Assert.All(Enumerable.Range(0, pointers.Count), index => Assert.Equal(index, int.Parse(pile.Get<string>(pointers[index]), System.Globalization.CultureInfo.InvariantCulture)));
    }

    [Theory]
    [InlineData(1000, false)]
    [InlineData(1000, true)]
    [InlineData(131_000, true)]
    public void ABatchLargerThanTheSegmentsOfThePileGetsOneOfItsSize(int objects, bool crawls)
    {
        PilePointer[] pointers;
        using (ObjectPile pile = Open(largest: true))
        {
            // Segments of the least size, some of them free.
            PilePointer[] small = [.. Enumerable.Range(0, 3000).Select(index => pile.Put(TextOf(index)))];
            Assert.All(small.Where(static pointer => pointer.Slot % 3 != 0), pointer => Assert.True(pile.Delete(pointer)));
            using PileBatch batch = pile.BeginBatch();
            pointers = [.. Enumerable.Range(0, objects).Select(index => batch.Put(TextOf(index)))];
            batch.Commit();
            pile.Delete(pointers[^1]);
            _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
            PileVerifyReport report = pile.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
        }

        if (crawls)
        {
            Assert.All(Directory.GetFiles(_directory.Path, "table.*"), File.Delete);
        }

        using ObjectPile opened = Open(largest: true);
        for (int index = 0; index < objects - 1; index++)
        {
            Assert.Equal(TextOf(index), opened.Get<string>(pointers[index]));
        }

        Assert.True(opened.Verify().IsGood);
    }

    [Fact]
    public void ABatchThatFindsNoRoomChangesNothing()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, SegmentBytesMax = 4 << 20, DiskLimitBytes = 4 << 20 });
        PilePointer kept = pile.Put("kept");
        using PileBatch batch = pile.BeginBatch();
        for (int index = 0; index < 30_000; index++)
        {
            _ = batch.Put(TextOf(index));
        }

        batch.Update(kept, "changed");
        Assert.Throws<PileFullException>(batch.Commit);
        Assert.Equal("kept", pile.Get<string>(kept));
        Assert.Equal(1, pile.GetStatistics().Objects);
        pile.MemoryLimitBytes = 64 << 20;
        batch.Commit();
        Assert.Equal("changed", pile.Get<string>(kept));
        Assert.Equal(30_001, pile.GetStatistics().Objects);
    }

    [Fact]
    public void BatchesOfManyThreadsOverTheSameObjectsNeitherBlockEachOtherForEverNorMix()
    {
        using ObjectPile pile = Open();
        PilePointer[] pointers = [.. Enumerable.Range(0, 64).Select(_ => pile.Put(0L))];
        System.Threading.Tasks.Parallel.For(0, 4, thread =>
        {
            var random = new Random(thread);
            for (int round = 0; round < 500; round++)
            {
                using PileBatch batch = pile.BeginBatch();
                long value = (thread * 1000) + round;
                foreach (PilePointer pointer in pointers.OrderBy(_ => random.Next()).Take(10).Concat([pointers[0], pointers[63]]))
                {
                    batch.Update(pointer, value);
                }

                batch.Commit();
            }
        });

        // The first and the last are in every batch: whatever came last wrote both.
        Assert.Equal(pile.Get<long>(pointers[0]), pile.Get<long>(pointers[63]));
        Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
    }

    private static string TextOf(int index) => index.ToString("D100", System.Globalization.CultureInfo.InvariantCulture);

    private ObjectPile Open(bool largest = false) => ObjectPile.Open(_directory.Path, PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        SegmentBytesMax = largest ? PileOptions.Tiny.SegmentBytesMax * 256 : PileOptions.Tiny.SegmentBytesMax,
        FlushInterval = TimeSpan.FromMilliseconds(10),
    });

    private sealed class Link
    {
        public PilePointer To { get; set; }
    }
}
