// Files as piles meet them: how many may be open, on which file system a directory is, what is free there, whether it takes what a pile
// does to its files, and how long it is until a write is on the device.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Threading;
using Pile.Tool.Output;

namespace Pile.Tool.Health;

/// <summary>Checks of files.</summary>
internal static class FileChecks
{
    private const long OpenFilesMin = 4096;
    private const int Syncs = 32;
    private const int SyncBytes = 4096;
    private const double SyncSlowMs = 20;
    private const double SyncImpossibleMs = 0.02;
    private const double FreeShareMin = 0.1;
    private const long FreeBytesMin = 1L << 30;

    private static readonly HashSet<string> _remote = new(StringComparer.Ordinal)
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "vboxsf", "vmhgfs", "afs", "ceph", "glusterfs", "lustre", "ocfs2", "gfs2", "drvfs",
    };

    /// <summary>Those of the process.</summary>
    internal static Finding OpenFiles(SystemFiles files)
    {
        const string Name = "open files";
        (long? soft, long? hard) = files.Limit("Max open files");
        string found = soft is { } limit ? $"{Amount.Count(limit)} a process" : "not limited";
        return soft < OpenFilesMin
            ? Finding.Better(Name, found, $"Each connection of a server and each 64 MiB of a pile in files is one: ulimit -n 65536, LimitNOFILE=65536 in systemd{(hard > soft ? $" (up to {Amount.Count(hard.Value)} need no rights)" : "")}.")
            : Finding.Good(Name, found);
    }

    /// <summary>Those of a directory, which is there.</summary>
    internal static IEnumerable<Finding> Of(SystemFiles files, string directory, TimeProvider clock, CancellationToken stop)
    {
        MountTable.Mount? mount = MountTable.Of(files, directory);
        yield return FileSystem(mount);
        yield return Space(directory);
        if (TryMeasure(directory, clock, stop, out double[] ms, out string problem))
        {
            yield return Finding.Good("rights", "files can be made, locked and removed");
            yield return Sync(ms, isMemory: mount?.Type is "tmpfs" or "ramfs");
        }
        else
        {
            yield return Finding.Bad("rights", problem, $"A pile needs to create, lock and remove files in '{directory}': change its owner or its mode, free space where there is none, or give another directory.");
        }
    }

    private static Finding FileSystem(MountTable.Mount? mount)
    {
        const string Name = "file system";
        if (mount is null)
        {
            return Finding.Better(Name, "/proc/self/mountinfo can't be read", "Piles keep their promise on local file systems, ext4 and XFS for example.");
        }

        string found = $"{mount.Type} at {mount.Path}, of {mount.Source}";
        return Array.IndexOf(mount.Options, "ro") >= 0 ? Finding.Bad(Name, found + ", for reading alone", $"Nothing can be written there: mount -o remount,rw {mount.Path}, or another directory.")
            : _remote.Contains(mount.Type) || mount.Type.StartsWith("fuse", StringComparison.Ordinal)
                ? Finding.Bad(Name, found, "Mapped files of network file systems, FUSE and shared folders lose what others do to them: nothing is promised there. Use a local file system, ext4 or XFS for example.")
            : mount.Type is "tmpfs" or "ramfs" ? Finding.Better(Name, found + ", which is memory", "What stands there survives the process, not the machine, and takes of its memory. For durable piles use a device.")
            : mount.Type is "overlay" or "aufs" ? Finding.Better(Name, found + ", the layer of a container", "It goes with the container. Mount a volume for the pile's directory.")
            : Array.Exists(mount.Options, static option => option is "nobarrier" or "barrier=0") ? Finding.Bad(Name, found + ", without barriers", $"A power cut takes what was acknowledged: mount -o remount,barrier=1 {mount.Path}.")
            : Finding.Good(Name, found);
    }

    private static Finding Space(string directory)
    {
        const string Name = "space";
        var drive = new DriveInfo(directory);
        string found = $"{Amount.Bytes(drive.AvailableFreeSpace)} free of {Amount.Bytes(drive.TotalSize)}";
        return drive.AvailableFreeSpace < long.Min(FreeBytesMin, (long)(drive.TotalSize * FreeShareMin))
            ? Finding.Better(Name, found, "A pile leaves a twentieth of the device free, at most 256 MiB, and answers Full when it needs more than the rest: free some.")
            : Finding.Good(Name, found);
    }

    private static Finding Sync(double[] ms, bool isMemory)
    {
        const string Name = "fsync";
        Array.Sort(ms);
        double median = ms[ms.Length / 2];
        string found = string.Create(CultureInfo.InvariantCulture, $"{median:0.00} ms in the middle of {ms.Length}, {ms[^1]:0.00} ms at the most");
        return isMemory ? Finding.Good(Name, found + "; it is memory")
            : median < SyncImpossibleMs
                ? Finding.Better(Name, found, "So fast is no device: something on the way says that it is done before it is. A virtual disk with a write cache of its host (cache=unsafe) does; what is acknowledged is not safe from a power cut there.")
            : median > SyncSlowMs
                ? Finding.Better(Name, found, "Each Commit waits so long, and the flush of a second does. Commit several changes at once, or use a device with a faster flush.")
            : Finding.Good(Name, found);
    }

    /// <summary>Writes a small file and waits for the device, some times.</summary>
    private static bool TryMeasure(string directory, TimeProvider clock, CancellationToken stop, out double[] ms, out string problem)
    {
        ms = new double[Syncs];
        problem = "";
        string path = Path.Combine(directory, $"pile-doctor-{Environment.ProcessId}");
        try
        {
            using var file = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose);
            byte[] block = new byte[SyncBytes];
            for (int index = 0; index < Syncs; index++)
            {
                stop.ThrowIfCancellationRequested();
                block.AsSpan().Fill((byte)index);
                file.Write(block);
                long start = clock.GetTimestamp();
                file.Flush(flushToDisk: true);
                ms[index] = clock.GetElapsedTime(start).TotalMilliseconds;
            }

            return true;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            problem = failure.Message;
            return false;
        }
    }
}
