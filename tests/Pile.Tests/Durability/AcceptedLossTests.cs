using System;
using System.Linq;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A loss that one open has accepted: which later opens go on without asking, which ask again, and how that ends.</summary>
public sealed class AcceptedLossTests : IDisposable
{
    private const string Path = "/pile";
    private static readonly byte[] _mark = [.. "the damaged one, named so that it is found"u8];
    private readonly SimulatedFiles _files = new();
    private readonly PilePointer _damaged;
    private readonly PilePointer _beside;

    public AcceptedLossTests()
    {
        using (ObjectPile pile = Open(_files))
        {
            _damaged = pile.PutBytes(_mark);
            _beside = pile.PutBytes([1, 2, 3]);
            pile.Commit();

            // A byte of the payload, below what the commit has proven.
            long location = Pile.Format.EntryWord.Location(pile.Core.Table.Read(_damaged.Slot));
            pile.Core.Directory.Space.Bytes(location, Pile.Format.DurableRecord.HeaderBytes, 1).Fill(0xEE);
            pile.Commit();
        }

        DeleteTable(_files);
    }

    public void Dispose() => _files.Dispose();

    /// <summary>The pointer of an object whose every record is lost reads no other, however many come after it.</summary>
    [Fact]
    public void PointersOfLostObjectsAreNotIssuedAgain()
    {
        using var files = new SimulatedFiles();
        PilePointer lost;
        using (ObjectPile pile = Open(files))
        {
            _ = pile.PutBytes([1]);
            lost = pile.PutBytes([2]);
            _ = pile.PutBytes([3]);
            pile.Commit();

            // The header: nobody knows whose record it was.
            long location = Pile.Format.EntryWord.Location(pile.Core.Table.Read(lost.Slot));
            pile.Core.Directory.Space.Bytes(location, 0, Pile.Format.DurableRecord.HeaderBytes).Fill(0xEE);
            pile.Commit();
        }

        DeleteTable(files);
        using ObjectPile opened = Open(files, acceptLoss: true);
        Assert.NotEmpty(opened.RecoveryReport().Damages);
        for (int index = 0; index < 5000; index++)
        {
            Assert.NotEqual(lost, opened.PutBytes([9]));
        }

        Assert.False(opened.TryLease(lost, out _));
    }

    /// <summary>The tombstone of a root is damaged, and a root of its name that was set later is whole: that one counts, whichever slot it has.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void OfTwoRootsWithOneNameTheOneThatStandsLaterInTheLogCounts(bool isLaterSlotLower)
    {
        using var files = new SimulatedFiles();
        PilePointer earlier;
        PilePointer later;
        using (ObjectPile pile = Open(files))
        {
            (earlier, later) = (pile.PutBytes([1]), pile.PutBytes([2]));
            pile.Roots.Set("name", earlier);
            uint slot = SlotOfRoot(pile);
            uint before;
            long tombstone;
            do
            {
                // Slots are issued again once their tombstones are flushed.
                pile.Commit();
                before = slot;
                pile.Roots.Set("name", earlier);
                _ = pile.Roots.Remove("name");
                tombstone = Pile.Format.EntryWord.Location(pile.Core.Table.ReadAny(before));
                pile.Roots.Set("name", later);
                slot = SlotOfRoot(pile);
            }
            while (slot < before != isLaterSlotLower);

            pile.Commit();
            pile.Core.Directory.Space.Bytes(tombstone, 0, Pile.Format.DurableRecord.HeaderBytes).Fill(0xEE);
            pile.Commit();
        }

        DeleteTable(files);
        for (int open = 0; open < 2; open++)
        {
            using ObjectPile opened = Open(files, acceptLoss: true);
            Assert.True(open == 1 || opened.RecoveryReport().Damages.Count > 0);
            Assert.True(opened.Roots.TryGet("name", out PilePointer found));
            Assert.Equal(later, found);
        }
    }

    private static uint SlotOfRoot(ObjectPile pile) => Enumerable.Range(1, (int)pile.Core.Slots.HighWater - 1).Select(static slot => (uint)slot)
        .Single(slot => Pile.Format.EntryWord.IsInternal(pile.Core.Table.ReadAny(slot)));

