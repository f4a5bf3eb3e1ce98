// The quota of a subvolume of Btrfs (the limit of its qgroup, as containers have): statfs(2) knows nothing of it, and of a first store into a page that has its space the file
// system takes metadata from it. Where that is used up the store is a signal, and ends the process. Read from sysfs, which tells everybody; groups above
// the subvolume's own are not looked at. By ioctl(2): BTRFS_IOC_FS_INFO and BTRFS_IOC_INO_LOOKUP.
using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>What a quota allows, and leaves.</summary>
/// <param name="TotalBytes">The limit.</param>
/// <param name="FreeBytes">What is left of it, less what is promised and not written yet.</param>
// SAFETY: the calls get the address of a local of the size that they say, for themselves alone.
internal readonly unsafe partial record struct LinuxQuota(long TotalBytes, long FreeBytes)
{
    private const nuint GetSystem = 0x8400_941F;
    private const nuint GetSubvolume = 0xD000_9412;
    private const ulong FirstObject = 256;
    private const long LimitsReferenced = 0x1;
    private const long LimitsExclusive = 0x2;
    private const string Systems = "/sys/fs/btrfs";

    /// <summary>The quota of the subvolume that an open directory belongs to; null where there is none, or none that can be read.</summary>
    internal static LinuxQuota? Of(SafeFileHandle directory)
    {
        // SAFETY: see the type.
        var asked = new Answer { Second = FirstObject };
        if (Control(directory, GetSubvolume, ref asked) != 0)
        {
            return null;
        }

        ulong subvolume = asked.First;
        if (Control(directory, GetSystem, ref asked) != 0)
        {
            return null;
        }

        string group = Path.Combine(Systems, asked.System.ToString(), "qgroups", string.Create(CultureInfo.InvariantCulture, $"0_{subvolume}"));
        try
        {
            long limits = Directory.Exists(group) ? Read(group, "limit_flags") : 0;
            if ((limits & (LimitsReferenced | LimitsExclusive)) == 0)
            {
                return null;
            }

            long promised = Read(group, "rsv_data") + Read(group, "rsv_meta_pertrans") + Read(group, "rsv_meta_prealloc");
            LinuxQuota? referenced = (limits & LimitsReferenced) != 0 ? Read(group, "max_referenced", "referenced", promised) : null;
            LinuxQuota? exclusive = (limits & LimitsExclusive) != 0 ? Read(group, "max_exclusive", "exclusive", promised) : null;
            return referenced is null || exclusive?.FreeBytes < referenced.Value.FreeBytes ? exclusive : referenced;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or FormatException or OverflowException)
        {
            return null;
        }
    }

    private static LinuxQuota Read(string group, string limit, string used, long promised)
    {
        long total = Read(group, limit);
        return new LinuxQuota(total, long.Max(0, total - Read(group, used) - promised));
    }

    private static long Read(string group, string name) => long.Parse(File.ReadAllText(Path.Combine(group, name)), CultureInfo.InvariantCulture);

    // SAFETY: see the type; both calls write 4096 bytes at the most.
    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int Control(SafeFileHandle file, nuint request, ref Answer answer);

    /// <summary>The kernel's btrfs_ioctl_ino_lookup_args, tree and object first, and in its place btrfs_ioctl_fs_info_args, the identity behind two numbers.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 4096)]
    private struct Answer
    {
        [FieldOffset(0)]
        internal ulong First;

        [FieldOffset(8)]
        internal ulong Second;

        [FieldOffset(16)]
        private fixed byte _system[16];

        // SAFETY: the structure is a local of the caller's.
        internal readonly Guid System
        {
            get
            {
                fixed (byte* system = _system)
                {
                    return new Guid(new ReadOnlySpan<byte>(system, 16), bigEndian: true);
                }
            }
        }
    }
}
