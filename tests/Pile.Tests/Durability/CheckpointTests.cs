using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Recoveries after power cuts that begin with a checkpoint, held against those that read everything.</summary>
public sealed class CheckpointTests
{
    private const string Path = "/pile";

    public static TheoryData<int> Seeds => [.. Enumerable.Range(0, 40)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void ACheckpointAndACrawlGiveTheSameTable(int seed)
    {
        using var files = new SimulatedFiles();
        var random = new Random(seed);
        List<PilePointer> live = [];
        bool isTaken = false;
        using ObjectPile used = Open(files);
        int steps = 200 + random.Next(1500);
        for (int step = 0; step < steps; step++)
        {
            Step(used, live, random, ref isTaken);
        }

        if (!isTaken)
        {
            isTaken = TryTake(used);
            Step(used, live, random, ref isTaken);
        }

        // The same cut twice, once with the checkpoint, once without: of one image, for the pile's own thread may flush at any moment.
        using SimulatedFiles withIt = Cut(files, seed);
        using SimulatedFiles without = withIt.Fork();
        foreach (string name in without.List(Path).Where(static name => StoreNames.IsCheckpoint(name, out _)))
        {
            without.Delete($"{Path}/{name}");
        }

        // A third time where the table may not be built in memory first.
        using SimulatedFiles inFile = without.Fork();
        using ObjectPile stored = Open(inFile, new SmallMachine());
        using ObjectPile some = Open(withIt);
        using ObjectPile all = Open(without);
        Assert.Equal(isTaken, some.RecoveryReport().CheckpointFlush >= 0);
        Assert.Equal(-1, all.RecoveryReport().CheckpointFlush);
        Assert.Equal(PileOpening.Crawled, some.RecoveryReport().Opening);
        AssertSame(all, some);
        AssertSame(all, stored);
        Assert.Empty(some.Verify().Findings);

        // And it goes on: what is put now takes no slot or segment that is in use.
        for (int step = 0; step < 300; step++)
        {
            Step(some, live, random, ref isTaken);
        }

        Assert.Empty(some.Verify().Findings);
    }

    /// <summary>The table is copied as far as it is in use once the position is noted, not before: what was put in between is behind neither.</summary>
    [Fact]
    public void WhatIsPutInNewSlotsWhileACheckpointBeginsSurvives()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> put = [pile.PutBytes([1])];
        uint slots = pile.Core.Slots.HighWater;
        files.AtCall = call =>
        {
            if (call.Contains(StoreNames.OfCheckpoint(1), StringComparison.Ordinal))
            {
                files.AtCall = null;
                while (pile.Core.Slots.HighWater == slots)
                {
                    put.Add(pile.PutBytes([2]));
                }

                put.AddRange(Enumerable.Range(0, 100).Select(_ => pile.PutBytes([3])));
            }
        };
        Assert.True(TryTake(pile));
        Assert.Null(files.AtCall);
        pile.Commit();
        using SimulatedFiles cut = Cut(files, 1);
        using ObjectPile opened = Open(cut);
        Assert.True(opened.RecoveryReport().CheckpointFlush > 0);
        Assert.All(put, pointer => Assert.True(opened.TryLease(pointer, out PileLease lease) && Disposed(lease)));
        Assert.Empty(opened.Verify().Findings);

        static bool Disposed(PileLease lease)
        {
            lease.Dispose();
            return true;
        }
    }

    [Fact]
    public void WhatIsOlderThanTheCheckpointIsNotRead()
    {
        using var files = new SimulatedFiles();
        PilePointer after;
        using ObjectPile used = Open(files);
        for (int index = 0; index < 5000; index++)
        {
            _ = used.PutBytes(new byte[100]);
        }

        Assert.True(TryTake(used));
        after = used.PutBytes([1, 2, 3]);
        used.Commit();

        using SimulatedFiles cut = Cut(files, 1);
        using ObjectPile again = Open(cut);
        Assert.InRange(again.RecoveryReport().Records, 1, 10);
        Assert.True(SpinWait.SpinUntil(() => again.GetStatistics().IsCounted, TimeSpan.FromSeconds(60)), "it was not counted within a minute");
        Assert.Equal(5001, again.GetStatistics().Objects);
        using PileLease lease = again.Lease(after);
        Assert.True(lease.Bytes.SequenceEqual((ReadOnlySpan<byte>)[1, 2, 3]));
    }

