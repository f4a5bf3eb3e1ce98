// Pages that the system could not write back by itself, and took for written all the same: whoever reads them later has what the device has.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

public sealed class LostPagesTests
{
    internal const string Directory = "/above/pile";
    internal const string Table = Directory + "/table.1";
    internal const int Objects = 200;

    [Fact]
    public void ACommitIsNotAcknowledgedOnceTheTableLostPagesAndNothingIsRead()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        files.FailWriteback(Table);
        files.Reread(new Random(1));
        PilePointer late = pile.Put("late");
        PilePoisonedException poisoned = Assert.Throws<PilePoisonedException>(pile.Commit);
        Assert.Contains("writeback of '/above/pile/table.1' failed", poisoned.Message, StringComparison.Ordinal);
        Assert.Contains("nothing can be read", poisoned.Message, StringComparison.Ordinal);
        Assert.Contains("nothing can be read", Assert.Throws<PilePoisonedException>(() => pile.Get<string>(late)).Message, StringComparison.Ordinal);
        Assert.False(pile.TryGet(pointers[0], out string? _, out PileStatus status));
        Assert.Equal(PileStatus.Poisoned, status);
        Assert.Contains("nothing can be read", Assert.Throws<PilePoisonedException>(() => CountItems(pile)).Message, StringComparison.Ordinal);
        using var exported = new MemoryStream();
        _ = Assert.Throws<PilePoisonedException>(() => pile.Export(exported, cancellationToken: TestContext.Current.CancellationToken));
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        AssertCrawled(files, pointers, "a sync failed above flush");
    }

    /// <summary>A checkpoint is a copy of the table.</summary>
    [Fact]
    public void ACheckpointOfATableThatLostPagesDoesNotCount()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        files.FailWriteback(Table);
        files.Reread(new Random(2));
        _ = Assert.Throws<PilePoisonedException>(() => pile.Durable!.Checkpoints.TryTake(CancellationToken.None));
        using SimulatedFiles cut = files.PowerCut(new Random(3));
        _ = Record.Exception(pile.Dispose);
        AssertCrawled(cut, pointers, "");
    }

    [Theory]
    [InlineData(PilePromise.PowerSafe, Table)]
    [InlineData(PilePromise.ProcessSafe, Table)]
    [InlineData(PilePromise.ProcessSafe, Directory + "/extents")]
    public void AnIdlePileNotices(PilePromise promise, string path)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files) with { Promise = promise });
        PilePointer[] pointers = Fill(pile);
        PilePointer late = pile.Put("late");
        files.FailWriteback(path);
        Assert.True(SpinWait.SpinUntil(() => pile.GetStatistics().Failure is not null, TimeSpan.FromSeconds(60)));

        // Waits until it has been told.
        pile.Durable!.Failed.Look(static _ => { });
        Assert.Contains("writeback of", pile.GetStatistics().Failure!.Message, StringComparison.Ordinal);
        Assert.False(pile.TryPut("another", out _, out PileStatus status));
        Assert.Equal(PileStatus.Poisoned, status);
        files.Reread(new Random(4));
        foreach (PilePointer pointer in pointers)
        {
            Assert.True(pile.TryGet(pointer, out string? value, out status) ? value == Second(pointers, pointer) : status == (path == Table ? PileStatus.Poisoned : PileStatus.Corrupted));
        }

        Assert.True(pile.TryGet(late, out string? text, out status) ? text == "late" : status is PileStatus.Poisoned or PileStatus.Corrupted);
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
    }

    /// <summary>Nobody was told: the process was killed before it asked.</summary>
    [Fact]
    public void AKilledPilesTableThatLostPagesIsNotBelieved()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Table);
        files.Reread(new Random(5));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(pile.Dispose);
        AssertCrawled(left, pointers, "the system could not write all of its table");
    }

    /// <summary>The system tells once, whoever asks.</summary>
    [Theory]
    [InlineData("read")]
    [InlineData("verify")]
    [InlineData("cancel")]
    [InlineData("refuse")]
    [InlineData("note")]
    public void NorOnceSomebodyElseOpenedItInVain(string way)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Table);
        files.Reread(new Random(6));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(pile.Dispose);

        switch (way)
        {
            case "read" or "verify":
                using (ObjectPile reader = ObjectPile.Open(Directory, Options(left) with { OpenMode = PileOpenMode.ReadOnly }))
                {
                    Assert.All(pointers, pointer => Assert.Equal(Second(pointers, pointer), reader.Get<string>(pointer)));
                    Assert.True(way == "read" || reader.Verify().IsGood);
                }

                break;
            case "cancel":
                using (var cancelled = new CancellationTokenSource())
                {
                    var progress = new Cancelling(cancelled);
                    _ = Assert.ThrowsAny<OperationCanceledException>(() => PileOpener.Open(Directory, Options(left), progress, cancelled.Token));
                }

                break;
            case "note":
                left.AtCall = static call =>
                {
                    if (call == $"pwrite {Directory}/pile.meta")
                    {
                        throw new FileCallException("pwrite", call, "the test wants it so", FileFailure.Other);
                    }
                };
                _ = Assert.ThrowsAny<IOException>(() => ObjectPile.Open(Directory, Options(left)));
                left.AtCall = null;
                break;
            default:
                left.AtCall = static call =>
                {
                    if (call.StartsWith("fallocate", StringComparison.Ordinal) || call.StartsWith("creat", StringComparison.Ordinal))
                    {
                        throw new FileCallException(call.Split(' ')[0], call, "the test wants it so", FileFailure.NoSpace);
                    }
                };
                _ = Assert.Throws<PileFullException>(() => ObjectPile.Open(Directory, Options(left)));
                left.AtCall = null;
                break;
        }

        AssertCrawled(left, pointers, way is "read" or "verify" ? "the system could not write all of its table" : "");
    }

    /// <summary>Of a ProcessSafe pile all that was stored is promised: it is refused, and again, until the loss is accepted.</summary>
    [Fact]
    public void AKilledPileWhoseExtentsLostPagesIsRefusedUntilThatIsAccepted()
    {
        using var files = new SimulatedFiles();
        PileOptions Safe(SimulatedFiles of) => Options(of) with { Promise = PilePromise.ProcessSafe };
        ObjectPile pile = ObjectPile.Open(Directory, Safe(files));
        PilePointer[] pointers = Fill(pile);
        PilePointer late = pile.Put("late");
        pile.Durable!.Failed.Dispose();
        files.FailWriteback(Directory + "/extents");
        files.Reread(new Random(8));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(pile.Dispose);

        using (ObjectPile reader = ObjectPile.Open(Directory, Safe(left) with { OpenMode = PileOpenMode.ReadOnly }))
        {
            Assert.All(pointers, pointer => Assert.Equal(Second(pointers, pointer), reader.Get<string>(pointer)));
        }

        for (int open = 0; open < 2; open++)
        {
            Assert.Contains("a sync of its files failed above flush 0", Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(Directory, Safe(left))).Message, StringComparison.Ordinal);
        }

        using ObjectPile again = ObjectPile.Open(Directory, Safe(left) with { AcceptLoss = true });
        Assert.All(pointers, pointer => Assert.Equal(Second(pointers, pointer), again.Get<string>(pointer)));
        Assert.True(!again.TryGet(late, out string? text, out PileStatus status) ? status == PileStatus.Stale : text == "late");
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>A sync of the open would be told of the second extent, and end it.</summary>
    [Fact]
    public void OfAKilledPilesExtentsAllAreAsked()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer large = pile.Put(new byte[1 << 20]);
        PilePointer[] pointers = Fill(pile);
        pile.Durable!.Failed.Dispose();
        Assert.Equal(2, pile.Durable.Directory.Extents.Count);
        files.FailWriteback(Directory + "/extents");
        files.Reread(new Random(9));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(pile.Dispose);

        AssertCrawled(left, pointers, "a sync failed above flush 0");
        using ObjectPile again = ObjectPile.Open(Directory, Options(left));
        Assert.Equal(1 << 20, again.Get<byte[]>(large).Length);
    }

    /// <summary>The pages of a failed sync leave memory at any time: what is read then is what was stored, or nothing.</summary>
    [Fact]
    public void AfterAFailedSyncEachReadIsVerified()
    {
        int corrupted = 0;
        for (int seed = 0; seed < 20; seed++)
        {
            using var files = new SimulatedFiles();
            ObjectPile pile = ObjectPile.Open(Directory, Options(files));
            PilePointer[] pointers = Fill(pile);
            PilePointer[] others = [.. Enumerable.Range(0, Objects).Select(index => pile.Put($"other {index}"))];
            Assert.All(others, pointer => Assert.StartsWith("other ", pile.Get<string>(pointer), StringComparison.Ordinal));
            files.AtCall = static call =>
            {
                if (call.StartsWith("fdatasync /above/pile/extents", StringComparison.Ordinal))
                {
                    throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
                }
            };
            _ = Assert.Throws<PilePoisonedException>(pile.Commit);
            files.AtCall = null;
            files.FailWriteback(Directory + "/extents");
            files.Reread(new Random(seed));
            for (int index = 0; index < Objects; index++)
            {
                bool isThere = pile.TryGet(others[index], out string? value, out PileStatus status);
                Assert.True(isThere ? value == $"other {index}" : status == PileStatus.Corrupted);
                corrupted += isThere ? 0 : 1;
                Assert.Equal(Second(pointers, pointers[index]), pile.Get<string>(pointers[index]));
            }

            _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        }

        Assert.NotEqual(0, corrupted);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheNoteOfAFailedSyncIsTriedAgain(bool atClose)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        _ = pile.Put("late");
        files.AtCall = static call => throw new FileCallException(call.Split(' ')[0], call, "the test wants it so", FileFailure.Other);
        _ = Assert.Throws<PilePoisonedException>(pile.Commit);
        if (atClose)
        {
            pile.Durable!.Failed.Dispose();
            files.AtCall = null;
            _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        }
        else
        {
            files.AtCall = null;
            Assert.True(SpinWait.SpinUntil(() => pile.Durable!.Directory.Meta.SyncFailedAboveFlush >= 0, TimeSpan.FromSeconds(60)));
            _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        }

        AssertCrawled(files, pointers, "a sync failed above flush");
    }

    /// <summary>A device that can't give back one of the two slots of meta may have the other.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void OneSlotOfMetaThatCanNotBeReadIsNoLoss(int slot)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Directory, Options(files));
        PilePointer[] pointers = Fill(pile);
        pile.Dispose();
        int reads = 0;
        files.AtCall = call =>
        {
            if (call == $"pread {Directory}/pile.meta" && reads++ == slot)
            {
                throw new FileCallException("pread", call, "the test wants it so", FileFailure.Other);
            }
        };
        using ObjectPile again = ObjectPile.Open(Directory, Options(files));
        Assert.InRange(reads, 2, int.MaxValue);
        Assert.All(pointers, pointer => Assert.Equal(Second(pointers, pointer), again.Get<string>(pointer)));
    }

    private static int CountItems(ObjectPile pile)
    {
        int listed = 0;
        PileItems items = pile.Enumerate();
        while (items.MoveNext())
        {
            listed++;
        }

        return listed;
    }

    internal static PilePointer[] Fill(ObjectPile pile)
    {
        PilePointer[] pointers = [.. Enumerable.Range(0, Objects).Select(index => pile.Put($"first {index}"))];
        pile.Commit();
        for (int index = 0; index < Objects; index++)
        {
            pile.Update(pointers[index], $"second {index}");
        }

        pile.Commit();
        return pointers;
    }

    internal static string Second(PilePointer[] pointers, PilePointer pointer) => $"second {Array.IndexOf(pointers, pointer)}";

    internal static void AssertCrawled(SimulatedFiles files, PilePointer[] pointers, string reason)
    {
        using ObjectPile again = ObjectPile.Open(Directory, Options(files));
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.Contains(reason, again.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.All(pointers, pointer => Assert.Equal(Second(pointers, pointer), again.Get<string>(pointer)));
        Assert.True(again.Verify().IsGood);
    }

    private sealed class Cancelling(CancellationTokenSource source) : IProgress<PileRecoveryProgress>
    {
        public void Report(PileRecoveryProgress value) => source.Cancel();
    }

    internal static PileOptions Options(SimulatedFiles files) =>
        PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false };
}
