using System;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>What is seen of a pile from outside, open or not.</summary>
public sealed class InspectorTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 };

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void AClosedPileIsDescribedWithItsCountsAndFiles()
    {
        PileStatistics statistics;
        byte tag;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options with { Promise = PilePromise.ProcessSafe }))
        {
            Fill(pile);
            (statistics, tag) = (pile.GetStatistics(), pile.Tag);
        }

        PileInspection seen = PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken);
        Assert.Equal((_directory.Path, PilePromise.ProcessSafe, tag, 1), (seen.Directory, seen.Promise, seen.Tag, seen.FormatVersion));
        Assert.True(seen.IsClosed);
        Assert.Equal(0, seen.WriterProcessId);
        Assert.Equal(statistics.Objects, seen.Objects);
        Assert.Equal(statistics.SlotsIssued, seen.SlotsIssued);
        Assert.Equal(statistics.SegmentBytes - statistics.FreeSegmentBytes, seen.SegmentBytes);
        Assert.Empty(seen.Damages);
        Assert.Equal(DateTimeKind.Utc, seen.Created.Kind);
        Assert.Equal(
            [PileFileKind.Segments, PileFileKind.LargeObjects, PileFileKind.Lock, PileFileKind.Meta, PileFileKind.TableSums, PileFileKind.Table],
            seen.Files.Select(static file => file.Kind));
        Assert.All(seen.Files, file => Assert.Equal(new FileInfo(Path.Combine(_directory.Path, file.Name)).Length, file.Bytes));
        Assert.All(seen.Files.Where(static file => file.Kind == PileFileKind.Segments), static file => Assert.InRange(file.TakenBytes, 1, file.Bytes - 1));
    }

    [Fact]
    public void ADirectoryThatHoldsAPileIsTold()
    {
        Assert.False(PileInspection.IsPile(_directory.Path));
        ObjectPile.Open(_directory.Path, Options).Dispose();
        Assert.True(PileInspection.IsPile(_directory.Path));
        File.WriteAllBytes(Path.Combine(_directory.Path, "pile.meta"), [1]);
        Assert.True(PileInspection.IsPile(_directory.Path));
        Assert.False(PileInspection.IsPile(Path.Combine(_directory.Path, "extents")));
        Assert.False(PileInspection.IsPile(Path.Combine(_directory.Path, "nowhere")));
    }

    [Fact]
    public void APileThatIsOpenIsDescribedByItsProcessAndGoesOn()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options);
        Fill(pile);
        PileInspection seen = PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken);
        Assert.Equal(Environment.ProcessId, seen.WriterProcessId);
        Assert.False(seen.IsClosed);
        Assert.True(seen.IsTableTrusted);
        Assert.Null(seen.Objects);
        Assert.Equal(pile.GetStatistics().SlotsIssued, seen.SlotsIssued);
        _ = pile.Put("still open");
    }

    /// <summary>A writer stores one slot of meta and then the other; a look may meet one half stored, or each in turn.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AMetaThatIsBeingStoredIsNotDamaged(bool isEach)
    {
        using var files = new SimulatedFiles();
        ObjectPile.Open("/pile", Options with { Files = files }).Dispose();
        string meta = $"/pile/{StoreNames.Meta}";
        byte[] whole = new byte[2 * MetaSlot.Bytes];
        using StoreFile file = files.Open(meta, FileOpening.OpenExisting);
        file.Read(0, whole);
        int reads = 0;
        files.AtCall = call =>
        {
            if (call == $"pread {meta}" && ++reads <= 2)
            {
                byte[] half = [.. whole];
                half.AsSpan(isEach ? MetaSlot.Bytes / 2 : MetaSlot.Bytes * 3 / 2).Fill(0xEE);
                file.Write(0, reads == 1 ? half : whole);
            }
        };
        PileInspection seen = new Inspector(files, RegionProvider.Default, "/pile").Run(TestContext.Current.CancellationToken);
        Assert.Empty(seen.Damages);
        Assert.True(seen.IsClosed);
    }

    [Fact]
    public void APileClosedOnADeviceWithoutRoomForSumsIsNotDamaged()
    {
        using var files = new SimulatedFiles();
        using (ObjectPile pile = ObjectPile.Open("/pile", Options with { Files = files }))
        {
            Fill(pile);
            files.AtCall = static call =>
            {
                if (call.Contains("sums", StringComparison.Ordinal))
                {
                    throw new FileCallException("pwrite", call, "the device is full", FileFailure.NoSpace);
                }
            };
        }

        files.AtCall = null;
        PileInspection seen = new Inspector(files, RegionProvider.Default, "/pile").Run(TestContext.Current.CancellationToken);
        Assert.Empty(seen.Damages);
        Assert.Equal((true, true, null), (seen.IsClosed, seen.IsTableTrusted, seen.Objects));
        using ObjectPile again = ObjectPile.Open("/pile", Options with { Files = files });
        Assert.Equal(PileOpening.RolledForward, again.RecoveryReport().Opening);
    }

    [Theory]
    [InlineData("pile.meta", 60, "pile.meta")]
    [InlineData("extents/00000001", 60, "00000001")]
    [InlineData("extents/00000001", 4096, "segment 0")]
    [InlineData("table.1", 60, "table.1")]
    [InlineData("sums.1", 60, "sums.1")]
    public void DamageOfHeadersIsToldAndNothingChanged(string name, int offset, string said)
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            Fill(pile);
        }

        string path = Path.Combine(_directory.Path, name);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[offset] ^= 8;
        File.WriteAllBytes(path, bytes);
        PileDamageReport damage = Assert.Single(PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken).Damages);
        Assert.Contains(said, damage.Path + damage.What, StringComparison.Ordinal);
        Assert.Equal(bytes, File.ReadAllBytes(path));
    }

    [Fact]
    public void WhatIsNoPileIsRefused()
    {
        Assert.Throws<DirectoryNotFoundException>(() => PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken));
        _ = Directory.CreateDirectory(_directory.Path);
        Assert.Throws<FileNotFoundException>(() => PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken));
        File.WriteAllText(Path.Combine(_directory.Path, "letter.txt"), "Dear reader");
        Assert.Throws<PileFormatException>(() => PileInspection.Of(_directory.Path, TestContext.Current.CancellationToken));
        Assert.Throws<ArgumentException>(() => PileInspection.Of(" ", TestContext.Current.CancellationToken));
    }

    private static void Fill(ObjectPile pile)
    {
        for (int index = 0; index < 2000; index++)
        {
            PilePointer pointer = pile.PutBytes(new byte[100]);
            if (index % 3 == 0)
            {
                Assert.True(pile.Delete(pointer));
            }
        }

        pile.Roots.Set("large", pile.PutBytes(new byte[50_000]));
    }
}