    [Fact]
    public void EveryDamagedByteOfACheckpointIsMetAndCostsNothing()
    {
        using var files = new SimulatedFiles();
        List<PilePointer> pointers = [];
        using ObjectPile used = Open(files);
        pointers.AddRange(Enumerable.Range(0, 100).Select(_ => used.PutBytes([5])));
        Assert.True(TryTake(used));

        string path = $"{Path}/{files.List(Path).Single(static name => StoreNames.IsCheckpoint(name, out _))}";
        long bytes;
        using (StoreFile file = files.Open(path, FileOpening.ReadOnly))
        {
            bytes = file.Bytes;
        }

        for (long at = 0; at < bytes; at += StepAt(at, bytes))
        {
            using SimulatedFiles cut = Cut(files, 2);
            using (StoreFile file = cut.Open(path, FileOpening.OpenExisting))
            {
                byte[] one = new byte[1];
                file.Read(at, one);
                one[0] ^= 0x10;
                file.Write(at, one);
            }

            using ObjectPile pile = Open(cut);
            Assert.True(pile.RecoveryReport().CheckpointFlush == -1, $"byte {at} of {bytes}");
            Assert.Contains("checkpoint was not used", pile.RecoveryReport().Reason, StringComparison.Ordinal);
            Assert.Equal(pointers.Count, pile.GetStatistics().Objects);
        }
    }

    [Fact]
    public void AFullDeviceLeavesTheCheckpointOfBefore()
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        _ = used.PutBytes(new byte[100]);
        Assert.True(TryTake(used));
        _ = used.PutBytes(new byte[100]);
        files.CapacityBytes = 0;
        Assert.False(TryTake(used));
        files.CapacityBytes = long.MaxValue;
        used.Commit();

