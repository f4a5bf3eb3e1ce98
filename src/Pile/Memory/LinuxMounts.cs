// Which mount of a file system it is that holds a directory. A file system that is taken away and mounted again has the same device and inode numbers, in the
// same boot, and none of the pages that had not been written. No call tells one mount from the next for all who share it, but sysfs has a directory for
// each file system that is mounted, whose inode number it gives to nothing else while the machine runs.
using System;
using System.Globalization;
using System.IO;

namespace Pile.Memory;

/// <summary>Mounts of file systems that have a block device of their own.</summary>
internal static class LinuxMounts
{
    private static readonly string[] _kinds = ["ext4", "xfs", "f2fs"];

    /// <summary>A number that no other mount of this boot has; that of the device, where its file system is of a kind that is not known; 0 where there is neither.</summary>
    internal static ulong Of(string directory)
    {
        try
        {
            ulong device = LinuxStatus.Of(directory).Identity.Device;
            string link = string.Create(CultureInfo.InvariantCulture, $"/sys/dev/block/{device >> 32}:{(uint)device}");
            string? name = Path.GetFileName(new FileInfo(link).LinkTarget);
            foreach (string kind in name is null ? [] : _kinds)
            {
                if (TryNumber($"/sys/fs/{kind}/{name}", out ulong mount))
                {
                    return mount;
                }
            }

            return name is not null && TryNumber(link, out ulong number) ? number : 0;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private static bool TryNumber(string path, out ulong number)
    {
        try
        {
            number = LinuxStatus.Of(path).Identity.Inode;
            return true;
        }
        catch (FileCallException)
        {
            number = 0;
            return false;
        }
    }
}
