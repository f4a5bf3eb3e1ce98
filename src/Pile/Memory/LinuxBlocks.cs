// Blocks that a file shares with a copy of it, on file systems that copy on write (XFS and Btrfs: cp makes such copies by itself, and so do snapshots), and how a file keeps its
// own. A store through a mapping into a shared block needs a new one; on a full device that is a signal, and ends the process, whatever space the file has taken. By
// ioctl(2): FS_IOC_FIEMAP (Documentation/filesystems/fiemap.rst of the kernel) and FS_IOC_SETFLAGS.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>Shared blocks of files. Thread-safe.</summary>
// SAFETY: the calls get the address of a local of the size that they say, for themselves alone.
internal static unsafe partial class LinuxBlocks
{
    private const nuint GetFlags = 0x80086601;
    private const nuint SetFlags = 0x40086602;
    private const nuint GetExtents = 0xC020660B;
    private const int StoresInPlace = 0x0080_0000;
    private const int Compressed = 0x404; // or never to be
    private const uint IsLast = 0x1;
    private const uint IsShared = 0x2000;
    private const long Btrfs = 0x9123_683E;
    private const long Overlay = 0x794C_7630;
    private const long Ext = 0xEF53;
    private const long Memory = 0x0102_1994;

    /// <summary>Has a new, empty file stored into in place, where the file system would copy each block first (Btrfs). Others have no such wish, and refuse it.</summary>
    internal static void KeepInPlace(SafeFileHandle file)
    {
        // SAFETY: see the type.
        int flags = 0;
        if (ControlFlags(file, GetFlags, ref flags) != 0 || (flags & StoresInPlace) != 0)
        {
            return;
        }

        if ((flags & Compressed) != 0)
        {
            // As a directory wishes it: a file that is, or was a moment ago, takes no such mark.
            flags &= ~Compressed;
            _ = ControlFlags(file, SetFlags, ref flags);
        }

        flags |= StoresInPlace;
        _ = ControlFlags(file, SetFlags, ref flags);
    }

    /// <summary>Whether each block of a file is copied when it is stored into, though nobody shares it: by Btrfs, where the file was not marked while it was empty. An overlay
    /// (the file system of containers) does not say what it stands on, but others than Btrfs refuse the mark, which that takes of a file with something in it for nothing. False
    /// for who does not own the file: it could not be made anew as its owner's.</summary>
    internal static bool IsCopied(SafeFileHandle file)
    {
        // SAFETY: see the type.
        int flags = 0;
        if (TypeOf(file) is not (Btrfs or Overlay) || ControlFlags(file, GetFlags, ref flags) != 0 || (flags & StoresInPlace) != 0)
        {
            return false;
        }

        flags = (flags | StoresInPlace) & ~Compressed;
        return ControlFlags(file, SetFlags, ref flags) == 0 && ControlFlags(file, GetFlags, ref flags) == 0 && (flags & StoresInPlace) == 0;
    }

    /// <summary>Whether a file's blocks may be shared, by what it stands on: all that is not known to have no such blocks, an overlay too.</summary>
    internal static bool MayBeShared(SafeFileHandle file) => TypeOf(file) is not (Ext or Memory);

    /// <summary>Whether a file is one of layers (overlayfs, the file system of containers), whose pages are those of a file below.</summary>
    internal static bool IsLayered(SafeFileHandle file) => TypeOf(file) == Overlay;

    /// <summary>Whether a file or directory stands on Btrfs itself, not on layers over it.</summary>
    internal static bool IsBtrfs(SafeFileHandle file) => TypeOf(file) == Btrfs;

    /// <summary>The first stretch of a file that is shared, from an offset on.</summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where the search begins.</param>
    /// <param name="end">Where it ends.</param>
    /// <param name="next">Where what is found ends; where nothing is, <paramref name="end"/>.</param>
    /// <returns>Where it begins, or <paramref name="end"/>.</returns>
    internal static long FirstShared(SafeFileHandle file, long offset, long end, out long next)
    {
        // SAFETY: see the type.
        Extents found = default;
        bool isLast = false;
        while (offset < end && !isLast)
        {
            found.Start = (ulong)offset;
            found.Length = (ulong)(end - offset);
            found.Room = Extents.RoomMax;
            if (ControlExtents(file, GetExtents, ref found) != 0 || found.Count == 0)
            {
                break;
            }

            foreach (ref readonly Extent extent in found.Rows[..(int)uint.Min(found.Count, Extents.RoomMax)])
            {
                long first = long.Max((long)extent.Start, offset);
                long stop = long.Min((long)(extent.Start + extent.Length), end);
                if ((extent.Flags & IsShared) != 0 && first < stop)
                {
                    next = stop;
                    return first;
                }

                offset = long.Max(offset, stop);
                isLast |= (extent.Flags & IsLast) != 0;
            }
        }

        next = end;
        return end;
    }

    private static long TypeOf(SafeFileHandle file)
    {
        // SAFETY: see the type.
        FileSystem system = default;
        return StatusOf(file, ref system) == 0 ? system.Type : 0;
    }

    // SAFETY: see the type.
    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int ControlFlags(SafeFileHandle file, nuint request, ref int flags);

    // SAFETY: see the type.
    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int ControlExtents(SafeFileHandle file, nuint request, ref Extents extents);

    // SAFETY: see the type; the structure has more room than the kernel's statfs of 64-bit systems.
    [LibraryImport("libc", EntryPoint = "fstatfs")]
    private static partial int StatusOf(SafeFileHandle file, ref FileSystem system);

    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct FileSystem
    {
        [FieldOffset(0)]
        internal long Type;
    }

    /// <summary>The kernel's fiemap_extent.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 56)]
    private struct Extent
    {
        [FieldOffset(0)]
        internal ulong Start;

        [FieldOffset(16)]
        internal ulong Length;

        [FieldOffset(40)]
        internal uint Flags;
    }

    /// <summary>The kernel's fiemap, with room for some extents.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 32 + (56 * RoomMax))]
    private struct Extents
    {
        internal const int RoomMax = 64;

        [FieldOffset(0)]
        internal ulong Start;

        [FieldOffset(8)]
        internal ulong Length;

        [FieldOffset(20)]
        internal uint Count;

        [FieldOffset(24)]
        internal uint Room;

        [FieldOffset(32)]
        private Extent _first;

        // SAFETY: the structure is a local of the caller's, and as long as RoomMax rows.
        [UnscopedRef]
        internal Span<Extent> Rows => MemoryMarshal.CreateSpan(ref _first, RoomMax);
    }
}
