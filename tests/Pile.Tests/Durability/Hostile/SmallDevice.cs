using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>A small file system of its own: may be filled, and made read-only. Needs the right to mount.</summary>
internal sealed class SmallDevice : IDisposable
{
    private const string ImageName = "image";
    private readonly TemporaryDirectory _place = new();
    private readonly TemporaryDirectory? _image;
    private TemporaryDirectory? _overlay;
    private readonly string _mount = ForeignProgram.Require("mount", "mount");

    /// <summary>One in memory.</summary>
    internal SmallDevice(int mebibytes)
    {
        _ = Directory.CreateDirectory(_place.Path);
        ForeignProgram.RequireThat(
            TryRun(_mount, "-t", "tmpfs", "-o", $"size={mebibytes}m", "pile", _place.Path), "Foreign: tmpfs can't be mounted: that needs root, or a container that allows it.");
    }

    private SmallDevice(TemporaryDirectory image, string path)
    {
        _image = image;
        _ = Directory.CreateDirectory(_place.Path);
        if (!TryRun(_mount, "-o", "loop", path, _place.Path))
        {
            image.Dispose();
            _place.Dispose();
            Assert.Skip("Foreign: no file system can be mounted from a file: that needs root, and loop devices.");
        }
    }

    /// <summary>One of ext4 in a file; the test is skipped where that can't be had.</summary>
    internal static SmallDevice OfExt4(int mebibytes) => Of("mkfs.ext4", "e2fsprogs", mebibytes, "-q", "-F");

    /// <summary>One of XFS, whose files may share blocks.</summary>
    internal static SmallDevice OfXfs(int mebibytes) => Of("mkfs.xfs", "xfsprogs", mebibytes, "-q", "-m", "reflink=1");

    /// <summary>One of Btrfs, which copies blocks when they are written.</summary>
    internal static SmallDevice OfBtrfs(int mebibytes) => Of("mkfs.btrfs", "btrfs-progs", mebibytes, "-q");

    /// <summary>One of XFS, with the layers of a container over it, whose files are those of <see cref="Path"/>.</summary>
    internal static SmallDevice OfLayersOnXfs(int mebibytes)
    {
        SmallDevice device = OfXfs(mebibytes);
        string[] layers = [.. new[] { "lower", "upper", "work" }.Select(layer => Directory.CreateDirectory(System.IO.Path.Combine(device._place.Path, layer)).FullName)];
        var overlay = new TemporaryDirectory();
        _ = Directory.CreateDirectory(overlay.Path);
        if (TryRun(device._mount, "-t", "overlay", "pile", "-o", $"lowerdir={layers[0]},upperdir={layers[1]},workdir={layers[2]}", overlay.Path))
        {
            device._overlay = overlay;
            return device;
        }

        overlay.Dispose();
        device.Dispose();
        Assert.Skip("Foreign: no layers can be mounted over a file system (overlayfs).");
        return device;
    }

