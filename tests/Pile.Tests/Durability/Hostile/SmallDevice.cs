using System;
using System.Diagnostics;
using System.IO;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>A small file system of its own, in memory: may be filled, and made read-only. Needs the right to mount.</summary>
internal sealed class SmallDevice : IDisposable
{
    private readonly TemporaryDirectory _place = new();
    private readonly string _mount = ForeignProgram.Require("mount", "mount");

    internal SmallDevice(int mebibytes)
    {
        _ = Directory.CreateDirectory(_place.Path);
        ForeignProgram.RequireThat(
            TryRun(_mount, "-t", "tmpfs", "-o", $"size={mebibytes}m", "pile", _place.Path), "Foreign: tmpfs can't be mounted: that needs root, or a container that allows it.");
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

    internal void MakeReadOnly() => Assert.True(TryRun(_mount, "-o", "remount,ro", _place.Path));

    internal void MakeWritable() => Assert.True(TryRun(_mount, "-o", "remount,rw", _place.Path));

    public void Dispose()
    {
        Assert.True(TryRun(ForeignProgram.Require("umount", "mount"), _place.Path));
        _place.Dispose();
    }

    private static bool TryRun(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        _ = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