        using SimulatedFiles cut = Cut(files, 3);
        using ObjectPile again = Open(cut);
        Assert.True(again.RecoveryReport().CheckpointFlush > 0);
        Assert.Equal(2, again.GetStatistics().Objects);
    }

    [Fact]
    public void ClearForgetsTheCheckpoint()
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        _ = used.PutBytes(new byte[100]);
        Assert.True(TryTake(used));
        used.Clear();

        using SimulatedFiles cut = Cut(files, 4);
        using ObjectPile again = Open(cut);
        Assert.Equal(-1, again.RecoveryReport().CheckpointFlush);
        Assert.Equal(0, again.GetStatistics().Objects);
        Assert.DoesNotContain(cut.List(Path), static name => StoreNames.IsCheckpoint(name, out _));
    }

    [Fact]
    public void NoneIsTakenOfATableThatIsKnownToBeDamaged()
    {
        using var files = new SimulatedFiles();
        List<PilePointer> pointers;
        using (ObjectPile pile = Open(files))
        {
            pointers = [.. Enumerable.Range(0, 2 * Limits.TablePageSlots).Select(_ => pile.PutBytes([5]))];
            Assert.True(TryTake(pile));
        }

        using (StoreFile table = files.Open($"{Path}/{files.List(Path).Single(static name => StoreNames.IsTable(name, out _))}", FileOpening.OpenExisting))
        {
            table.Write(TableHeader.Bytes + ((long)Limits.TablePageSlots * Limits.WordBytes), new byte[Limits.TablePageSlots * Limits.WordBytes]);
        }

        using ObjectPile used = Open(files);
        Assert.Equal(PileOpening.Clean, used.RecoveryReport().Opening);
        used.Core.WaitCounted(TestContext.Current.CancellationToken);
        byte[] bytes = new byte[10_000];
        for (long appended = 0; appended <= FileLimits.CheckpointBytesMin; appended += bytes.Length)
        {
            used.UpdateBytes(pointers[0], bytes);
        }

        used.Commit();
        bool isDue = used.Durable!.Checkpoints.IsDue;
        bool isTaken = TryTake(used);

        using SimulatedFiles cut = Cut(files, 5);
        using ObjectPile again = Open(cut);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.All(pointers, pointer => again.Lease(pointer).Dispose());
        Assert.Equal((false, false, -1), (isDue, isTaken, again.RecoveryReport().CheckpointFlush));
        Assert.Empty(again.Verify().Findings);
    }

    [Theory]
    [InlineData(1L << 38)]
    [InlineData(7)]
    public void NoneIsTakenWhereAFreeEntryLeadsToNoTombstone(long flippedBits)
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        PilePointer kept = used.PutBytes([5]);
        PilePointer deleted = used.PutBytes([6]);
        Assert.True(used.Delete(deleted));
        Assert.True(TryTake(used));
        ulong entry = used.Core.Table.Read(deleted.Slot);
        Assert.NotEqual(0, EntryWord.Location(entry));
        used.Core.Table.Publish(deleted.Slot, EntryWord.Moved(entry, EntryWord.Location(entry) ^ flippedBits));

        Assert.False(TryTake(used));

        used.Core.Table.Publish(deleted.Slot, entry);
        Assert.True(TryTake(used));
        using SimulatedFiles cut = Cut(files, 6);
        using ObjectPile again = Open(cut);
        Assert.True(again.RecoveryReport().CheckpointFlush > 0);
        again.Lease(kept).Dispose();
    }

    /// <summary>Where the copy begins less is proven than by the flushes that complete while it goes on, its own among them.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void DamageOfWhatWasCommittedWhileTheTableWasCopiedIsTold(bool isCommittedAlone)
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        _ = used.PutBytes([5]);
        used.Commit();
        PilePointer[] meanwhile = [];
        files.AtCall = call =>
        {
            if (call.StartsWith("pwrite", StringComparison.Ordinal) && StoreNames.IsCheckpoint(System.IO.Path.GetFileName(call), out _))
            {
                files.AtCall = null;
                meanwhile = [.. Enumerable.Range(0, 20).Select(index => used.PutBytes(Enumerable.Repeat((byte)index, 24).ToArray()))];
                if (isCommittedAlone)
                {
                    used.Commit();
                }
            }
        };
        Assert.True(TryTake(used));
        Assert.NotEmpty(meanwhile);
        if (!isCommittedAlone)
        {
            // With the marker of the checkpoint's flush.
            used.Commit();
        }

        long location = EntryWord.Location(used.Core.Table.Read(meanwhile[10].Slot));
        Segment segment = used.Core.Directory.At(location);
        using SimulatedFiles cut = Cut(files, 7);
        using (StoreFile extent = cut.Open($"{Path}/extents/00000001", FileOpening.OpenExisting))
        {
            extent.Write(ExtentHeader.ExtentPrefixBytes + segment.RegionOffset + ((location - segment.Location) * Limits.WordBytes), [0xEE]);
        }

        _ = Assert.Throws<PileCorruptedException>(() => Open(cut));
    }

    private static ObjectPile Open(SimulatedFiles files, RegionProvider? regions = null) =>
        ObjectPile.Open(Path, PileOptions.Tiny with
        {
            Files = files,
            Regions = regions,
            MemoryLimitBytes = null,
            DiskLimitBytes = 4 << 20,
            WritersMax = 2,
            FlushInterval = TimeSpan.FromHours(1),
        });

    private static bool TryTake(ObjectPile pile) => pile.Durable!.Checkpoints.TryTake(CancellationToken.None);

    /// <summary>Every byte that means something, and some of those that are zero.</summary>
    private static long StepAt(long at, long bytes) =>
        at is < 128 or (>= CheckpointHeader.BlockBytes - 8 and < CheckpointHeader.BlockBytes + 300) || at >= bytes - 900 ? 1 : 97;

    /// <summary>What a power cut leaves just before the pile was closed: a clean close would not need the log.</summary>
    private static SimulatedFiles Cut(SimulatedFiles files, int seed)
    {
        files.Snapshot();
        return files.PowerCut(new Random(seed));
    }

    private static void Step(ObjectPile pile, List<PilePointer> live, Random random, ref bool isTaken)
    {
        switch (random.Next(100))
        {
            case < 45 when pile.TryPutBytes(new byte[random.Next(random.Next(30) == 0 ? 30_000 : 300)], out PilePointer pointer) == PileStatus.Ok:
                live.Add(pointer);
                break;
            case < 70 when live.Count > 0:
                _ = pile.TryUpdateBytes(live[random.Next(live.Count)], new byte[random.Next(300)]);
                break;
            case < 92 when live.Count > 0:
                int index = random.Next(live.Count);
                _ = pile.Delete(live[index]);
                live.RemoveAt(index);
                break;
            case < 96:
                pile.Commit();
                break;
            case 96:
                _ = pile.Compact();
                break;
            case 97 when random.Next(20) == 0:
                pile.Clear();
                live.Clear();
                isTaken = false;
                break;
            case 98:
                isTaken |= TryTake(pile);
                break;
        }
    }

    /// <summary>The same current record of each slot; copies of one record may lie at different places.</summary>
    private static void AssertSame(ObjectPile all, ObjectPile some)
    {
        Assert.Equal(all.Core.Slots.HighWater, some.Core.Slots.HighWater);
        for (uint slot = Limits.FirstSlot; slot < all.Core.Slots.HighWater; slot++)
        {
            (ulong one, ulong other) = (all.Core.Table.Read(slot), some.Core.Table.Read(slot));
            Assert.Equal(EntryWord.Moved(one, 0), EntryWord.Moved(other, 0));
            Assert.Equal(RecordOf(all, one), RecordOf(some, other));
        }
    }

    private static byte[] RecordOf(ObjectPile pile, ulong entry)
    {
        long location = EntryWord.Location(entry);
        if (location == 0)
        {
            return [];
        }

        FlatSpace space = pile.Core.Directory.Space;
        int bytes = RecordWord.PayloadBytes(space.ReadWord(location));
        byte[] record = space.Bytes(location, 0, DurableRecord.HeaderBytes + bytes).ToArray();

        // The check is over the place as well.
        record.AsSpan(DurableRecord.HeaderBytes - sizeof(uint), sizeof(uint)).Clear();
        return record;
    }
}
