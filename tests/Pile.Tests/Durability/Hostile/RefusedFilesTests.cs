using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>Files that are missing, cut off, another pile's, a newer version's, no files at all: refused by name with nothing changed,
/// or made up for without loss; and whole again once they are put right.</summary>
public sealed class RefusedFilesTests : IDisposable
{
    private const string Meta = "pile.meta";
    private const string Segments = "extents/00000001";
    private const string Large = "extents/00000002";
    private readonly HostileDirectory _pile = new();

    public void Dispose() => _pile.Dispose();

    [Theory]
    [InlineData(Meta, nameof(PileFormatException), "is not taken for empty")]
    [InlineData(Segments, nameof(PileCorruptedException), "is missing")]
    [InlineData(Large, nameof(PileCorruptedException), "is missing")]
    [InlineData("extents", nameof(PileCorruptedException), "Restore the directory")]
    [InlineData("floors", nameof(PileCorruptedException), "is missing")]
    public void WithoutAFileItIsRefusedAndWithItWholeAgain(string kind, string exception, string said)
    {
        string path = _pile.FileOf(kind);
        if (kind == "floors")
        {
            _pile.RemoveTable();
        }

        Directory.Move(path, _pile.Beside);
        RequireRefused(exception, kind == Meta ? _pile.Path : path, said);
        Directory.Move(_pile.Beside, path);
        _ = _pile.RequireWhole();
    }

    [Fact]
    public void TheRootOfAFileSystemIsRefusedAndADirectoryWithinIsTaken()
    {
        _ = Directory.CreateDirectory(Path.Combine(_pile.Beside, "lost+found"));
        PileFormatException refused = Assert.Throws<PileFormatException>(() => ObjectPile.Open(_pile.Beside, HostileDirectory.Options));
        Assert.Contains("Give a directory within it", refused.Message, StringComparison.Ordinal);
        _ = Assert.Single(Directory.GetFileSystemEntries(_pile.Beside));
        ObjectPile.Open(Path.Combine(_pile.Beside, "within"), HostileDirectory.Options).Dispose();

        // Where extents are, a pile has lost its file.
        _ = Directory.CreateDirectory(Path.Combine(_pile.Beside, "extents", "1"));
        Assert.Contains("is not taken for empty", Assert.Throws<PileFormatException>(() => ObjectPile.Open(_pile.Beside, HostileDirectory.Options)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WithoutItsTableItIsCrawled()
    {
        _pile.RemoveTable();
        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole(PileOpenMode.ReadOnly));
        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole());
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole());
    }

