// What statx(2) says about a file: kind, length, space taken, device and inode, owner. Its structure is the same on every processor, that of stat is not.
// Only the fields that are asked for are read.
using System;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>Status of a file.</summary>
/// <param name="Mode">What it is, and who may do what with it.</param>
/// <param name="Bytes">Length.</param>
/// <param name="TakenBytes">What it takes on the device; less than the length where it is sparse.</param>
/// <param name="Identity">Which file it is.</param>
/// <param name="Owner">User who has it.</param>
/// <param name="Group">Group that has it.</param>
internal readonly partial record struct LinuxStatus(int Mode, long Bytes, long TakenBytes, FileIdentity Identity, uint Owner, uint Group)
{
    private const int WorkingDirectory = -100;
    private const int NotFollowed = 0x100;
    private const int EmptyPath = 0x1000;
    private const uint WantedFields = 0x1 | 0x2 | 0x8 | 0x10 | 0x100 | 0x200 | 0x400; // kind, mode, owner, group, inode, length, blocks
    private const int StructureBytes = 256;
    private const int OwnerOffset = 20;
    private const int GroupOffset = 24;
    private const int ModeOffset = 28;
    private const int InodeOffset = 32;
    private const int LengthOffset = 40;
    private const int BlocksOffset = 48;
    private const int BlockBytes = 512;
    private const int DeviceMajorOffset = 136;
    private const int DeviceMinorOffset = 140;
    private const int KindMask = 0xF000;
    private const int DirectoryKind = 0x4000;
    private const int FileKind = 0x8000;
    private const int LinkKind = 0xA000;

    private int Kind => Mode & KindMask;

    /// <summary>Whether it is a directory.</summary>
    internal bool IsDirectory => Kind == DirectoryKind;

    /// <summary>Whether it is a plain file.</summary>
    internal bool IsFile => Kind == FileKind;

    /// <summary>What it is, in words.</summary>
    internal string Name => Kind switch
    {
        DirectoryKind => "a directory",
        FileKind => "a file",
        LinkKind => "a symbolic link",
        _ => "a device, pipe or socket",
    };

    /// <summary>The status of what a path leads to, or of the symbolic link itself that it ends in.</summary>
    internal static LinuxStatus Of(string path, bool ofLink = false)
    {
        byte[] status = new byte[StructureBytes];
        LinuxErrors.Check(() => OfPath(WorkingDirectory, path, ofLink ? NotFollowed : 0, WantedFields, ref status[0]), "statx", path);
        return Parse(status);
    }

    /// <summary>The status of an open file.</summary>
    internal static LinuxStatus Of(SafeFileHandle file, string path)
    {
        byte[] status = new byte[StructureBytes];
        LinuxErrors.Check(() => OfHandle(file, string.Empty, EmptyPath, WantedFields, ref status[0]), "statx", path);
        return Parse(status);
    }

    private static LinuxStatus Parse(ReadOnlySpan<byte> status)
    {
        ulong major = BinaryPrimitives.ReadUInt32LittleEndian(status[DeviceMajorOffset..]);
        ulong minor = BinaryPrimitives.ReadUInt32LittleEndian(status[DeviceMinorOffset..]);
        return new LinuxStatus(
            BinaryPrimitives.ReadUInt16LittleEndian(status[ModeOffset..]),
            BinaryPrimitives.ReadInt64LittleEndian(status[LengthOffset..]),
            BinaryPrimitives.ReadInt64LittleEndian(status[BlocksOffset..]) * BlockBytes,
            new FileIdentity((major << 32) | minor, BinaryPrimitives.ReadUInt64LittleEndian(status[InodeOffset..])),
            BinaryPrimitives.ReadUInt32LittleEndian(status[OwnerOffset..]),
            BinaryPrimitives.ReadUInt32LittleEndian(status[GroupOffset..]));
    }

    // SAFETY: the structure has 256 bytes, as many as the array whose first byte both callers pass; it stays pinned for the call.
    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OfPath(int directory, string path, int flags, uint fields, ref byte status);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OfHandle(SafeFileHandle file, string path, int flags, uint fields, ref byte status);
}
