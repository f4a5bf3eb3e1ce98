using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>What is done beside the users of a pile in files: scrub, warm-up, checkpoints when they are due.</summary>
public sealed class UpkeepTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<PileVerifyOnRead> Modes => [.. Enum.GetValues<PileVerifyOnRead>()];

    private static PileOptions Options => new() { DiskLimitBytes = 256 << 20, FlushInterval = TimeSpan.FromHours(1) };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Modes))]
    public void AScrubFindsWhatIsCorruptedAndEveryModeRefusesItFromThenOn(PileVerifyOnRead mode)
    {
        PilePointer before = Fill(100)[40];
        using ObjectPile pile = Open(Options with { VerifyOnRead = mode });
        PilePointer[] after = [.. Enumerable.Range(0, 100).Select(index => pile.PutBytes([(byte)index, 9]))];
        PilePointer large = pile.PutBytes(new byte[200_000]);
        Assert.Equal(PileStatus.Ok, StatusOf(pile, before));
        PileScrubReport good = pile.Scrub(TestContext.Current.CancellationToken);
        Assert.Equal(201, good.Objects);
        Assert.Empty(good.Corrupted);
        Assert.InRange(good.Bytes, 200_000, 300_000);

        // Read before, read never, and large.
        PilePointer[] damaged = [before, after[7], large];
        foreach (PilePointer pointer in damaged)
        {
            FlipPayload(pile, pointer);
        }

        Assert.Equal(damaged, pile.Scrub(TestContext.Current.CancellationToken).Corrupted.Order().ToArray().OrderBy(pointer => Array.IndexOf(damaged, pointer)));
        Assert.Equal(3, pile.GetStatistics().CorruptedObjects);
        Assert.All(damaged, pointer => Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer)));
        Assert.Equal(PileStatus.Ok, StatusOf(pile, after[8]));

        // The cleaner may move it: it stays corrupted. A new value heals it.
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.All(damaged, pointer => Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer)));
        foreach (PilePointer pointer in damaged)
        {
            pile.UpdateBytes(pointer, [1]);
            Assert.Equal(PileStatus.Ok, StatusOf(pile, pointer));
        }

        Assert.Empty(pile.Scrub(TestContext.Current.CancellationToken).Corrupted);
    }

    /// <summary>Pages of large objects that one process freed and did not return any more, the next one returns to the device.</summary>
    [Fact]
    public void WhatAProcessBeforeFreedGoesBackToTheDevice()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) };
        PilePointer kept;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            kept = pile.PutBytes(new byte[100_000]);
            List<PilePointer> pointers = [.. Enumerable.Range(0, 20).Select(_ => pile.PutBytes(new byte[1 << 20]))];
            pile.Commit();
            pointers.ForEach(pointer => Assert.True(pile.Delete(pointer)));
        }

        Assert.True(TakenByLarge() > 10 << 20, $"{TakenByLarge():N0} bytes");
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            Assert.True(SpinWait.SpinUntil(() => TakenByLarge() < 1 << 20, TimeSpan.FromSeconds(30)), $"{TakenByLarge():N0} bytes");
            using PileLease lease = pile.Lease(kept);
            Assert.Equal(100_000, lease.Length);
            Assert.True(pile.Verify().IsGood);
        }

        long TakenByLarge() => PileInspection.Of(directory.Path, TestContext.Current.CancellationToken).Files
            .Where(static file => file.Kind == PileFileKind.LargeObjects).Sum(static file => file.TakenBytes);
    }

    [Fact]
    public void ADamagedObjectThatIsPutIsMetAtOnceWhenEveryReadVerifies()
    {
        using ObjectPile pile = Open(Options with { VerifyOnRead = PileVerifyOnRead.Always });
        PilePointer pointer = pile.PutBytes([1, 2, 3]);
        Assert.Equal(PileStatus.Ok, StatusOf(pile, pointer));
        FlipPayload(pile, pointer);
        Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer));
    }

    [Fact]
    public void TheScrubInTheBackgroundFindsDamageByItself()
    {
        List<PilePointer> pointers = Fill(5000);
        using ObjectPile pile = Open(Options with { ScrubBytesPerSecond = 100 << 20 });
        FlipPayload(pile, pointers[4321]);
        WaitUntil(() => pile.GetStatistics().CorruptedObjects > 0);
        Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointers[4321]));
        Assert.Equal(1, pile.GetStatistics().CorruptedObjects);
    }

    [Fact]
    public void AScrubEndsWhenItIsToldTo()
    {
        _ = Fill(10);
        using ObjectPile pile = Open(Options);
        Assert.Throws<OperationCanceledException>(() => pile.Scrub(new CancellationToken(canceled: true)));
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.Scrub(TestContext.Current.CancellationToken));
    }

    [Fact]
    public void APileThatIsReadBeforeTheOpenReturnsIsWarmThen()
    {
        _ = Fill(100);
        using ObjectPile pile = Open(Options with { WarmUp = PileWarmUp.Blocking });
        Assert.True(pile.IsWarm());
    }

    [Theory]
    [InlineData(PileWarmUp.None)]
    [InlineData(PileWarmUp.Background)]
    public void ALargePileBecomesWarmBesideItsUsers(PileWarmUp warmUp)
    {
        List<PilePointer> pointers = Fill(50_000);
        using ObjectPile pile = Open(Options with { WarmUp = warmUp });
        Assert.Equal(PileStatus.Ok, StatusOf(pile, pointers[49_999]));
        WaitUntil(pile.IsWarm);
        Assert.Equal(50_000, pile.GetStatistics().Objects);
        Assert.True(pile.GetStatistics().IsCounted);
    }

    [Fact]
    public void AWarmUpThatAnOpenWaitsForCanBeCancelledAndTheNextOpenHasEverything()
    {
        List<PilePointer> pointers = Fill(50_000);
        using var cancellation = new CancellationTokenSource();
        cancellation.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => ObjectPile.OpenAsync(_directory.Path, Options with { WarmUp = PileWarmUp.Blocking }, cancellationToken: cancellation.Token).GetAwaiter().GetResult());
        using ObjectPile pile = Open(Options);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(pile, pointer)));
    }

    [Fact]
    public void ACheckpointIsTakenWhenEnoughWasAppended()
    {
        using ObjectPile pile = Open(Options);
        PilePointer pointer = pile.PutBytes(new byte[10_000]);
        Assert.Empty(Checkpoints());
        byte[] bytes = new byte[10_000];
        for (int update = 0; update < 8000; update++)
        {
            pile.UpdateBytes(pointer, bytes);
        }

        pile.Commit();
        WaitUntil(() => Checkpoints().Length == 1 && pile.Durable!.Directory.Meta.CheckpointFile == 1);
        pile.Commit();
        Assert.Single(Checkpoints());
    }

    [Fact]
    public async Task WithoutAThreadCommitsGoOnAndTheCheckpointIsTakenOnceThereIsOne()
    {
        using ObjectPile pile = Open(Options);
        Upkeep upkeep = pile.Durable!.Upkeep;
        int refused = 0;
        upkeep.Starting = _ =>
        {
            refused++;
            throw new InsufficientMemoryException("the test wants it so");
        };
        PilePointer pointer = pile.PutBytes(new byte[10_000]);
        byte[] bytes = new byte[10_000];
        for (int update = 0; update < 8000; update++)
        {
            pile.UpdateBytes(pointer, bytes);
        }

        pile.Commit();
        await pile.CommitAsync(TestContext.Current.CancellationToken);
        Assert.True(refused > 0);
        Assert.Empty(Checkpoints());
        upkeep.Starting = static thread => thread.Start();
        pile.Commit();
        WaitUntil(() => Checkpoints().Length == 1);
    }

    [Fact]
    public void WithoutAThreadTheCountIsDoneByWhoOpens()
    {
        _ = Fill(50_000);
        DurableHeap heap = DurableOpen.Run(_directory.Path, Options, progress: null, TestContext.Current.CancellationToken);
        try
        {
            heap.Upkeep.Starting = static _ => throw new InsufficientMemoryException("the test wants it so");
            heap.Upkeep.Continue();
            heap.Core.WaitCounted(TestContext.Current.CancellationToken);
            Assert.True(heap.Upkeep.IsWarm);
        }
        finally
        {
            heap.Core.Dispose();
        }
    }

    [Fact]
    public void APileThatIsOpenedForReadingAloneTakesNoneHoweverLargeItIs()
    {
        FillLarge();
        foreach (string checkpoint in Checkpoints())
        {
            File.Delete(checkpoint);
        }

        string[] before = Directory.GetFileSystemEntries(_directory.Path);
        using (ObjectPile pile = Open(Options with { OpenMode = PileOpenMode.ReadOnly, ScrubBytesPerSecond = 1 }))
        {
            WaitUntil(pile.IsWarm);
            Assert.False(pile.Durable!.Checkpoints.IsDue);
        }

        Assert.Equal(before, Directory.GetFileSystemEntries(_directory.Path));
    }

    [Fact]
    public void AnOpenTakesNoneWhereTheOneOfBeforeKnowsMostOfTheLog()
    {
        FillLarge();
        uint number;
        using (ObjectPile pile = Open(Options))
        {
            // The last one that is due: the fill may have taken one before its end. None is due before all slots are counted.
            WaitUntil(pile.IsWarm);
            WaitUntil(() => pile.Core.IsCountedWhole);
            WaitUntil(() => pile.Durable!.Directory.Meta.CheckpointFile > 0 && !pile.Durable.Checkpoints.IsDue);
            number = pile.Durable!.Directory.Meta.CheckpointFile;
        }

        for (int opened = 0; opened < 3; opened++)
        {
            using ObjectPile pile = Open(Options);
            WaitUntil(pile.IsWarm);
            _ = pile.PutBytes([1]);
            pile.Commit();
            Assert.False(pile.Durable!.Checkpoints.IsDue);
            pile.Dispose();
            Assert.Equal($"checkpoint.{number}", Path.GetFileName(Assert.Single(Checkpoints())));
        }

        // Without it everything is to be walked: then another is due at once.
        File.Delete(Assert.Single(Checkpoints()));
        using ObjectPile again = Open(Options);
        WaitUntil(() => again.Durable!.Directory.Meta.CheckpointFile > number);
    }

    [Fact]
    public void AProcessSafePileTakesNone()
    {
        using ObjectPile pile = Open(Options with { Promise = PilePromise.ProcessSafe });
        Assert.False(pile.Durable!.Checkpoints.IsDue);
        pile.Commit();
        Assert.Empty(Checkpoints());
    }

    [Fact]
    public void OptionsThatCannotBeAreRefusedByName()
    {
        Assert.Contains("ScrubBytesPerSecond", Assert.Throws<ArgumentOutOfRangeException>(() => Open(Options with { ScrubBytesPerSecond = -1 })).Message, StringComparison.Ordinal);
        Assert.Contains("WarmUp", Assert.Throws<ArgumentOutOfRangeException>(() => Open(Options with { WarmUp = (PileWarmUp)3 })).Message, StringComparison.Ordinal);
        using ObjectPile memory = ObjectPile.Create();
        Assert.Throws<InvalidOperationException>(() => memory.Scrub(TestContext.Current.CancellationToken));
        Assert.Throws<InvalidOperationException>(() => memory.IsWarm());
    }

    private static void WaitUntil(Func<bool> condition) =>
        Assert.True(SpinWait.SpinUntil(condition, TimeSpan.FromSeconds(60)), "it did not come to it within a minute");

    private static PileStatus StatusOf(ObjectPile pile, PilePointer pointer)
    {
        if (pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            lease.Dispose();
        }

        return status;
    }

    private static void FlipPayload(ObjectPile pile, PilePointer pointer)
    {
        FlatSpace space = pile.Core.Directory.Space;
        long location = EntryWord.Location(pile.Core.Table.Read(pointer.Slot));
        if (RecordWord.Code(space.ReadWord(location)) == RecordCode.Large)
        {
            location = LargeDescriptor.Read(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).RunLocation;
            space.Bytes(location, 100, 1)[0] ^= 1;
            return;
        }

        space.Bytes(location, DurableRecord.HeaderBytes, 1)[0] ^= 1;
    }

    private string[] Checkpoints() => Directory.GetFiles(_directory.Path, "checkpoint.*");

    private ObjectPile Open(PileOptions options) => ObjectPile.Open(_directory.Path, options);

    /// <summary>More slots than are counted before an open returns, and more bytes than are walked without a checkpoint.</summary>
    private void FillLarge()
    {
        using ObjectPile pile = Open(Options);
        byte[] bytes = new byte[14_000];
        for (int index = 0; index < 6000; index++)
        {
            _ = pile.PutBytes(bytes);
        }
    }

    private List<PilePointer> Fill(int objects)
    {
        using ObjectPile pile = Open(Options);
        return [.. Enumerable.Range(0, objects).Select(index => pile.PutBytes([(byte)index, 7, 7]))];
    }
}