    [Fact]
    public void WithoutItsLockItIsOpenedForWritingOnly()
    {
        string path = _pile.FileOf("lock");
        File.Delete(path);
        _pile.RequireRefused<FileNotFoundException>(path, "open for writing", PileOpenMode.ReadOnly);
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole());
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole(PileOpenMode.ReadOnly));
    }

    [Theory]
    [InlineData(Meta)]
    [InlineData(Segments)]
    [InlineData(Large)]
    [InlineData("floors")]
    [InlineData("table")]
    [InlineData("lock")]
    public void OfAnyOtherLengthItIsRefusedOrMadeUpFor(string kind)
    {
        string path = _pile.FileOf(kind);
        HostileDirectory.CopyFile(path, _pile.Beside);
        long whole = new FileInfo(path).Length;
        bool isExtent = kind.Contains('/', StringComparison.Ordinal);
        foreach (long bytes in (long[])[0, 1, 4095, 16_383, 16_384, whole - 1, whole + 1, .. isExtent ? (long[])[] : [47, 511, 2048, 4096, 8191, 8192, 12_288, whole / 2, whole - 4096, whole + 4096]])
        {
            if (bytes < 0 || bytes == whole)
            {
                continue;
            }

            if (kind == "floors" && File.Exists(Path.Combine(_pile.Path, "table.1")))
            {
                _pile.RemoveTable();
            }

            using (FileStream file = File.OpenWrite(path))
            {
                file.SetLength(bytes);
            }

            if (kind is "table" or "lock")
            {
                _ = _pile.RequireWhole(PileOpenMode.ReadOnly);
                _ = _pile.RequireWhole();
                path = _pile.FileOf(kind);
                whole = new FileInfo(path).Length;
                continue;
            }

            RequireRefused(kind == Meta ? nameof(PileFormatException) : nameof(PileCorruptedException), path, string.Empty);
            HostileDirectory.CopyFile(_pile.Beside, path);
        }

        _ = _pile.RequireWhole();
    }

    [Theory]
    [InlineData(Meta, nameof(PileFormatException), "another pile")]
    [InlineData(Segments, nameof(PileFormatException), "another pile")]
    [InlineData(Large, nameof(PileFormatException), "another pile")]
    [InlineData("floors", nameof(PileCorruptedException), "another pile")]
    [InlineData("table", "", "")]
    [InlineData("lock", "", "")]
    public void WithAFileOfAnotherPileItIsRefusedOrMadeUpFor(string kind, string exception, string said)
    {
        using var other = new HostileDirectory();
        string path = _pile.FileOf(kind);
        HostileDirectory.CopyFile(path, _pile.Beside);
        HostileDirectory.CopyFile(other.FileOf(kind), path);
        if (kind == "floors")
        {
            _pile.RemoveTable();
        }

        if (exception.Length > 0)
        {
            RequireRefused(exception, kind == Meta ? "extents" : path, said);
            HostileDirectory.CopyFile(_pile.Beside, path);
        }

        Assert.Equal(kind is "floors" or "table" ? PileOpening.Crawled : PileOpening.Clean, _pile.RequireWhole());
        _ = other.RequireWhole();
    }

    [Theory]
    [InlineData(Meta)]
    [InlineData(Segments)]
    [InlineData("floors")]
    [InlineData("lock")]
    public void WhatIsNoFileIsRefused(string kind)
    {
        string path = _pile.FileOf(kind);
        if (kind == "floors")
        {
            _pile.RemoveTable();
        }

        File.Move(path, _pile.Beside);
        _ = Directory.CreateDirectory(path);
        _pile.RequireRefused<PileFormatException>(path, "a directory, not a file");
        Directory.Delete(path);

        _ = File.CreateSymbolicLink(path, _pile.Beside);
        byte[] behind = File.ReadAllBytes(_pile.Beside);
        _pile.RequireRefused<PileFormatException>(path, "a symbolic link, not a file");
        Assert.Equal(behind, File.ReadAllBytes(_pile.Beside));
        File.Delete(path);

        _ = File.CreateSymbolicLink(path, Path.Combine(_pile.Path, "nowhere"));
        _pile.RequireRefused<PileFormatException>(path, "a symbolic link, not a file");
        File.Delete(path);

        File.Move(_pile.Beside, path);
        _ = _pile.RequireWhole();
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public void APipeInTheirPlaceIsRefusedAndNotWaitedFor()
    {
        string program = ForeignProgram.Require("mkfifo", "coreutils");
        foreach (string kind in (string[])[Meta, Segments, "lock"])
        {
            string path = _pile.FileOf(kind);
            File.Move(path, _pile.Beside);
            using (Process made = Process.Start(program, path))
            {
                made.WaitForExit();
            }

            _pile.RequireRefused<PileFormatException>(path, "pipe");
            File.Delete(path);
            File.Move(_pile.Beside, path);
        }

        _ = _pile.RequireWhole();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ATableThatIsNoFileIsMadeUpForAndADirectoryLeftAlone(bool isLink)
    {
        string path = _pile.FileOf("table");
        File.Move(path, _pile.Beside);
        byte[] behind = File.ReadAllBytes(_pile.Beside);
        if (isLink)
        {
            _ = File.CreateSymbolicLink(path, _pile.Beside);
        }
        else
        {
            _ = Directory.CreateDirectory(path);
            _ = Directory.CreateDirectory(Path.Combine(_pile.Path, "table.2"));
        }

        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole(PileOpenMode.ReadOnly));
        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole());
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole());
        Assert.Equal(behind, File.ReadAllBytes(_pile.Beside));
        Assert.Equal(isLink ? 0 : 2, Directory.GetDirectories(_pile.Path, "table.*").Length);
    }

    [Theory]
    [InlineData(Meta)]
    [InlineData(Segments)]
    [InlineData(Large)]
    [InlineData("floors")]
    [InlineData("table")]
    public void ANewerFormatOrAnUnknownFeatureIsRefused(string kind)
    {
        string path = _pile.FileOf(kind);
        if (kind == "floors")
        {
            _pile.RemoveTable();
        }

        byte[] before = File.ReadAllBytes(path)[..(int)long.Min(new FileInfo(path).Length, 16_384)];
        foreach ((int offset, ulong value, string said) in new (int, ulong, string)[]
        {
            (8, 2, "format version 2"), (8, uint.MaxValue, "format version 4294967295"), (8, 0, "format version 0"), (32, 1, "incompatible bit 0"), (32, 1UL << 63, "incompatible bit 63"), (24, 6, "read-only-compatible bits 1, 2"),
        })
        {
            Patch(path, kind, offset, value);
            bool isReadable = offset == 24;
            _pile.RequireRefused<PileFormatException>(path, said, isReadable ? [PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting] : []);
            if (isReadable)
            {
                SortedDictionary<string, string> everything = _pile.Everything();
                _ = _pile.RequireWhole(PileOpenMode.ReadOnly);
                Assert.Equal(everything, _pile.Everything());
            }

            Overwrite(path, before);
        }

        // Features that need not be known.
        Patch(path, kind, 16, ulong.MaxValue);
        _ = _pile.RequireWhole(PileOpenMode.ReadOnly);
        _ = _pile.RequireWhole();
    }

    [Theory]
    [InlineData(Meta, nameof(PileFormatException))]
    [InlineData(Segments, nameof(PileCorruptedException))]
    [InlineData(Large, nameof(PileCorruptedException))]
    [InlineData("floors", nameof(PileCorruptedException))]
    [InlineData("table", "")]
    [InlineData("lock", "")]
    public void RandomBytesAreRefusedOrMadeUpFor(string kind, string exception)
    {
        for (int seed = 1; seed <= 4; seed++)
        {
            string path = _pile.FileOf(kind);
            if (kind == "floors" && seed == 1)
            {
                _pile.RemoveTable();
            }

            byte[] before = File.ReadAllBytes(path)[..(int)long.Min(new FileInfo(path).Length, 16_384)];
            byte[] noise = new byte[before.Length];
            new Random(seed).NextBytes(noise);
            Overwrite(path, noise);
            if (exception.Length > 0)
            {
                RequireRefused(exception, path, string.Empty);
                Overwrite(path, before);
            }
            else
            {
                _ = _pile.RequireWhole();
            }
        }

        _ = _pile.RequireWhole();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void OneCopyOfTheFloorsSuffices(int damaged)
    {
        _pile.RemoveTable();
        string path = _pile.FileOf("floors");
        long half = new FileInfo(path).Length / 2;
        byte[] noise = new byte[half];
        new Random(5).NextBytes(noise);
        using (FileStream file = File.OpenWrite(path))
        {
            file.Position = damaged * half;
            file.Write(noise);
        }

        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole());
    }

    [Fact]
    public void ACopyOfAClosedPileIsThePile()
    {
        HostileDirectory.Copy(_pile.Path, _pile.Beside);
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole(PileOpenMode.ReadOnly, _pile.Beside));
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole(path: _pile.Beside));
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole(PileOpenMode.ReadOnly));
    }

    [Fact]
    public void ACopyOfAPileThatWasNotClosedIsCrawled()
    {
        using (ObjectPile pile = ObjectPile.Open(_pile.Path, HostileDirectory.Options))
        {
            pile.Commit();
            HostileDirectory.Copy(_pile.Path, _pile.Beside);
        }

        Assert.Equal(PileOpening.Crawled, _pile.RequireWhole(path: _pile.Beside));
        Assert.Equal(PileOpening.Clean, _pile.RequireWhole(path: _pile.Beside));
    }

    private void RequireRefused(string exception, string path, string said)
    {
        if (exception == nameof(PileFormatException))
        {
            _pile.RequireRefused<PileFormatException>(path, said);
        }
        else
        {
            Assert.Equal(nameof(PileCorruptedException), exception);
            _pile.RequireRefused<PileCorruptedException>(path, said);
        }
    }

    /// <summary>Changes a word behind the magic in every copy of a file's header, the checksums made to fit.</summary>
    private static void Patch(string path, string kind, int offset, ulong value)
    {
        byte[] file = File.ReadAllBytes(path);
        (int bytes, int second) = kind switch
        {
            Meta => (MetaSlot.Bytes, MetaSlot.Bytes),
            "table" => (TableHeader.FixedBytes, 0),
            "floors" => (60 + (BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(56)) * 4) + 4, file.Length / 2),
            _ => (ExtentHeader.Bytes, ExtentHeader.CopyOffset),
        };
        foreach (int start in (int[])[0, second])
        {
            Span<byte> header = file.AsSpan(start, bytes);
            if (offset == 8)
            {
                BinaryPrimitives.WriteUInt32LittleEndian(header[offset..], (uint)value);
            }
            else
            {
                BinaryPrimitives.WriteUInt64LittleEndian(header[offset..], value);
            }

            BinaryPrimitives.WriteUInt32LittleEndian(header[^4..], Crc32C.Compute(header[..^4]));
        }

        Overwrite(path, file[..(int)long.Min(file.Length, 16_384)]);
    }

    private static void Overwrite(string path, byte[] bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.Write(bytes);
    }
}
