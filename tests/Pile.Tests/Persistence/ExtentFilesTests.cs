using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class ExtentFilesTests
{
    private const int RowBytes = 64 << 20;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void AMissingFileIsNamed(int row)
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Files.Delete(ExtentPath(store, row));
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, row), "is missing");
    }

    [Fact]
    public void AMissingDirectoryOfExtentsIsNamed()
    {
        using var store = new StoreSample(real: true);
        store.CreateThreeExtents();
        System.IO.Directory.Move(store.In("extents"), store.In("elsewhere"));
        AssertRefused<PileCorruptedException>(store, store.In("extents"), "Restore the directory");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    [InlineData(ExtentHeader.ExtentPrefixBytes)]
    [InlineData(ExtentHeader.ExtentPrefixBytes + RowBytes - 1)]
    [InlineData(ExtentHeader.ExtentPrefixBytes + RowBytes + 1)]
    public void ATruncatedOrLengthenedFileIsNamed(long bytes)
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Resize(ExtentPath(store, 5), bytes);
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 5), $"{bytes} bytes");
    }

    [Fact]
    public void AFileOfAnotherPileIsNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        WriteHeader(store, 5, new ExtentHeader(3, 5, 1, ExtentKind.Segments, 64 << 10));
        AssertRefused<PileFormatException>(store, ExtentPath(store, 5), "another pile (0x0000000000000003");
    }

    [Fact]
    public void AFileOfANewerVersionIsNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        var header = new ExtentHeader(StoreSample.Identity, 5, 1, ExtentKind.Segments, 64 << 10);
        WriteHeader(store, 5, header with { Features = FormatFeatures.Current with { Version = 3 } });
        AssertRefused<PileFormatException>(store, ExtentPath(store, 5), "version 3");
        WriteHeader(store, 5, header with { Features = FormatFeatures.Current with { Incompatible = 2 } });
        AssertRefused<PileFormatException>(store, ExtentPath(store, 5), "incompatible bit 1");
        WriteHeader(store, 5, header with { Features = FormatFeatures.Current with { ReadOnlyCompatible = 2 } });
        SortedDictionary<string, string> before = store.Everything();
        Assert.Throws<PileFormatException>(() => store.Open());
        store.Open(PileOpenMode.ReadOnly).Dispose();
        Assert.Equal(before, store.Everything());
    }

    [Fact]
    public void ACopyUnderAnotherNameIsNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Copy(ExtentPath(store, 1), ExtentPath(store, 5));
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 5), "the extent of '00000001': a copy");
    }

    [Fact]
    public void AFileWithinTheRowsOfAnotherIsNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Copy(ExtentPath(store, 5), ExtentPath(store, 3));
        WriteHeader(store, 3, new ExtentHeader(StoreSample.Identity, 3, 1, ExtentKind.Segments, 64 << 10));
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 3), "which others have");
    }

    [Fact]
    public void AFileBeyondTheRowsThatMetaCountsIsNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        using (PileDirectory directory = store.Open())
        {
            directory.WriteMeta(static meta => meta with { ExtentRows = 4 });
        }

        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 2), "next free row 4");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ExtentHeader.CopyOffset)]
    public void EveryDamageOfOneHeaderLosesNothingAndIsMended(int header)
    {
        for (int offset = 0; offset < ExtentHeader.Bytes; offset += offset < 70 ? 1 : 401)
        {
            using var store = new StoreSample();
            store.CreateThreeExtents();
            store.Flip(ExtentPath(store, 2), header + offset);
            using (PileDirectory reader = store.Open(PileOpenMode.ReadOnly))
            {
                Assert.StartsWith(header == 0 ? "header" : "copy of the header", reader.Extents[1].Damage, StringComparison.Ordinal);
                Assert.Equal(3, reader.Extents[1].Header.Rows);
            }

            using (PileDirectory directory = store.Open())
            {
                Assert.NotNull(directory.Extents[1].Damage);
                Assert.Equal((null, null), (directory.Extents[0].Damage, directory.Extents[2].Damage));
            }

            using PileDirectory mended = store.Open();
            Assert.Null(mended.Extents[1].Damage);
        }
    }

    [Fact]
    public void TwoDamagedHeadersAreNamed()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Flip(ExtentPath(store, 2), 50);
        store.Flip(ExtentPath(store, 2), ExtentHeader.CopyOffset + 50);
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 2), "no whole header");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void AFileThatWasNotCountedYetIsRemovedByAWriterAndIgnoredByAReader(int rows)
    {
        ExtentKind kind = rows == 1 ? ExtentKind.Segments : ExtentKind.Large;
        using var store = new StoreSample();
        store.CreateThreeExtents();
        using (PileDirectory directory = store.Open())
        {
            directory.CreateExtent(6, rows, kind, kind == ExtentKind.Segments ? 64 << 10 : 0);
        }

        using (PileDirectory reader = store.Open(PileOpenMode.ReadOnly))
        {
            Assert.Equal(3, reader.Extents.Count);
        }

        Assert.True(store.Files.Exists(ExtentPath(store, 6)));
        using PileDirectory writer = store.Open();
        Assert.Equal(3, writer.Extents.Count);
        Assert.False(store.Files.Exists(ExtentPath(store, 6)));
        Assert.Equal(6, StoreSample.Add(writer, 1, ExtentKind.Segments).Header.FirstRow);
    }

    [Fact]
    public void WhatAKilledCreationLeftOfAFileIsRemoved()
    {
        foreach (int bytes in (int[])[0, 100, 4096, 9000, 12288, 16384, 20000])
        {
            using var store = new StoreSample();
            store.CreateThreeExtents();
            store.Write(ExtentPath(store, 6), 0, [1]);
            store.Resize(ExtentPath(store, 6), bytes);
            store.Open().Dispose();
            Assert.False(store.Files.Exists(ExtentPath(store, 6)));
        }
    }

    [Theory]
    [InlineData(ExtentHeader.RowsOffset)]
    [InlineData(ExtentHeader.CopyOffset - 1)]
    [InlineData(ExtentHeader.ExtentPrefixBytes)]
    [InlineData(ExtentHeader.ExtentPrefixBytes + RowBytes - 1)]
    public void AFileThatHoldsSomethingIsNeverRemoved(long offset)
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        using (PileDirectory directory = store.Open())
        {
            directory.CreateExtent(6, 1, ExtentKind.Segments, 64 << 10);
        }

        store.Write(ExtentPath(store, 6), offset, [1]);
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 6), "is older than the others", writersOnly: true);
    }

    [Fact]
    public void AFileLongerThanAnyExtentIsNeverReadToItsEnd()
    {
        // Sparse, as anybody may leave one: to read it would take days.
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Write(ExtentPath(store, 6), 0, [1]);
        store.Resize(ExtentPath(store, 6), 1L << 50);
        int calls = 0;
        store.Simulated.AtCall = call => Assert.True(!call.StartsWith("pread", StringComparison.Ordinal) || ++calls < 1000, call);
        AssertRefused<PileCorruptedException>(store, ExtentPath(store, 6), "remove what was added", writersOnly: true);
    }

    [Fact]
    public void OtherNamesAreIgnored()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        foreach (string name in (string[])["1", "0000001", "000000001", "00000001.old", "-0000001", "abcdefgh"])
        {
            store.Write(store.In("extents", name), 0, [1]);
        }

        using PileDirectory directory = store.Open();
        Assert.Equal(3, directory.Extents.Count);
        Assert.True(store.Files.Exists(store.In("extents", "00000001.old")));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void DataAndRowsStoredThroughTheMappingAreInTheFile(bool real)
    {
        using var store = new StoreSample(real);
        using var map = new ExtentMap(RegionProvider.Default, 8L << 26, 4L << 26);
        using (PileDirectory directory = store.Open())
        {
            ExtentFile extent = StoreSample.Add(directory, 1, ExtentKind.Segments);
            Assert.Equal(extent.Header.FirstRow, map.TryMap(1, 0, 13, out Region region));
            extent.MapData(region.Address, writable: true);
            Assert.True(extent.TryAllocate(65536, 65536));
            map.Space.WriteWord(extent.FirstLocation + 8192, 0x0123456789ABCDEF);
            byte[] read = new byte[8];
            extent.Read(65536, read);
            Assert.Equal([0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01], read);
            extent.Sync();
        }

        using (PileDirectory reader = store.Open(PileOpenMode.ReadOnly))
        {
            nint address = map.Space.AddressOf(ExtentMap.FirstLocation(1));
            reader.Extents[0].MapData(address, writable: false);
            Assert.Equal(0x0123456789ABCDEFUL, map.Space.ReadWord(ExtentMap.FirstLocation(1) + 8192));
            Assert.Equal(0UL, map.Space.ReadWord(ExtentMap.FirstLocation(1)));
        }

        using PileDirectory again = store.Open();
        Assert.True(again.Extents[0].TryPunch(65536, 65536));
        byte[] punched = new byte[8];
        again.Extents[0].Read(65536, punched);
        Assert.Equal(new byte[8], punched);
        Assert.Equal(ExtentHeader.ExtentPrefixBytes + (long)RowBytes, again.Extents[0].Header.FileBytes);
    }

    [Fact]
    public void StoringBeyondWhatWasAllocatedIsNoticedByTheSimulation()
    {
        using var store = new StoreSample();
        using var map = new ExtentMap(RegionProvider.Default, 8L << 26, 4L << 26);
        using PileDirectory directory = store.Open();
        ExtentFile extent = StoreSample.Add(directory, 1, ExtentKind.Segments);
        map.TryMap(1, 0, 13, out Region region);
        extent.MapData(region.Address, writable: true);
        Assert.True(extent.TryAllocate(0, 65536));
        map.Space.WriteWord(extent.FirstLocation + 8191, 1);
        extent.Sync();
        map.Space.WriteWord(extent.FirstLocation + 8192, 1);
        Assert.Contains("without space", Assert.Throws<InvalidOperationException>(extent.Sync).Message, StringComparison.Ordinal);
    }

    private static string ExtentPath(StoreSample store, int row) => store.In("extents", $"0000000{row}");

    private static void WriteHeader(StoreSample store, int row, in ExtentHeader header)
    {
        byte[] bytes = new byte[ExtentHeader.Bytes];
        header.Write(bytes);
        store.Write(ExtentPath(store, row), 0, bytes);
        store.Write(ExtentPath(store, row), ExtentHeader.CopyOffset, bytes);
    }

    private static void AssertRefused<TException>(StoreSample store, string path, string said, bool writersOnly = false)
        where TException : PileException
    {
        SortedDictionary<string, string> before = store.Everything();
        foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting, PileOpenMode.ReadOnly])
        {
            if (mode == PileOpenMode.ReadOnly && writersOnly)
            {
                store.Open(mode).Dispose();
                continue;
            }

            TException failure = Assert.Throws<TException>(() => store.Open(mode));
            Assert.Equal(path, failure.Path);
            Assert.Contains(path, failure.Message, StringComparison.Ordinal);
            Assert.Contains(said, failure.Message, StringComparison.Ordinal);
            Assert.Equal(before, store.Everything());
        }
    }
}
