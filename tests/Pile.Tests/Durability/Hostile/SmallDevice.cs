using System;
using System.Diagnostics;
using System.IO;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>A small file system of its own: may be filled, and made read-only. Needs the right to mount.</summary>
internal sealed class SmallDevice : IDisposable
{
    private const string ImageName = "ext4";
    private readonly TemporaryDirectory _place = new();
    private readonly TemporaryDirectory? _image;
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
    internal static SmallDevice OfExt4(int mebibytes)
    {
        string? make = ForeignProgram.Find("mkfs.ext4", $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin");
        Assert.SkipUnless(make is not null, ForeignProgram.DescribeMissing("mkfs.ext4", "e2fsprogs"));
        var image = new TemporaryDirectory();
        _ = Directory.CreateDirectory(image.Path);
        string path = System.IO.Path.Combine(image.Path, ImageName);
        using (FileStream file = File.Create(path))
        {
            file.SetLength((long)mebibytes << 20);
        }

        Assert.True(TryRun(make!, "-q", "-F", path));
        return new SmallDevice(image, path);
    }

    /// <summary>A path on it for a pile.</summary>
    internal string Path => System.IO.Path.Combine(_place.Path, "pile");

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

    /// <summary>Takes one of ext4 away in order, and mounts it again.</summary>
    internal void MountAnew() => Assert.True(
        TryRun(ForeignProgram.Require("umount", "mount"), _place.Path) && TryRun(_mount, "-o", "loop", System.IO.Path.Combine(_image!.Path, ImageName), _place.Path));

    internal void MakeReadOnly() => Assert.True(TryRun(_mount, "-o", "remount,ro", _place.Path));

    internal void MakeWritable() => Assert.True(TryRun(_mount, "-o", "remount,rw", _place.Path));

    public void Dispose()
    {
        Assert.True(TryRun(ForeignProgram.Require("umount", "mount"), _place.Path));
        _place.Dispose();
        _image?.Dispose();
    }

    private static bool TryRun(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        _ = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
