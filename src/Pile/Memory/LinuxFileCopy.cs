// A file made anew in place of itself, where each block of it would be copied when it is stored into (Btrfs): only an empty file can be marked to be written in place, and one that
// another program brought there (cp, rsync, tar, a restore) never was. By lseek(2), so that holes stay holes, fchown(2) and fchmod(2).
using System;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>Copies of files in place of themselves. For who alone has the file.</summary>
// SAFETY: the imports take numbers, and handles that the generated code keeps open for the call.
internal static partial class LinuxFileCopy
{
    /// <summary>What the name of the copy ends with while it is written. One that a kill left is removed by the next.</summary>
    internal const string Suffix = ".inplace";

    private const int Permissions = 0xFFF;
    private const int ToData = 3;
    private const int ToHole = 4;
    private const int PastLastData = 6;
    private const int PieceBytes = 1 << 20;

    /// <summary>Has a path lead to a file of the same bytes, owner and mode that is written in place; at every moment it leads to one of the two, whole. Nothing happens where
    /// the file system marks no new file either, or takes none of this owner and group from this process.</summary>
    /// <param name="files">The files.</param>
    /// <param name="source">The file.</param>
    /// <param name="handle">It by its handle.</param>
    /// <exception cref="FileCallException">A call failed, for want of space for example; the file is as it was.</exception>
    internal static void Replace(LinuxFiles files, LinuxFile source, SafeFileHandle handle)
    {
        string next = source.Path + Suffix;
        Remove(files, next);
        bool isWritten = false;
        try
        {
            isWritten = TryWrite(source, handle, next);
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.NoSpace)
        {
            throw new FileCallException(
                "pwrite",
                source.Path,
                $"another program brought it there, the file system copies each block of it that is stored into, and the device has no room for the {source.TakenBytes:N0} bytes of one that is written in place. Free as many",
                FileFailure.NoSpace);
        }
        finally
        {
            if (!isWritten)
            {
                Remove(files, next);
            }
        }

        if (isWritten)
        {
            files.Rename(next, source.Path);
            files.SyncDirectory(Path.GetDirectoryName(source.Path)!);
        }
    }

    private static void Remove(LinuxFiles files, string path)
    {
        if (files.Exists(path))
        {
            files.Delete(path);
        }
    }

    private static bool TryWrite(LinuxFile source, SafeFileHandle handle, string next)
    {
        using SafeFileHandle made = LinuxFiles.Create(next);
        if (LinuxBlocks.IsCopied(made))
        {
            return false;
        }

        using var target = new LinuxFile(next, made);
        var status = LinuxStatus.Of(handle, source.Path);
        if (LinuxErrors.Try(() => ChangeOwner(made, status.Owner, status.Group)) != 0)
        {
            return false;
        }

        LinuxErrors.Check(() => ChangeMode(made, status.Mode & Permissions), "fchmod", next);
        target.SetBytes(status.Bytes);
        byte[] piece = new byte[PieceBytes];
        long end;
        for (long at = Seek(handle, source.Path, 0, ToData); at < status.Bytes; at = Seek(handle, source.Path, end, ToData))
        {
            end = Seek(handle, source.Path, at, ToHole);
            while (at < end)
            {
                Span<byte> some = piece.AsSpan(0, (int)long.Min(piece.Length, end - at));
                source.Read(at, some);
                target.Write(at, some);
                at += some.Length;
            }
        }

        target.Sync();
        return true;
    }

    /// <summary>Where data, or a hole, begins from an offset on; where there is no data any more, the largest number.</summary>
    private static long Seek(SafeFileHandle file, string path, long offset, int wanted)
    {
        // SAFETY: reads only the error number that the call before has left.
        nint found = Seek(file, (nint)offset, wanted);
        int error = found < 0 ? Marshal.GetLastPInvokeError() : 0;
        return error switch
        {
            0 => found,
            PastLastData => long.MaxValue,
            _ => throw LinuxErrors.Failure(error, "lseek", path),
        };
    }

    // SAFETY: see the type.
    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    private static partial nint Seek(SafeFileHandle file, nint offset, int from);

    // SAFETY: see the type.
    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    private static partial int ChangeMode(SafeFileHandle file, int mode);

    // SAFETY: see the type.
    [LibraryImport("libc", EntryPoint = "fchown", SetLastError = true)]
    private static partial int ChangeOwner(SafeFileHandle file, uint owner, uint group);
}
