using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Durability.Hostile;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A closed pile whose rows of segments read as zeros, as those of segments do that hold nothing: what the segments hold is whole, and stays so.</summary>
public sealed class ZeroedRowsTests : IDisposable
{
    private const int RowsBytes = ExtentHeader.CopyOffset - ExtentHeader.RowsOffset;
    private readonly TemporaryDirectory _directory = new();

    private static PileOptions Options => new() { DiskLimitBytes = 512 << 20, FlushInterval = TimeSpan.FromHours(1) };

    public void Dispose() => _directory.Dispose();

    /// <summary>By an open that counts before it returns, and by one that counts beside its users.</summary>
    [Theory]
    [InlineData(2000, 8000)]
    [InlineData(8000, 2000)]
    public void WhatTheyHoldIsNotGivenBackToTheDevice(int objects, int bytes)
    {
        List<PilePointer> pointers = Fill(objects, bytes);
        Dictionary<string, byte[]> rows = Zero();
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            Assert.Equal(PileOpening.Clean, pile.RecoveryReport().Opening);
            Assert.False(pile.Verify().IsGood);
            Assert.Equal(objects, pile.GetStatistics().TableDamages);
            Assert.All(pointers, pointer => Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer)));
        }

        foreach ((string file, byte[] had) in rows)
        {
            Write(file, had);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(again, pointer)));
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>Where the table leads into the segments, it is their rows that are wrong: the next open, which goes by the log, has all that they hold.</summary>
    [Fact]
    public void WhatTheTableLeadsToIsThereAgainWithTheNextOpen()
    {
        List<PilePointer> pointers = Fill(6000, 100);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            pile.Roots.Set("root", pointers[7]);
            pile.Update(pointers[8], new byte[50]);
            Assert.True(pile.Delete(pointers[9]));
            pointers.RemoveAt(9);
        }

        _ = Zero();
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            Assert.NotEmpty(pile.RecoveryReport().Damages);
            Assert.False(pile.Verify().IsGood);
            Assert.InRange(pile.GetStatistics().TableDamages, pointers.Count, pointers.Count + 2);
            Assert.All(pointers, pointer => Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer)));
            for (int index = 0; index < 3000; index++)
            {
                pointers.Add(pile.PutBytes(new byte[1000]));
            }
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.Empty(again.RecoveryReport().Damages);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(again, pointer)));
        Assert.True(again.Roots.TryGet("root", out PilePointer root));
        Assert.Equal(pointers[7], root);
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>Writers may come long before the count: what they get is nothing that the table may lead to, and what was passed over for nothing is theirs afterwards.</summary>
    [Fact]
    public void WhatIsPutBeforeTheCountIsStoredOverNothing()
    {
        List<PilePointer> pointers = Fill(6000, 100);
        _ = Zero();
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options with { RecountSlots = -1 }))
        {
            for (int index = 0; index < 3000; index++)
            {
                pointers.Add(pile.PutBytes(new byte[1000]));
            }

            Assert.False(pile.GetStatistics().IsCounted);
            pile.Durable!.Upkeep.Recounting.Run();
            Assert.False(pile.Verify().IsGood);
            Assert.Equal(6000, pile.GetStatistics().TableDamages);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(again, pointer)));
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>Segments that were free at the close look like such of lost rows until all is counted. Who finds no other room waits for that.</summary>
    [Fact]
    public void WhatWasFreeAtTheCloseIsUsedOnceAllIsCounted()
    {
        const int Objects = 3000;
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false };
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, options))
        {
            foreach (PilePointer pointer in Enumerable.Range(0, Objects).Select(_ => pile.PutBytes(new byte[2000])).ToList())
            {
                Assert.True(pile.Delete(pointer));
            }

            _ = pile.PutBytes([1]);
            _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, options with { RecountSlots = -1 });
        for (int index = 0; index < Objects; index++)
        {
            _ = again.PutBytes(new byte[2000]);
        }

        again.Durable!.Upkeep.Recounting.Run();
        Assert.True(again.Verify().IsGood);
    }

    [Fact]
    public void ACopyThatWouldLackObjectsIsRefused()
    {
        List<PilePointer> pointers = Fill(500, 100);
        _ = Zero();
        using var copy = new TemporaryDirectory();
        string path = Path.Combine(copy.Path, "copy");
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => pile.CopyTo(path, cancellationToken: TestContext.Current.CancellationToken));
            Assert.Contains("500 entries of the table are damaged", refused.Message, StringComparison.Ordinal);
            Assert.False(Directory.Exists(path));
        }

        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            _ = pile.CopyTo(path, cancellationToken: TestContext.Current.CancellationToken);
        }

        using ObjectPile copied = ObjectPile.Open(path, Options);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(copied, pointer)));
    }

    /// <summary>By the log alone the pile is empty, and nothing tells.</summary>
    [Fact]
    public void ASalvageHasWhatTheTableLeadsTo()
    {
        List<PilePointer> pointers = Fill(500, 100);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            pile.Roots.Set("root", pointers[7]);
            Assert.True(pile.Delete(pointers[9]));
            pointers.RemoveAt(9);
        }

        _ = Zero();
        using var made = new TemporaryDirectory();
        string path = Path.Combine(made.Path, "made");
        PileSalvageReport report = PileSalvage.Run(_directory.Path, path, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Contains(report.Opened.Damages, static damage => damage.What.Contains("its row says that it holds nothing", StringComparison.Ordinal));
        Assert.Empty(report.Dropped);
        using ObjectPile salvaged = ObjectPile.Open(path, Options);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(salvaged, pointer)));
        Assert.Equal(pointers.Count, salvaged.GetStatistics().Objects);
        Assert.True(salvaged.Roots.TryGet("root", out PilePointer root));
        Assert.Equal(pointers[7], root);
    }

    /// <summary>Tombstones alone stand in the last segments: without them the log has what was deleted.</summary>
    [Fact]
    public void ASalvageHasNothingThatWasDeleted()
    {
        List<PilePointer> pointers = [];
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options with { BackgroundCleaning = false }))
        {
            pointers.AddRange(Enumerable.Range(0, 9000).Select(_ => pile.PutBytes(new byte[100])));
            Assert.All(pointers.Where(static (_, index) => index % 10 != 0), pointer => Assert.True(pile.Delete(pointer)));
        }

        _ = Zero();
        using var made = new TemporaryDirectory();
        string path = Path.Combine(made.Path, "made");
        Assert.Empty(PileSalvage.Run(_directory.Path, path, cancellationToken: TestContext.Current.CancellationToken).Dropped);
        using ObjectPile salvaged = ObjectPile.Open(path, Options);
        Assert.Equal(pointers.Where(static (_, index) => index % 10 == 0), pointers.Where(pointer => StatusOf(salvaged, pointer) != PileStatus.Stale));
    }

    /// <summary>Zeros from the rows on into the first segment: of that one nothing is left, and nothing but the table says that it was.</summary>
    [Theory]
    [InlineData(SegmentHeader.Bytes)]
    [InlineData(Limits.SegmentBytesMin / 2)]
    public void ASalvageTellsOfWhatHasNoHeaderEither(int bytes)
    {
        List<PilePointer> pointers = Fill(1500, 100);
        _ = Zero();
        Overwrite(Path.Combine(_directory.Path, "extents", "00000001"), ExtentHeader.ExtentPrefixBytes, new byte[bytes]);
        using var made = new TemporaryDirectory();
        string path = Path.Combine(made.Path, "made");
        PileSalvageReport report = PileSalvage.Run(_directory.Path, path, cancellationToken: TestContext.Current.CancellationToken);
        using ObjectPile salvaged = ObjectPile.Open(path, Options);
        Assert.Contains(pointers, pointer => StatusOf(salvaged, pointer) == PileStatus.Stale);
        Assert.Contains(pointers, pointer => StatusOf(salvaged, pointer) == PileStatus.Ok);
        Assert.Contains("segment 0:", Assert.Single(report.Dropped).What, StringComparison.Ordinal);
    }

    /// <summary>A table without its checksums, and that of a process that was killed, say where segments are as well.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ASalvageHasWhatATableLeadsToThatCantBeBelieved(bool isKilled)
    {
        List<PilePointer> pointers = [];
        using var copies = new TemporaryDirectory();
        string found = Path.Combine(copies.Path, "found");
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            pointers.AddRange(Enumerable.Range(0, 3000).Select(_ => pile.PutBytes(new byte[100])));
            Assert.True(pile.Delete(pointers[9]));
            pointers.RemoveAt(9);
            if (isKilled)
            {
                pile.Commit();
                HostileDirectory.Copy(_directory.Path, found);
            }
        }

        if (!isKilled)
        {
            HostileDirectory.Copy(_directory.Path, found);
            File.Delete(Assert.Single(Directory.GetFiles(found, "sums.*")));
        }

        _ = Zero(found);
        string made = Path.Combine(copies.Path, "made");
        PileSalvageReport report = PileSalvage.Run(found, made, cancellationToken: TestContext.Current.CancellationToken);
        Assert.NotEmpty(report.Opened.Damages);
        Assert.Empty(report.Dropped);
        using ObjectPile salvaged = ObjectPile.Open(made, Options);
        Assert.All(pointers, pointer => Assert.Equal(PileStatus.Ok, StatusOf(salvaged, pointer)));
        Assert.Equal(pointers.Count, salvaged.Verify().Objects);
    }

    /// <summary>A salvage needs nothing of the table.</summary>
    [Fact]
    public void ATableThatTheDeviceDoesNotGiveIsNotNeeded()
    {
        using var files = new SimulatedFiles();
        PilePointer pointer;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointer = pile.PutBytes([1, 2, 3]);
        }

        int reads = 0;
        files.AtCall = call =>
        {
            if (call.StartsWith("pread", StringComparison.Ordinal) && call.Contains("table.", StringComparison.Ordinal) && ++reads > 2)
            {
                // Behind those that say whether it can be believed.
                throw new FileCallException("pread", call, "the test wants it so", FileFailure.Other);
            }
        };
        using ObjectPile built = ObjectPile.Open(CutLife.Directory, CutLife.Options(files) with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true, BuildsTable = true });
        files.AtCall = null;
        Assert.True(reads > 2);
        Assert.Equal([1, 2, 3], built.Get<byte[]>(pointer));
    }

    /// <summary>Another open for reading alone would say the same.</summary>
    [Fact]
    public void AnOpenForReadingAloneIsToldToOpenForWriting()
    {
        _ = Fill(500, 100);
        _ = Zero();
        using var copy = new TemporaryDirectory();
        using ObjectPile pile = ObjectPile.Open(_directory.Path, new PileOptions { OpenMode = PileOpenMode.ReadOnly });
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => pile.CopyTo(Path.Combine(copy.Path, "copy"), cancellationToken: TestContext.Current.CancellationToken));
        Assert.Contains("open it for writing", refused.Message, StringComparison.Ordinal);
    }

    private static PileStatus StatusOf(ObjectPile pile, PilePointer pointer)
    {
        if (pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            lease.Dispose();
        }

        return status;
    }

    private static void Write(string file, byte[] rows) => Overwrite(file, ExtentHeader.RowsOffset, rows);

    private static void Overwrite(string file, long offset, byte[] bytes)
    {
        using FileStream stream = File.OpenWrite(file);
        stream.Position = offset;
        stream.Write(bytes);
    }

    private List<PilePointer> Fill(int objects, int bytes)
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options);
        return [.. Enumerable.Range(0, objects).Select(_ => pile.PutBytes(new byte[bytes]))];
    }

    /// <summary>Zeroes the rows of all files.</summary>
    /// <returns>What they were.</returns>
    private Dictionary<string, byte[]> Zero(string? directory = null)
    {
        var rows = new Dictionary<string, byte[]>();
        foreach (string file in Directory.GetFiles(Path.Combine(directory ?? _directory.Path, "extents")))
        {
            rows[file] = File.ReadAllBytes(file)[ExtentHeader.RowsOffset..ExtentHeader.CopyOffset];
            Assert.Equal(RowsBytes, rows[file].Length);
            Write(file, new byte[RowsBytes]);
        }

        return rows;
    }
}
