// File names and directories by open(2), statx(2), mkdir(2), rename(2), unlink(2), fsync(2). Needs the wrapper of statx:
// glibc 2.28 or musl 1.2.5. Free space and listings come from the framework, which has what is wanted.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Numerics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>The Linux implementation of the seam.</summary>
internal sealed partial class LinuxFiles : FileProvider
{
    private const int OpenReadWrite = 0x2;
    private const int OpenCreate = 0x40;
    private const int OpenExclusive = 0x80;
    private const int OpenCloseOnExec = 0x80000;
    private const int AccessWrite = 0x2;
    private const int AccessSearch = 0x1;
    private const int OwnerFile = 0x180; // rw-------
    private const int OwnerDirectory = 0x1C0; // rwx------
    private const string BootIdPath = "/proc/sys/kernel/random/boot_id";

    internal override Guid BootId { get; } = ReadBootId();

    internal override Guid BootOf(string directory, string extents)
    {
        (ulong mount, ulong other) = (LinuxMounts.Of(directory), LinuxMounts.Of(extents));
        byte[] bytes = BootId.ToByteArray(bigEndian: true);
        Span<byte> last = bytes.AsSpan(sizeof(ulong));
        ulong mixed = BinaryPrimitives.ReadUInt64BigEndian(last) ^ mount ^ (other == mount ? 0 : BitOperations.RotateLeft(other, 32));
        BinaryPrimitives.WriteUInt64BigEndian(last, BootId == Guid.Empty ? 0 : mixed);
        return new Guid(bytes, bigEndian: true);
    }

    internal override void CreateDirectory(string path) => LinuxErrors.Check(() => MakeDirectory(path, OwnerDirectory), "mkdir", path);

    internal override bool Exists(string path)
    {
        try
        {
            _ = LinuxStatus.Of(path);
            return true;
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.Missing)
        {
            return false;
        }
    }

    internal override FileIdentity? IdentityOf(string path) => LinuxStatus.Of(path).Identity;

    internal override IReadOnlyList<string> List(string directory)
    {
        using SafeFileHandle handle = OpenHandle(directory, OpenCloseOnExec);
        if (!LinuxStatus.Of(handle, directory).IsDirectory)
        {
            throw new FileCallException("list", directory, "it is not a directory", FileFailure.WrongKind);
        }

        List<string> names = [];
        try
        {
            foreach (string path in Directory.EnumerateFileSystemEntries(directory))
            {
                names.Add(Path.GetFileName(path));
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new FileCallException("list", directory, failure.Message, failure is IOException ? FileFailure.Other : FileFailure.Denied);
        }

        return names;
    }

    internal override void CheckMayChange(string directory) => LinuxErrors.Check(() => Access(directory, AccessWrite | AccessSearch), "access", directory);

    internal override StoreFile Open(string path, FileOpening opening)
    {
        // Before it is opened: a pipe would let the call wait for ever, and a link would lead out of the directory.
        if (opening != FileOpening.CreateNew && LinuxStatus.Of(path, ofLink: true) is { IsFile: false } status)
        {
            throw new FileCallException("open", path, $"it is {status.Name}, not a file", FileFailure.WrongKind);
        }

        if (opening == FileOpening.CreateNew)
        {
            return new LinuxFile(path, Create(path));
        }

        int flags = OpenCloseOnExec | (opening == FileOpening.ReadOnly ? 0 : OpenReadWrite);
        SafeFileHandle handle = OpenHandle(path, flags);
        if (opening == FileOpening.ToStoreInto && LinuxBlocks.IsCopied(handle))
        {
            using (var file = new LinuxFile(path, handle))
            {
                LinuxFileCopy.Replace(this, file, handle);
            }

            handle = OpenHandle(path, flags);
        }

        return new LinuxFile(path, handle);
    }

    /// <summary>A new file, written in place from its first byte on.</summary>
    internal static SafeFileHandle Create(string path)
    {
        SafeFileHandle handle = OpenHandle(path, OpenCloseOnExec | OpenReadWrite | OpenCreate | OpenExclusive);
        LinuxBlocks.KeepInPlace(handle);
        return handle;
    }

    internal override void Delete(string path) => LinuxErrors.Check(() => Unlink(path), "unlink", path);

    internal override void Rename(string source, string target) => LinuxErrors.Check(() => RenameFile(source, target), "rename", source);

    internal override void SyncDirectory(string directory)
    {
        using SafeFileHandle handle = OpenHandle(directory, OpenCloseOnExec);
        LinuxErrors.Check(() => SyncHandle(handle), "fsync", directory);
    }

    internal override long FreeBytes(string directory) => Math.Min(Ask(directory, static drive => drive.AvailableFreeSpace), QuotaOf(directory)?.FreeBytes ?? long.MaxValue);

    internal override long TotalBytes(string directory) => Math.Min(Ask(directory, static drive => drive.TotalSize), QuotaOf(directory)?.TotalBytes ?? long.MaxValue);

    internal override long? QuotaBytes(string directory) => QuotaOf(directory)?.FreeBytes;

    private static LinuxQuota? QuotaOf(string directory)
    {
        try
        {
            using SafeFileHandle handle = OpenHandle(directory, OpenCloseOnExec);
            return LinuxBlocks.IsBtrfs(handle) ? LinuxQuota.Of(handle) : null;
        }
        catch (FileCallException)
        {
            // A process without a handle left, for example.
            return null;
        }
    }

    private static long Ask(string directory, Func<DriveInfo, long> question)
    {
        try
        {
            return question(new DriveInfo(directory));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new FileCallException("statfs", directory, failure.Message, failure is IOException ? FileFailure.Other : FileFailure.Denied);
        }
    }

    private static SafeFileHandle OpenHandle(string path, int flags)
    {
        while (true)
        {
            SafeFileHandle handle = OpenFile(path, flags, OwnerFile);
            if (!handle.IsInvalid)
            {
                return handle;
            }

            int error = Marshal.GetLastPInvokeError();
            handle.Dispose();
            if (error != LinuxErrors.Interrupted)
            {
                throw LinuxErrors.Failure(error, "open", path);
            }
        }
    }

    private static Guid ReadBootId()
    {
        try
        {
            return Guid.TryParse(File.ReadAllText(BootIdPath).AsSpan().Trim(), out Guid id) ? id : Guid.Empty;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return Guid.Empty;
        }
    }

    // SAFETY: the imports take paths as zero-terminated copies that the generated code owns, and handles that it keeps open
    // for the call; no address of managed memory outlives one.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle OpenFile(string path, int flags, int mode);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeDirectory(string path, int mode);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "access", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Access(string path, int mode);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Unlink(string path);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int RenameFile(string source, string target);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int SyncHandle(SafeFileHandle file);
}
