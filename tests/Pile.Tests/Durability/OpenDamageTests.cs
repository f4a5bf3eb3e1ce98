using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Damage in a segment that was open when its process died or the power was cut: what was written behind it is kept, and the damage
/// is told; what the writer had not finished is neither.</summary>
public sealed class OpenDamageTests : IDisposable
{
    private const string Path = "/pile";
    private const int Objects = 100;
    private const int Damaged = 10;
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(PilePromise.PowerSafe, 1, true)]
    [InlineData(PilePromise.ProcessSafe, 1, true)]
    [InlineData(PilePromise.ProcessSafe, 24, true)]
    [InlineData(PilePromise.ProcessSafe, 1, false)]
    public void AKilledPileKeepsWhatStandsBehindTheDamage(PilePromise promise, int objectBytes, bool commits)
    {
        using SimulatedFiles killed = Fill(promise, objectBytes, commits, out PilePointer[] pointers, static files => files.Fork());
        using (ObjectPile rolled = Open(killed, promise))
        {
            Assert.Equal(PileOpening.RolledForward, rolled.RecoveryReport().Opening);
            Assert.Contains("segment", Assert.Single(rolled.RecoveryReport().Damages).What, StringComparison.Ordinal);
            RequireAllButTheDamaged(rolled, pointers, objectBytes);
        }

        // The count has found the damaged one's entry; its table is not believed again.
        _ = Assert.Throws<PileCorruptedException>(() => Open(killed, promise));
        using ObjectPile crawled = Open(killed, promise, acceptLoss: true);
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        Assert.NotEmpty(crawled.RecoveryReport().Damages);
        RequireAllButTheDamaged(crawled, pointers, objectBytes);
    }

    [Theory]
    [InlineData(PilePromise.PowerSafe, false)]
    [InlineData(PilePromise.ProcessSafe, false)]
    [InlineData(PilePromise.PowerSafe, true)]
    [InlineData(PilePromise.ProcessSafe, true)]
    public void ACrawlInTheSameBootTellsDamageAndKeepsWhatStandsBehindIt(PilePromise promise, bool isPayload)
    {
        using SimulatedFiles killed = Fill(promise, 24, commits: false, out PilePointer[] pointers, static files => files.Fork(), isPayload ? DurableRecord.HeaderBytes : 0);
        DeleteTable(killed);
        _ = Assert.Throws<PileCorruptedException>(() => Open(killed, promise));
        using ObjectPile crawled = Open(killed, promise, acceptLoss: true);
        _ = Assert.Single(crawled.RecoveryReport().Damages);
        RequireAllButTheDamaged(crawled, pointers, 24);
    }

    /// <summary>The marker that proves a commit stands behind the damage in the one segment that there is.</summary>
    [Fact]
    public void ACutTellsDamageBelowWhatACommitProved()
    {
        for (int seed = 0; seed < 10; seed++)
        {
            using SimulatedFiles cut = Fill(PilePromise.PowerSafe, 24, commits: true, out PilePointer[] pointers, files => files.PowerCut(new Random(seed)));
            _ = Assert.Throws<PileCorruptedException>(() => Open(cut, PilePromise.PowerSafe));
            using ObjectPile crawled = Open(cut, PilePromise.PowerSafe, acceptLoss: true);
            RequireAllButTheDamaged(crawled, pointers, 24);
        }
    }

    /// <summary>Whole records right behind the place of a frame's header that is not there are what a batch leaves that was not finished.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void MembersWithoutTheirFrameCountOnlyWhereAnEntryLeadsToThem(bool hasTable)
    {
        var members = new List<PilePointer>();
        using SimulatedFiles killed = FillWithBatch(members, isFollowed: false);
        if (!hasTable)
        {
            DeleteTable(killed);
        }

        using ObjectPile opened = Open(killed, PilePromise.ProcessSafe);
        Assert.Equal(hasTable ? 1 : 0, opened.RecoveryReport().Damages.Count);
        Assert.All(members, member => Assert.Equal(hasTable, opened.TryLease(member, out PileLease lease) && Ended(lease)));
    }

    [Fact]
    public void AFrameThatIsFollowedByAnotherWasFinished()
    {
        var members = new List<PilePointer>();
        using SimulatedFiles killed = FillWithBatch(members, isFollowed: true);
        DeleteTable(killed);
        _ = Assert.Throws<PileCorruptedException>(() => Open(killed, PilePromise.ProcessSafe));
        using ObjectPile opened = Open(killed, PilePromise.ProcessSafe, acceptLoss: true);
        Assert.All(members, member => Assert.Equal([7], opened.Get<byte[]>(member)));
    }

    /// <summary>Bytes in the midst of an object may say any length, and any version.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public void AnEntryThatLeadsToNoRecordAfterAKillIsNotComparedWithTheLastOne(ulong version)
    {
        PilePointer last;
        using SimulatedFiles killed = Fork();
        using ObjectPile opened = Open(killed, PilePromise.ProcessSafe);
        Assert.Equal(PileOpening.RolledForward, opened.RecoveryReport().Opening);
        Assert.False(opened.TryLease(last, out _, out PileStatus status));
        Assert.Equal(PileStatus.Corrupted, status);

        SimulatedFiles Fork()
        {
            using ObjectPile pile = Open(_files, PilePromise.ProcessSafe);
            byte[] words = new byte[16];
            BinaryPrimitives.WriteUInt64LittleEndian(words, RecordWord.Pack(slot: 2, RecordCode.Bytes, Limits.PayloadBytesMax));
            BinaryPrimitives.WriteUInt64LittleEndian(words.AsSpan(8), version);
            PilePointer between = pile.PutBytes(words);
            last = pile.PutBytes([1]);
            ulong entry = pile.Core.Table.Read(last.Slot);
            long inside = LocationOf(pile, between) + (DurableRecord.HeaderBytes / Limits.WordBytes);
            pile.Core.Table.Publish(last.Slot, EntryWord.Live(inside, EntryWord.Generation(entry)));
            return _files.Fork();
        }
    }

    /// <summary>A segment without its row is taken for an open one; at a close none was, and its last record may be of before.</summary>
    [Theory]
    [InlineData(PileOpenMode.ReadOnly)]
    [InlineData(PileOpenMode.OpenExisting)]
    public void ARowThatIsDamagedAfterACloseHasNothingRolledForward(PileOpenMode mode)
    {
        PilePointer kept;
        using (ObjectPile pile = Open(_files, PilePromise.ProcessSafe))
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 1000).Select(index => pile.PutBytes(Content(index, 100)))];
            Segment first = pile.Durable!.Core.Directory.At(LocationOf(pile, pointers[0]));
            PilePointer[] there = [.. pointers.Where(pointer => pile.Durable.Core.Directory.At(LocationOf(pile, pointer)) == first)];
            kept = there[^1];
            Assert.All(there.SkipLast(1), pointer => Assert.True(pile.Delete(pointer)));
            pile.Commit();
            pile.Durable.Core.Cleaner.EnterRole();
            _ = pile.Durable.Core.Cleaner.Pass(wantedSegments: 1, utilisationMax: 0.5, waitMs: 0);
            pile.Durable.Core.Cleaner.ExitRole();
            Assert.True(LocationOf(pile, kept) > first.Location + (first.Bytes / Limits.WordBytes));
        }

        using (StoreFile extent = _files.Open($"{Path}/extents/00000001", FileOpening.OpenExisting))
        {
            extent.Write(ExtentHeader.RowsOffset, [.. Enumerable.Repeat((byte)0xEE, SegmentRow.Bytes)]);
        }

        using ObjectPile opened = Open(_files, mode == PileOpenMode.ReadOnly ? null : PilePromise.ProcessSafe, mode: mode);
        Assert.Equal(PileOpening.Clean, opened.RecoveryReport().Opening);
        _ = Assert.Single(opened.RecoveryReport().Damages);
        Assert.Equal(100, opened.Get<byte[]>(kept).Length);
    }

    private static long LocationOf(ObjectPile pile, PilePointer pointer) => EntryWord.Location(pile.Core.Table.Read(pointer.Slot));

    private static bool Ended(PileLease lease)
    {
        lease.Dispose();
        return true;
    }

    private static byte[] Content(int index, int bytes) => [.. Enumerable.Repeat((byte)index, bytes)];

    private static void RequireAllButTheDamaged(ObjectPile pile, PilePointer[] pointers, int bytes)
    {
        for (int index = 0; index < pointers.Length; index++)
        {
            if (index != Damaged)
            {
                Assert.Equal(Content(index, bytes), pile.Get<byte[]>(pointers[index]));
            }
        }

        _ = Assert.ThrowsAny<PileException>(() => pile.Get<byte[]>(pointers[Damaged]));
    }

    private static void DeleteTable(SimulatedFiles files) =>
        Array.ForEach([.. files.List(Path).Where(static name => name.StartsWith("table", StringComparison.Ordinal))], name => files.Delete($"{Path}/{name}"));

    private static ObjectPile Open(SimulatedFiles files, PilePromise? promise, bool acceptLoss = false, PileOpenMode mode = PileOpenMode.OpenOrCreate) => ObjectPile.Open(Path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        Promise = promise,
        AcceptLoss = acceptLoss,
        OpenMode = mode,
        FlushInterval = TimeSpan.FromHours(1),
    });

    private static void Damage(ObjectPile pile, long location, int at) =>
        pile.Core.Directory.Space.Bytes(location, at, 1)[0] ^= 4;

    private static SimulatedFiles Fill(
        PilePromise promise, int objectBytes, bool commits, out PilePointer[] pointers, Func<SimulatedFiles, SimulatedFiles> end, int damagedByte = 0)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files, promise);
        pointers = [.. Enumerable.Range(0, Objects).Select(index => pile.PutBytes(Content(index, objectBytes)))];
        if (commits)
        {
            pile.Commit();
        }

        Damage(pile, LocationOf(pile, pointers[Damaged]), damagedByte);
        if (commits)
        {
            // With the marker of the first; and with its own, which is durable with the third.
            pile.Commit();
            pile.Commit();
        }

        return end(files);
    }

    private SimulatedFiles FillWithBatch(List<PilePointer> members, bool isFollowed)
    {
        using ObjectPile pile = Open(_files, PilePromise.ProcessSafe);
        _ = pile.PutBytes([1]);
        using (PileBatch batch = pile.BeginBatch())
        {
            members.AddRange(Enumerable.Range(0, 3).Select(_ => batch.Put<byte[]>([7])));
            batch.Commit();
        }

        if (isFollowed)
        {
            using PileBatch batch = pile.BeginBatch();
            _ = batch.Put<byte[]>([8]);
            batch.Commit();
        }

        long first = LocationOf(pile, members[0]);
        Damage(pile, first - (DurableRecord.HeaderBytes / Limits.WordBytes), 3);
        return _files.Fork();
    }
}
