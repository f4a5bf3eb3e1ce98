using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Faults;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class LinuxFilesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pile-files-").FullName;
    private readonly FileProvider _files = FileProvider.Default;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>What the system answers where nobody can be asked is no loss.</summary>
    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(LinuxErrors.InvalidArgument, false)]
    [InlineData(LinuxErrors.NoSuchCall, false)]
    [InlineData(LinuxErrors.NotSupported, false)]
    [InlineData(LinuxErrors.InputOutput, true)]
    [InlineData(LinuxErrors.NoSpace, true)]
    [InlineData(LinuxErrors.QuotaExceeded, true)]
    public void OnlyWhatBefallsPagesIsALoss(int error, bool isLoss) => Assert.Equal(isLoss, LinuxErrors.IsLoss(error));

    [Fact]
    public void TheBootIsKnownAndStaysTheSame()
    {
        Assert.NotEqual(Guid.Empty, _files.BootId);
        Assert.Equal(new LinuxFiles().BootId, _files.BootId);
    }

    [Fact]
    public void WhatIsWrittenIsReadAndTheLengthFollows()
    {
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        Assert.Equal((0, In("f")), (file.Bytes, file.Path));
        file.Write(5000, [1, 2, 3]);
        Assert.Equal(5003, file.Bytes);
        byte[] read = new byte[5003];
        file.Read(0, read);
        Assert.Equal([.. new byte[5000], 1, 2, 3], read);
        file.SetBytes(1 << 20);
        Assert.Equal(1 << 20, file.Bytes);
        file.Sync();
        EndOfStreamException failure = Assert.Throws<EndOfStreamException>(() => file.Read((1 << 20) - 1, new byte[2]));
        Assert.Contains(In("f"), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void SpaceIsTakenWithoutTouchingWhatIsThere()
    {
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        CheckAllocation(file, file.TryAllocate);
    }

    [Fact]
    public void WithoutACallForItSpaceIsTakenByWritingZeros()
    {
        using var file = new FillingFile(_files.Open(In("f"), FileOpening.CreateNew), bytesMax: long.MaxValue);
        CheckAllocation(file, file.TryAllocate);

        // The two writes of the check, the hole, the rest of page 2, pages 3 and 4, the piece behind, the hole again.
        Assert.Equal([0, 8192, 4096, 8193, 12_288, 16_384, 20_480, 4096], file.Writes.Select(static write => write.Offset));
    }

    [Fact]
    public void WithoutACallForItAFullDeviceIsAnsweredByFalse()
    {
        using var file = new FillingFile(_files.Open(In("f"), FileOpening.CreateNew), bytesMax: 50_000);
        Assert.True(file.TryAllocate(0, 40_000));
        Assert.False(file.TryAllocate(0, 60_000));
        Assert.InRange(file.Bytes, 40_000, 50_000);
    }

    [Fact]
    public void APunchedStretchReadsAsZeroAndTheLengthStays()
    {
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        byte[] bytes = new byte[3 * 4096];
        bytes.AsSpan().Fill(7);
        file.Write(0, bytes);
        Assert.True(file.TryPunch(4096, 4096));
        file.Read(0, bytes);
        Assert.Equal([7, 0, 0, 7], (byte[])[bytes[4095], bytes[4096], bytes[8191], bytes[8192]]);
        Assert.Equal(3 * 4096, file.Bytes);
    }

    [Fact]
    public void StoresThroughAMappingAreInTheFileAndStayWhenItEnds()
    {
        Assert.True(RegionProvider.Default.TryMap(4 * 4096, 4096, out Region region));
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        file.SetBytes(4 * 4096);
        file.Map(region.Address + 4096, 8192, 8192, writable: true);
        var words = new WordArray(region.Address);
        words.WriteRelease(512 + 1, 0x0807060504030201);
        byte[] read = new byte[8];
        file.Read(8192 + 8, read);
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], read);
        file.Write(8192, [9]);
        Assert.Equal(9UL, words.Read(512u));
        Assert.Equal(0UL, words.Read(0u));
        file.Sync();
        file.Unmap(region.Address + 4096, 8192);
        using StoreFile reader = _files.Open(In("f"), FileOpening.ReadOnly);
        reader.Map(region.Address, 8192, 4096, writable: false);
        Assert.Equal(0x0807060504030201UL, words.Read(1u));
        Assert.Equal(FileFailure.Denied, Assert.Throws<FileCallException>(() => reader.Map(region.Address, 0, 4096, writable: true)).Failure);
        RegionProvider.Default.Unmap(region);
    }

    [Fact]
    public void AStretchThatIsDetachedKeepsWhatWasStoredThere()
    {
        Assert.True(RegionProvider.Default.TryMap(4 * 4096, 4096, out Region region));
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        Assert.True(file.TryAllocate(0, 4 * 4096));
        file.Map(region.Address, 0, 4 * 4096, writable: true);
        var words = new WordArray(region.Address);
        for (uint page = 0; page < 4; page++)
        {
            words.WriteRelease(page * 512, page + 1);
        }

        file.Detach(region.Address + 4096, 2 * 4096);
        words.WriteRelease(512 + 1, 5);
        Assert.Equal([1UL, 2, 3, 4, 5], (ulong[])[words.Read(0u), words.Read(512u), words.Read(1024u), words.Read(1536u), words.Read(513u)]);
        byte[] read = new byte[16];
        file.Read(4096, read);
        Assert.Equal([2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0], read);
        file.Unmap(region.Address, 4 * 4096);
        RegionProvider.Default.Unmap(region);
    }

    [Fact]
    public void WordsOfAFileAreMappedAndGivenBack()
    {
        var regions = new FailingRegions(int.MaxValue, forEver: false);
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        file.SetBytes(8192);
        using (var words = new MappedWords(regions, file, 4096, 4096, writable: true))
        {
            words.Words.WriteRelease(1, 5);
        }

        using (var words = new MappedWords(regions, file, 4096, 4096, writable: false))
        {
            Assert.Equal(5UL, words.Words.Read(1u));
        }

        using StoreFile reader = _files.Open(In("f"), FileOpening.ReadOnly);
        Assert.Throws<FileCallException>(() => new MappedWords(regions, reader, 0, 4096, writable: true));
        Assert.Equal(0, regions.MappedBytes);
        Assert.Throws<PileException>(() => new MappedWords(new FailingRegions(1, forEver: true), file, 0, 4096, writable: false));
    }

    [Fact]
    public void ALockApartKeepsOutOthersOfItsKindAlone()
    {
        _files.Open(In("f"), FileOpening.CreateNew).Dispose();
        using StoreFile first = _files.Open(In("f"), FileOpening.OpenExisting);
        using StoreFile second = _files.Open(In("f"), FileOpening.OpenExisting);
        using StoreFile third = _files.Open(In("f"), FileOpening.ReadOnly);
        Assert.True(first.TryLockApart(shared: false));
        Assert.False(second.TryLockApart(shared: false));
        Assert.False(third.TryLockApart(shared: true));
        Assert.True(second.TryLock(shared: false));
        second.Dispose();
        Assert.Empty(File.ReadAllBytes(In("f")));
        Assert.False(third.TryLockApart(shared: true));
        first.Dispose();
        Assert.True(third.TryLockApart(shared: true));
        using StoreFile fourth = _files.Open(In("f"), FileOpening.ReadOnly);
        Assert.True(fourth.TryLockApart(shared: true));
        using StoreFile fifth = _files.Open(In("f"), FileOpening.OpenExisting);
        Assert.False(fifth.TryLockApart(shared: false));
    }

    [Fact]
    public void AnExclusiveLockKeepsAllOthersOutAndASharedOneOnlyWriters()
    {
        _files.Open(In("f"), FileOpening.CreateNew).Dispose();
        using StoreFile first = _files.Open(In("f"), FileOpening.ReadOnly);
        using StoreFile second = _files.Open(In("f"), FileOpening.ReadOnly);
        using StoreFile third = _files.Open(In("f"), FileOpening.OpenExisting);
        Assert.True(first.TryLock(shared: true));
        Assert.True(second.TryLock(shared: true));
        Assert.False(third.TryLock(shared: false));
        first.Dispose();
        Assert.False(third.TryLock(shared: false));
        second.Dispose();
        Assert.True(third.TryLock(shared: false));
        using StoreFile fourth = _files.Open(In("f"), FileOpening.ReadOnly);
        Assert.False(fourth.TryLock(shared: true));
        third.Dispose();
        third.Dispose();
        Assert.True(fourth.TryLock(shared: true));
    }

    [Fact]
    public void AnIdentityIsThatOfTheFileNotOfItsPath()
    {
        using StoreFile one = _files.Open(In("one"), FileOpening.CreateNew);
        using StoreFile other = _files.Open(In("other"), FileOpening.CreateNew);
        File.CreateSymbolicLink(In("link"), In("one"));

        // A link would lead out of the directory: it is none of a pile's files.
        Assert.Equal(FileFailure.WrongKind, Assert.Throws<FileCallException>(() => _files.Open(In("link"), FileOpening.ReadOnly)).Failure);
        Assert.NotEqual(one.Identity, other.Identity);
        Assert.Equal(one.Identity.Device, other.Identity.Device);
        _files.Rename(In("one"), In("other"));
        using StoreFile renamed = _files.Open(In("other"), FileOpening.OpenExisting);
        Assert.Equal(one.Identity, renamed.Identity);
        Assert.False(_files.Exists(In("one")));
    }

    [Fact]
    public void NamesAreListedWithoutTheDirectory()
    {
        Assert.Empty(_files.List(_folder));
        _files.CreateDirectory(In("directory"));
        _files.Open(In(".hidden"), FileOpening.CreateNew).Dispose();
        _files.SyncDirectory(_folder);
        Assert.Equal([".hidden", "directory"], _files.List(_folder).Order(StringComparer.Ordinal));
        _files.Delete(In(".hidden"));
        Assert.Equal(["directory"], _files.List(_folder));
        Assert.True(_files.Exists(In("directory")));
        Assert.False(_files.Exists(In(".hidden")));
    }

    [Fact]
    public void FailuresAreToldApartAndNameCallPathAndNumber()
    {
        _files.Open(In("f"), FileOpening.CreateNew).Dispose();
        _files.CreateDirectory(In("d"));
        (Action Call, FileFailure Failure, string Name, int Number)[] cases =
        [
            (() => _files.Open(In("none"), FileOpening.ReadOnly), FileFailure.Missing, "statx", 2),
            (() => _files.Open(In("none"), FileOpening.OpenExisting), FileFailure.Missing, "statx", 2),
            (() => _files.Open(In("none/below"), FileOpening.CreateNew), FileFailure.Missing, "open", 2),
            (() => _files.Open(In("f"), FileOpening.CreateNew), FileFailure.Exists, "open", 17),
            (() => _files.Open(In("d"), FileOpening.OpenExisting), FileFailure.WrongKind, "open", 0),
            (() => _files.Open(In("f/below"), FileOpening.CreateNew), FileFailure.WrongKind, "open", 20),
            (() => _files.CreateDirectory(In("d")), FileFailure.Exists, "mkdir", 17),
            (() => _files.CreateDirectory(In("none/below")), FileFailure.Missing, "mkdir", 2),
            (() => _files.CreateDirectory("/sys/pile"), FileFailure.Denied, "mkdir", 0),
            (() => _files.Delete(In("none")), FileFailure.Missing, "unlink", 2),
            (() => _files.Rename(In("none"), In("other")), FileFailure.Missing, "rename", 2),
            (() => _files.List(In("none")), FileFailure.Missing, "open", 2),
            (() => _files.List(In("f")), FileFailure.WrongKind, "list", 0),
            (() => _files.Exists(In("f/below")), FileFailure.WrongKind, "statx", 20),
            (() => _files.SyncDirectory(In("none")), FileFailure.Missing, "open", 2),
            (() => Full().Write(0, [1]), FileFailure.NoSpace, "pwrite", 28),
        ];
        foreach ((Action call, FileFailure expected, string name, int number) in cases)
        {
            FileCallException failure = Assert.Throws<FileCallException>(call);
            Assert.Equal(expected, failure.Failure);
            Assert.StartsWith($"{name} of '{failure.Path}' failed: ", failure.Message, StringComparison.Ordinal);
            Assert.Contains(number == 0 ? "." : $"(errno {number}).", failure.Message, StringComparison.Ordinal);
        }

        // No file, which the provider would refuse, but a device that answers as a full one.
        static StoreFile Full() => new LinuxFile("/dev/full", File.OpenHandle("/dev/full", FileMode.Open, FileAccess.ReadWrite));
    }

    [Fact]
    public void FreeSpaceIsThatOfTheFileSystem()
    {
        Assert.InRange(_files.FreeBytes(_folder), 1, new DriveInfo(_folder).TotalSize);
        Assert.Throws<FileCallException>(() => _files.FreeBytes(In("none")));
    }

    [Fact]
    public void ChildProcessesInheritNoFile()
    {
        using StoreFile file = _files.Open(In("f"), FileOpening.CreateNew);
        using Process child = FaultProgram.Start("", "hold", In("pile"), "OpenOrCreate");
        try
        {
            Assert.Equal("held", child.StandardOutput.ReadLine());
            string?[] open = [.. Directory.GetFiles($"/proc/{child.Id}/fd").Select(static link => File.ResolveLinkTarget(link, returnFinalTarget: false)?.FullName)];
            Assert.Contains(In("pile/lock"), open);
            Assert.DoesNotContain(In("f"), open);
        }
        finally
        {
            child.StandardInput.Close();
            child.WaitForExit();
        }
    }

    private static void CheckAllocation(StoreFile file, Func<long, long, bool> tryAllocate)
    {
        // Page 0 full, page 1 a hole, page 2 ends in the midst of the file.
        byte[] seven = new byte[4096];
        seven.AsSpan().Fill(7);
        file.Write(0, seven);
        file.Write(8192, [7]);
        Assert.True(tryAllocate(0, 20_480));
        Assert.Equal(20_480, file.Bytes);
        Assert.True(tryAllocate(20_480, 100));
        Assert.Equal(20_580, file.Bytes);
        Assert.True(tryAllocate(4096, 4096));
        byte[] read = new byte[20_580];
        file.Read(0, read);
        Assert.Equal([.. seven, .. new byte[4096], 7, .. new byte[20_580 - 8193]], read);
    }

    private string In(string name) => Path.Combine(_folder, name);

    /// <summary>A file on a file system that has no call to take space, and only so much of it.</summary>
    private sealed class FillingFile(StoreFile file, long bytesMax) : StoreFile(file.Path)
    {
        internal List<(long Offset, int Bytes)> Writes { get; } = [];

        internal override long Bytes => file.Bytes;

        internal override FileIdentity Identity => file.Identity;

        internal override void SetBytes(long bytes) => file.SetBytes(bytes);

        internal override bool TryAllocate(long offset, long bytes) => TryFill(offset, bytes);

        internal override bool TryPunch(long offset, long bytes) => false;

        internal override void Map(nint address, long offset, long bytes, bool writable) => file.Map(address, offset, bytes, writable);

        internal override void Unmap(nint address, long bytes) => file.Unmap(address, bytes);

        internal override void Sync() => file.Sync();

        internal override void RequireWritten() => file.RequireWritten();

        internal override void Read(long offset, Span<byte> target) => file.Read(offset, target);

        internal override void Write(long offset, ReadOnlySpan<byte> source)
        {
            if (offset + source.Length > bytesMax)
            {
                throw new FileCallException("pwrite", Path, "the device is full", FileFailure.NoSpace);
            }

            Writes.Add((offset, source.Length));
            file.Write(offset, source);
        }

        internal override bool TryLock(bool shared) => file.TryLock(shared);

        internal override bool TryLockApart(bool shared) => file.TryLockApart(shared);

        public override void Dispose() => file.Dispose();
    }
}