    /// <summary>What was closed when the device had no room for the sums of its table has lost nothing: no loss is to be accepted after the
    /// machine started anew.</summary>
    [Fact]
    public void WhatWasClosedOnAFullDeviceIsWholeAfterTheNextBoot()
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, Promise = PilePromise.ProcessSafe };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(Path, options))
        {
            pointer = pile.PutBytes(_mark);
            files.AtCall = static call =>
            {
                if (call.Contains("sums", StringComparison.Ordinal))
                {
                    throw new Pile.Memory.FileCallException("pwrite", call, "the device is full", Pile.Memory.FileFailure.NoSpace);
                }
            };
        }

        files.AtCall = null;
        using SimulatedFiles next = files.PowerCut(new Random(1));
        using ObjectPile opened = ObjectPile.Open(Path, options with { Files = next });
        Assert.Equal(_mark, opened.Get<byte[]>(pointer));
        Assert.False(opened.RecoveryReport().MayBeOlder);
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
    }

    /// <summary>Sums of an earlier close do not come back with a power cut, and call good objects damaged.</summary>
    [Fact]
    public void SumsOfAnEarlierCloseAreNotBelievedAfterACloseOnAFullDevice()
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, Promise = PilePromise.ProcessSafe };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(Path, options))
        {
            pointer = pile.PutBytes([1]);
        }

        using (ObjectPile pile = ObjectPile.Open(Path, options))
        {
            Assert.Equal(PileOpening.Clean, pile.RecoveryReport().Opening);
            pile.UpdateBytes(pointer, _mark);
            files.AtCall = static call =>
            {
                if (call.StartsWith("open", StringComparison.Ordinal) && call.Contains("sums", StringComparison.Ordinal))
                {
                    throw new Pile.Memory.FileCallException("open", call, "the device is full", Pile.Memory.FileFailure.NoSpace);
                }
            };
        }

        files.AtCall = null;
        for (int seed = 0; seed < 20; seed++)
        {
            using SimulatedFiles next = files.PowerCut(new Random(seed));
            using ObjectPile opened = ObjectPile.Open(Path, options with { Files = next });
            Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
            Assert.Equal(_mark, opened.Get<byte[]>(pointer));
        }
    }

    [Fact]
    public void OpensAfterACloseAndAfterAKillGoOnWithoutAsking()
    {
        Accept();
        using (ObjectPile closed = Open(_files))
        {
            Assert.Equal(PileOpening.Clean, closed.RecoveryReport().Opening);
            Require(closed);
        }

        SimulatedFiles? killed = null;
        using (ObjectPile pile = Open(_files))
        {
            _ = pile.PutBytes([4]);
            killed = _files.Fork();
        }

        using (killed)
        {
            using ObjectPile rolled = Open(killed);
            Assert.Equal(PileOpening.RolledForward, rolled.RecoveryReport().Opening);
            Require(rolled);
        }
    }

    /// <summary>A record that stays damaged is met by each crawl, and lost once: a slot that is used again and again does not run out of generations by it.</summary>
    [Fact]
    public void ALossThatIsKnownRaisesGenerationsNoMore()
    {
        Accept();
        long recoveries = 0;
        for (int round = 0; round < 24; round++)
        {
            DeleteTable(_files);
            using ObjectPile pile = Open(_files, acceptLoss: true);
            _ = Assert.Single(pile.RecoveryReport().Damages);
            Require(pile);
            Assert.True(round == 0 || pile.RecoveryReport().Recoveries == recoveries + 1, $"round {round}: {recoveries} and {pile.RecoveryReport().Recoveries}");
            recoveries = pile.RecoveryReport().Recoveries;
            for (int index = 0; index < 100; index++)
            {
                Assert.True(pile.Delete(pile.PutBytes([7])));
                pile.Commit();
            }
        }

        // Another one is counted: all that live have generations below.
        PilePointer other;
        using (ObjectPile pile = Open(_files))
        {
            other = pile.PutBytes(_mark);
            pile.Commit();
            long location = Pile.Format.EntryWord.Location(pile.Core.Table.Read(other.Slot));
            pile.Core.Directory.Space.Bytes(location, 0, Pile.Format.DurableRecord.HeaderBytes).Fill(0xEE);
            pile.Commit();
        }

        DeleteTable(_files);
        using ObjectPile opened = Open(_files, acceptLoss: true);
        Assert.Equal(2, opened.RecoveryReport().Damages.Count);
        Assert.InRange(opened.RecoveryReport().Recoveries, recoveries + FileLimits.LostGenerationsMax, long.MaxValue);
    }

    [Fact]
    public void ACrawlMeetsTheSameDamageAndAsksAgain()
    {
        Accept();
        using (SimulatedFiles cut = CutWhileOpen(static pile =>
        {
            // The next flush proves this one, and with it all that was there before.
            _ = pile.PutBytes([4]);
            pile.Commit();
        }))
        {
            RequireRefusal(cut);
            using ObjectPile accepted = Open(cut, acceptLoss: true);
            Assert.Equal(PileOpening.Crawled, accepted.RecoveryReport().Opening);
            _ = Assert.Single(accepted.RecoveryReport().Damages);
            Require(accepted);
        }

        DeleteTable(_files);
        RequireRefusal(_files);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void OnceTheObjectIsDeletedOrReplacedAndItsSegmentCleanedNoOpenAsks(bool isDeleted)
    {
        Accept();
        using SimulatedFiles cut = CutWhileOpen(pile =>
        {
            if (isDeleted)
            {
                Assert.True(pile.Delete(_damaged));
            }
            else
            {
                pile.UpdateBytes(_damaged, _mark);
            }

            // Enough garbage beside it that the segment is worth cleaning, and flushes, so that it is used again.
            for (int round = 0; round < 4; round++)
            {
                PilePointer[] garbage = [.. Enumerable.Range(0, 400).Select(_ => pile.PutBytes(new byte[1000]))];
                Assert.All(garbage, pointer => Assert.True(pile.Delete(pointer)));
                pile.Commit();
                _ = pile.Compact();
                pile.Commit();
            }
        });

        using ObjectPile crawled = Open(cut);
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        Assert.Empty(crawled.RecoveryReport().Damages);
        Assert.Equal([1, 2, 3], crawled.Get<byte[]>(_beside));
        Assert.Equal(!isDeleted, crawled.TryLease(_damaged, out PileLease lease));
        Assert.True(isDeleted || lease.Bytes.SequenceEqual(_mark));
        lease.Dispose();
    }

    private static ObjectPile Open(SimulatedFiles files, bool acceptLoss = false) => ObjectPile.Open(Path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
        AcceptLoss = acceptLoss,
    });

    private static void DeleteTable(SimulatedFiles files) =>
        Array.ForEach([.. files.List(Path).Where(static name => name.StartsWith("table", StringComparison.Ordinal))], name => files.Delete($"{Path}/{name}"));

    private static void RequireRefusal(SimulatedFiles files) =>
        Assert.Contains("AcceptLoss", Assert.Throws<PileCorruptedException>(() => Open(files)).Message, StringComparison.Ordinal);

    /// <summary>The open that accepts, and a close.</summary>
    private void Accept()
    {
        RequireRefusal(_files);
        using ObjectPile accepted = Open(_files, acceptLoss: true);
        _ = Assert.Single(accepted.RecoveryReport().Damages);
        Require(accepted);
    }

    /// <summary>Opens without accepting anything, does something, and cuts the power after a commit.</summary>
    private SimulatedFiles CutWhileOpen(Action<ObjectPile> work)
    {
        using ObjectPile pile = Open(_files);
        work(pile);
        _ = pile.PutBytes([5]);
        pile.Commit();
        return _files.PowerCut(new Random(1));
    }

    private void Require(ObjectPile pile)
    {
        Assert.Equal([1, 2, 3], pile.Get<byte[]>(_beside));
        Assert.Equal(_damaged, Assert.Throws<PileCorruptedException>(() => pile.Get<byte[]>(_damaged)).Pointer);
    }
}
