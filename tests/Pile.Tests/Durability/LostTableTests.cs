// What a table that lost pages takes with it: who syncs it is told of them, and what goes by its entries is refused. The pages are lost as in LostPagesTests.
using System;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;
using static Pile.Tests.Durability.LostPagesTests;

namespace Pile.Tests.Durability;

public sealed class LostTableTests
{
    private const string Extents = LostPagesTests.Directory + "/extents";
    private const string Table = LostPagesTests.Table;

    /// <summary>It syncs the table, which is told as who asks is, and nobody else after it.</summary>
    [Fact]
    public void AClearThatIsToldThatTheTableLostPagesEndsAllReading()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(LostPagesTests.Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Table);
        files.Reread(new Random(10));
        Assert.Contains("nothing can be read", Assert.Throws<PilePoisonedException>(pile.Clear).Message, StringComparison.Ordinal);
        Assert.All(pointers, pointer => Assert.True(!pile.TryGet(pointer, out string? _, out PileStatus status) && status == PileStatus.Poisoned));
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        AssertCrawled(files, pointers, "a sync failed above flush");
    }

    /// <summary>Before that failure has ended all writing.</summary>
    [Fact]
    public void ACommitBesideASyncThatWasToldOfTheTableIsNotAcknowledged()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(LostPagesTests.Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Table);
        _ = Assert.Throws<FileCallException>(pile.Durable.SyncAll);
        _ = pile.Put("late");
        Assert.Contains("nothing can be read", Assert.Throws<PilePoisonedException>(pile.Commit).Message, StringComparison.Ordinal);
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        AssertCrawled(files, pointers, "a sync failed above flush");
    }

    /// <summary>What the older entries don't lead to may have been given up as dead.</summary>
    [Theory]
    [InlineData("copy")]
    [InlineData("export")]
    [InlineData("export ends")]
    [InlineData("verify")]
    public void APileWhoseTableLostPagesIsNeitherCopiedNorExportedNorFoundGood(string way)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(LostPagesTests.Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        using var exported = new MemoryStream();
        var lose = new Losing(() =>
        {
            files.FailWriteback(Table);
            files.Reread(new Random(7));
        });
        if (way != "export ends")
        {
            lose.Report(default);
        }

        Assert.Contains(
            "nothing can be read",
            Assert.Throws<PilePoisonedException>(() =>
            {
                switch (way)
                {
                    case "copy":
                        _ = pile.CopyTo("/above/copy", cancellationToken: TestContext.Current.CancellationToken);
                        break;
                    case "verify":
                        _ = pile.Verify();
                        break;
                    default:
                        _ = pile.Export(exported, way == "export ends" ? lose : null, TestContext.Current.CancellationToken);
                        break;
                }
            }).Message,
            StringComparison.Ordinal);
        Assert.True(way != "export" || exported.Length == 0);
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        AssertCrawled(files, pointers, "a sync failed above flush");
    }

    /// <summary>The process was told that a sync of its extents had failed, and was killed before the device took the note.</summary>
    [Fact]
    public void AnOpenThatIsToldOfTheTableAloneDoesNotTakeTheExtentsForWhole()
    {
        int lost = 0;
        for (int seed = 0; seed < 5; seed++)
        {
            using var files = new SimulatedFiles();
            ObjectPile pile = ObjectPile.Open(LostPagesTests.Directory, Options(files));
            PilePointer[] pointers = Fill(pile);
            PilePointer[] others = [.. Enumerable.Range(0, 10 * Objects).Select(index => pile.Put($"other {index} {new string('x', 60)}"))];
            pile.Durable!.Failed.Dispose();
            files.AtCall = static call =>
            {
                if (call.StartsWith("fdatasync " + Extents, StringComparison.Ordinal) || call.EndsWith("/pile.meta", StringComparison.Ordinal))
                {
                    throw new FileCallException(call.Split(' ')[0], call, "the test wants it so", FileFailure.Other);
                }
            };
            _ = Assert.Throws<PilePoisonedException>(pile.Commit);
            files.FailWriteback(Table);
            files.Reread(new Random(seed));
            files.AtCall = null;
            using SimulatedFiles left = files.Fork();
            _ = Record.Exception(pile.Dispose);

            AssertCrawled(left, pointers, "the system could not write all of its table");
            using ObjectPile again = ObjectPile.Open(LostPagesTests.Directory, Options(left));
            lost += others.Count(pointer => !again.TryGet(pointer, out string? _, out PileStatus status) && status == PileStatus.Stale);
        }

        Assert.NotEqual(0, lost);
    }

    /// <summary>Before a file that shares blocks with a copy is mapped for stores it is written and synced: that sync is told, nobody after it, and on a device that refuses it ends the open.</summary>
    [Fact]
    public void LostExtentsAreNotedBeforeAnyIsMapped()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(LostPagesTests.Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Extents);
        files.Reread(new Random(11));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(pile.Dispose);
        left.AtCall = call =>
        {
            if (call.StartsWith("mmap " + Extents, StringComparison.Ordinal))
            {
                left.AtCall = null;
                Assert.All(((SimulatedDirectory)left.DirectoryAt("mmap", Extents)).Files(), static extent => extent.TakeLoss());
                throw new FileCallException("sync_file_range", call, "the test wants it so", FileFailure.Other);
            }
        };
        _ = Assert.Throws<IOException>(() => ObjectPile.Open(LostPagesTests.Directory, Options(left)));
        Assert.Null(left.AtCall);
        AssertCrawled(left, pointers, "a sync failed above flush 0");
    }

    private sealed class Losing(Action lose) : IProgress<PileTransferProgress>
    {
        public void Report(PileTransferProgress value) => lose();
    }
}