    private static SmallDevice Of(string program, string package, int mebibytes, params string[] arguments)
    {
        string? make = ForeignProgram.Find(program, $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin");
        Assert.SkipUnless(make is not null, ForeignProgram.DescribeMissing(program, package));
        var image = new TemporaryDirectory();
        _ = Directory.CreateDirectory(image.Path);
        string path = System.IO.Path.Combine(image.Path, ImageName);
        using (FileStream file = File.Create(path))
        {
            file.SetLength((long)mebibytes << 20);
        }

        Assert.True(TryRun(make!, [.. arguments, path]));
        return new SmallDevice(image, path);
    }

    /// <summary>A path on it for a pile.</summary>
    internal string Path => System.IO.Path.Combine((_overlay ?? _place).Path, "pile");

    internal long FreeBytes => new DriveInfo(_place.Path).AvailableFreeSpace;

    /// <summary>Lets another program take space, until so much is left.</summary>
    internal void Leave(long bytes)
    {
        string path = System.IO.Path.Combine(_place.Path, "other");
        File.Delete(path);
        using FileStream file = File.Create(path);
        byte[] piece = new byte[4096];
        while (FreeBytes > bytes)
        {
            file.Write(piece);
            file.Flush();
        }
    }

    /// <summary>The same, for file systems that say of free bytes that they can't be had all: until one is refused, and gives so much back.</summary>
    internal void Fill(long back = 0)
    {
        string room = System.IO.Path.Combine(_place.Path, "room");
        File.WriteAllBytes(room, new byte[back]);
        WriteDown();
        using FileStream file = File.Create(System.IO.Path.Combine(_place.Path, "other"), bufferSize: 1);
        byte[] piece = new byte[1 << 20];
        for (int bytes = piece.Length; bytes >= 4096; bytes /= 2)
        {
            try
            {
                while (true)
                {
                    file.Write(piece.AsSpan(0, bytes));
                    file.Flush(flushToDisk: bytes == 4096);
                }
            }
            catch (IOException)
            {
                // No room for so many.
            }
        }

        File.Delete(room);
        WriteDown();
    }

    /// <summary>Some have taken, and give back, only what they have written down.</summary>
    private void WriteDown() => Assert.True(TryRun(ForeignProgram.Require("sync", "coreutils"), "-f", _place.Path));

    /// <summary>Copies the pile as cp does by itself where it can: by blocks that both share.</summary>
    internal void CopyByReference() =>
        Assert.True(TryRun(ForeignProgram.Require("cp", "coreutils"), "-r", "--reflink=always", Path, System.IO.Path.Combine(System.IO.Path.GetDirectoryName(Path)!, "copy")));

    /// <summary>Has the pile stand in files that another program made, as of a backup that came back.</summary>
    internal void BringBack()
    {
        string copy = System.IO.Path.Combine(_place.Path, "copy");
        Assert.True(TryRun(ForeignProgram.Require("cp", "coreutils"), "-r", "--reflink=never", Path, copy));
        Directory.Delete(Path, recursive: true);
        Directory.Move(copy, Path);
    }

    /// <summary>Makes the pile's directory a subvolume of Btrfs, with a quota.</summary>
    internal void LimitByQuota(int mebibytes)
    {
        string? btrfs = ForeignProgram.Find("btrfs", $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin");
        Assert.SkipUnless(btrfs is not null, ForeignProgram.DescribeMissing("btrfs", "btrfs-progs"));
        Assert.True(TryRun(btrfs!, "subvolume", "create", Path) && TryRun(btrfs!, "quota", "enable", _place.Path) && TryRun(btrfs!, "qgroup", "limit", $"{mebibytes}M", Path));
    }

    /// <summary>Makes the pile's directory, and marks it, so that what comes into it is compressed.</summary>
    internal void Compress() => Assert.True(TryRun(ForeignProgram.Require("chattr", "e2fsprogs"), "+c", Directory.CreateDirectory(Path).FullName));

    /// <summary>Takes one of ext4 away in order, and mounts it again.</summary>
    internal void MountAnew() => Assert.True(
        TryRun(ForeignProgram.Require("umount", "mount"), _place.Path) && TryRun(_mount, "-o", "loop", System.IO.Path.Combine(_image!.Path, ImageName), _place.Path));

    internal void MakeReadOnly() => Assert.True(TryRun(_mount, "-o", "remount,ro", _place.Path));

    internal void MakeWritable() => Assert.True(TryRun(_mount, "-o", "remount,rw", _place.Path));

    public void Dispose()
    {
        Assert.True(_overlay is null || TryRun(ForeignProgram.Require("umount", "mount"), _overlay.Path));
        _overlay?.Dispose();
        Assert.True(TryRun(ForeignProgram.Require("umount", "mount"), _place.Path));
        _place.Dispose();
        _image?.Dispose();
    }

    private static bool TryRun(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        process.BeginOutputReadLine();
        _ = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
