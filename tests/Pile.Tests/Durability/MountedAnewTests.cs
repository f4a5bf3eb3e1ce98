using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability.Hostile;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A file system that is taken away, with pages that were not written, and mounted again in the same boot.</summary>
public sealed class MountedAnewTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>The table's pages are nobody's promise: they are as old as can be, and all that flushes cover is in the log.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatFlushesCoverIsThereAfterAMountThatHasAnOldTable(bool isMountedAnew)
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), Promise = PilePromise.PowerSafe, BackgroundCleaning = false };
        ObjectPile pile = ObjectPile.Open(_directory.Path, options);
        string table = Directory.GetFiles(_directory.Path, "table.*").Single();
        byte[] old = Read(table);
        PilePointer[] all = [.. Enumerable.Range(0, 100).Select(number => pile.Put($"object {number}"))];
        pile.Commit();
        pile.Durable!.Flusher.Fail(new InsufficientMemoryException("planted"));
        _ = Assert.Throws<IOException>(pile.Dispose);
        if (isMountedAnew)
        {
            using FileStream stream = File.OpenWrite(table);
            stream.Write(old);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, options with { Files = isMountedAnew ? new MountedAnew() : null });
        Assert.Equal(isMountedAnew ? PileOpening.Crawled : PileOpening.RolledForward, again.RecoveryReport().Opening);
        Assert.Empty(again.RecoveryReport().Damages);
        Assert.All(Enumerable.Range(0, 100), number => Assert.Equal($"object {number}", again.Get<string>(all[number])));
        Assert.True(again.Verify().IsGood);
    }

    /// <summary>Its first bytes are the boot's, by which readers of the format go.</summary>
    [Fact]
    public void AMountIsTheSameForAllDirectoriesInItAndBeginsWithTheBoot()
    {
        FileProvider files = FileProvider.Default;
        string below = Path.Combine(_directory.Path, StoreNames.Extents);
        _ = Directory.CreateDirectory(below);
        Guid one = files.BootOf(_directory.Path, below);
        Assert.Equal(one, files.BootOf(below, _directory.Path));
        Assert.Equal(files.BootId.ToByteArray(bigEndian: true).Take(8), one.ToByteArray(bigEndian: true).Take(8));
        Assert.Equal(files.BootId, files.BootOf("/proc", "/proc/self"));
    }

    /// <summary>By the system's own: a kill is a kill on the same mount, and after another one a power cut, in which nothing that flushes cover is lost.</summary>
    [Theory]
    [InlineData(false, PileOpening.RolledForward)]
    [InlineData(true, PileOpening.Crawled)]
    public void AnExt4ThatIsMountedAnewIsAnotherMount(bool isMountedAnew, PileOpening opening)
    {
        using var device = SmallDevice.OfExt4(64);
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), Promise = PilePromise.PowerSafe, BackgroundCleaning = false };
        ObjectPile pile = ObjectPile.Open(device.Path, options);
        PilePointer[] all = [.. Enumerable.Range(0, 100).Select(number => pile.Put($"object {number}"))];
        pile.Commit();
        pile.Durable!.Flusher.Fail(new InsufficientMemoryException("planted"));
        _ = Assert.Throws<IOException>(pile.Dispose);
        if (isMountedAnew)
        {
            device.MountAnew();
        }

        using ObjectPile again = ObjectPile.Open(device.Path, options);
        Assert.Equal(opening, again.RecoveryReport().Opening);
        Assert.All(Enumerable.Range(0, 100), number => Assert.Equal($"object {number}", again.Get<string>(all[number])));
    }

    private static byte[] Read(string path)
    {
        using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    private sealed class MountedAnew : FileProvider
    {
        internal override Guid BootId => Default.BootId;

        internal override Guid BootOf(string directory, string extents) => new(BootId.ToByteArray().Select(static (one, index) => index == 15 ? (byte)~one : one).ToArray());

        internal override void CreateDirectory(string path) => Default.CreateDirectory(path);

        internal override bool Exists(string path) => Default.Exists(path);

        internal override IReadOnlyList<string> List(string directory) => Default.List(directory);

        internal override void CheckMayChange(string directory) => Default.CheckMayChange(directory);

        internal override StoreFile Open(string path, FileOpening opening) => Default.Open(path, opening);

        internal override void Delete(string path) => Default.Delete(path);

        internal override void Rename(string source, string target) => Default.Rename(source, target);

        internal override void SyncDirectory(string directory) => Default.SyncDirectory(directory);

        internal override long FreeBytes(string directory) => Default.FreeBytes(directory);

        internal override long TotalBytes(string directory) => Default.TotalBytes(directory);
    }
}
