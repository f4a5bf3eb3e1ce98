using System;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>What is answered once a call of the files has failed for another reason than space.</summary>
public sealed class FailedCallTests
{
    private const string Path = "/above/pile";

    /// <summary>Who is told that the pile is full deletes and evicts, in vain.</summary>
    [Fact]
    public void APutWithinWhichACallFailsIsNotAnsweredFull()
    {
        int failed = 0;
        for (bool isOver = false; !isOver;)
        {
            using var files = new SimulatedFiles();
            ObjectPile pile = ObjectPile.Open(Path, Options(files));
            files.FailAt(files.Calls + failed + 1, FileFailure.Other);
            Exception? failure = null;
            for (int index = 0; index < 80 && failure is null; index++)
            {
                failure = Record.Exception(() => pile.PutBytes(new byte[index % 4 == 0 ? 50_000 : 1000]));
            }

            isOver = failure is null;
            if (failure is not null)
            {
                failed++;
                PilePoisonedException poisoned = Assert.IsType<PilePoisonedException>(failure);
                Assert.Contains("the test wants it so", poisoned.Message, StringComparison.Ordinal);
                Assert.False(pile.TryPut(new byte[1000], out _, out PileStatus status));
                Assert.Equal(PileStatus.Poisoned, status);
                Assert.Equal(0, pile.GetStatistics().Refusals);
            }

            _ = Record.Exception(pile.Dispose);
        }

        Assert.True(failed > 3, $"{failed} calls");
    }

    /// <summary>A process that has as many files open as it may has fewer a moment later, as one with a burst of connections: nothing was stored, nothing is in doubt.</summary>
    [Theory]
    [InlineData(false, "Too many open files", "ulimit -n")]
    [InlineData(true, "more than a file may have", "ulimit -f")]
    public void APileThatMayHaveNoOtherFileGrowsOnceItMay(bool isTooLong, string reason, string remedy)
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Path, Options(files));
        PilePointer kept = pile.Put("kept");
        foreach (string refused in (string[])["open /above/pile/extents/", "fsync /above/pile/extents"])
        {
            int refusals = 0;
            files.AtCall = call =>
            {
                if (call.StartsWith(refused, StringComparison.Ordinal))
                {
                    refusals++;
                    throw new FileCallException("open", call, reason, isTooLong ? FileFailure.TooLong : FileFailure.NoHandle);
                }
            };
            PileFullException full = Assert.Throws<PileFullException>(() => pile.PutBytes(new byte[50_000]));
            Assert.True(refusals > 0);
            Assert.Contains(reason, full.Message, StringComparison.Ordinal);
            Assert.Contains(remedy, full.Message, StringComparison.Ordinal);
            _ = pile.Put("within what is there");
            pile.Commit();
        }

        files.AtCall = null;
        PilePointer grown = pile.PutBytes(new byte[50_000]);
        pile.Dispose();
        using ObjectPile again = ObjectPile.Open(Path, Options(files));
        Assert.Equal(("kept", 50_000), (again.Get<string>(kept), again.Get<byte[]>(grown).Length));
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>A file of a time when the process might make longer ones: what calls may not write behind the limit is stored through the mapping.</summary>
    [Fact]
    public void APileWhoseFilesAreLongerThanCallsMayWriteGoesOn()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Path, Options(files));
        _ = pile.Put("kept");
        int refusals = 0;
        files.AtCall = call =>
        {
            if (call.StartsWith("pwrite /above/pile/extents/", StringComparison.Ordinal))
            {
                refusals++;
                throw new FileCallException("pwrite", call, "more than a file may have", FileFailure.TooLong);
            }
        };
        PilePointer[] pointers = new PilePointer[40];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.PutBytes(Bytes(index));
        }

        pile.Commit();
        Assert.True(refusals > 1, $"{refusals} refusals");
        files.AtCall = null;
        pile.Dispose();
        using ObjectPile again = ObjectPile.Open(Path, Options(files));
        for (int index = 0; index < pointers.Length; index++)
        {
            Assert.Equal(Bytes(index), again.Get<byte[]>(pointers[index]));
        }

        static byte[] Bytes(int index)
        {
            byte[] bytes = new byte[10_000];
            bytes.AsSpan().Fill((byte)(index + 1));
            return bytes;
        }
    }

    /// <summary>Another than the flusher was told of the failure, and has not said so yet: the system tells nobody else.</summary>
    [Fact]
    public void ACommitBehindASyncThatFailedElsewhereIsNotAcknowledged()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Path, Options(files));
        _ = pile.Put("stored");
        files.AtCall = static call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal))
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };
        _ = Assert.Throws<FileCallException>(pile.Durable!.SyncExtents);
        files.AtCall = null;
        _ = Assert.Throws<PilePoisonedException>(pile.Commit);
        _ = Assert.ThrowsAny<System.IO.IOException>(pile.Dispose);
    }

    private static PileOptions Options(SimulatedFiles files) =>
        PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false };
}
