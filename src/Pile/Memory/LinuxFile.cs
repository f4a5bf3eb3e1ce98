// An open file by pread(2), pwrite(2), ftruncate(2), fallocate(2), mmap(2), fdatasync(2) and flock(2).
// fdatasync covers what was stored through mappings as well: msync(2) only asks, where layers lie over the file. What a flush calls
// allocates nothing: a moment without memory is no failure of the device, and one of the device is told without memory too.
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>The Linux implementation of an open file.</summary>
// SAFETY: spans are pinned for the one call that gets their address, with their own length; mapped ranges are reserved by the
// callers of StoreFile, who hold them until they unmap them.
internal sealed unsafe partial class LinuxFile(string path, SafeFileHandle file) : StoreFile(path)
{
    private const int KeepSize = 0x1;
    private const int PunchHole = 0x2;
    private const int ProtNone = 0;
    private const int ProtRead = 1;
    private const int ProtWrite = 2;
    private const int MapShared = 0x01;
    private const int MapPrivate = 0x02;
    private const int MapFixed = 0x10;
    private const int MapAnonymous = 0x20;
    private const int MapNoReserve = 0x4000;
    private const nint MapFailed = -1;
    private const int AdviseWillNeed = 3;
    private const int AdviseDontNeed = 4;
    private const int AdviseNoHugePage = 15;
    private const int AdviseRandom = 1;
    private const int AdviseSequential = 2;
    private const int LockShared = 1;
    private const int LockExclusive = 2;
    private const int LockNoWait = 4;
    private const int LockRelease = 8;
    private const int SetRangeLock = 37;
    private const short RangeRead = 0;
    private const short RangeWrite = 1;
    private const short RangeRelease = 2;

    private const int OwnedBytes = 1 << 20;
    private const int AskedBytes = 4096;
    private const int SyncNow = 4;
    private const uint SyncAll = 7;
    private const uint SyncWaitBefore = 1;
    private static readonly nint _behindAll = nint.MaxValue >> 3;

    private readonly bool _isLayered = LinuxBlocks.IsLayered(file);
    // Made beforehand: the system tells of a loss once.
    private readonly FileCallException _loss = new("fdatasync", path, "the system could not write what was stored, and the process has no memory to say why", FileFailure.Other);
    private bool _mayShareBlocks = LinuxBlocks.MayBeShared(file);
    private int _toldOf;
    private bool _isLocked;
    private bool _isLockedApart;
    private FileIdentity _identity;
    private bool _isIdentified;

    internal override long Bytes => LinuxStatus.Of(file, Path).Bytes;

    internal override long TakenBytes => LinuxStatus.Of(file, Path).TakenBytes;

    // Of an open file it never changes: asked for once, where an open compares those of all files several times.
    internal override FileIdentity Identity
    {
        get
        {
            // Any thread: all store the same; the release of the flag brings the identity to who acquires it.
            if (!Volatile.Read(ref _isIdentified))
            {
                _identity = LinuxStatus.Of(file, Path).Identity;
                Volatile.Write(ref _isIdentified, true);
            }

            return _identity;
        }
    }

    internal override void SetBytes(long bytes)
    {
        LinuxFileLimit.Require(bytes, file, "ftruncate", Path);
        LinuxErrors.Check(() => Truncate(file, (nint)bytes), "ftruncate", Path);
    }

    internal override bool TryAllocate(long offset, long bytes) =>
        LinuxFileLimit.Allows(offset + bytes, file, Path) && LinuxErrors.Try(() => Allocate(file, 0, (nint)offset, (nint)bytes)) switch
        {
            0 => true,
            LinuxErrors.NoSpace or LinuxErrors.QuotaExceeded => false,
            LinuxErrors.NotSupported or LinuxErrors.NoSuchCall => TryFill(offset, bytes),
            int error => throw LinuxErrors.Failure(error, "fallocate", Path),
        };

    internal override bool TryPunch(long offset, long bytes) =>
        LinuxErrors.Try(() => Allocate(file, PunchHole | KeepSize, (nint)offset, (nint)bytes)) switch
        {
            0 => true,
            // A hole may need a block of its own to be noted in: a full device keeps what is there.
            LinuxErrors.NotSupported or LinuxErrors.NoSuchCall or LinuxErrors.NoSpace or LinuxErrors.QuotaExceeded => false,
            int error => throw LinuxErrors.Failure(error, "fallocate", Path),
        };

    internal override void Map(nint address, long offset, long bytes, bool writable)
    {
        if (writable && _mayShareBlocks)
        {
            // Once, and all of them: later others store there, and the system's pages may reach over what is mapped.
            _mayShareBlocks = false;
            OwnBlocks(Bytes);
        }

        // SAFETY: see the type.
        if (MapFile(address, (nuint)bytes, writable ? ProtRead | ProtWrite : ProtRead, MapShared | MapFixed, file, (nint)offset) == MapFailed)
        {
            throw MapFailure();
        }
    }

    internal override void Unmap(nint address, long bytes)
    {
        // SAFETY: see the type.
        if (MapNothing(address, (nuint)bytes, ProtNone, MapPrivate | MapAnonymous | MapNoReserve | MapFixed, -1, 0) == MapFailed)
        {
            throw MapFailure();
        }
    }

    internal override void Detach(nint address, long bytes) => _ = Advise(address, (nuint)bytes, AdviseDontNeed);

    internal override void ReadSmall(nint address, long bytes, bool isAhead)
    {
        // The file's own wish makes small pages of what is read ahead, too.
        _ = Advise(address, (nuint)bytes, isAhead ? AdviseSequential : AdviseRandom);
        _ = AdviseFile(file, 0, 0, AdviseRandom);
    }

    internal override void AvoidHugePages(nint address, long bytes) => _ = Advise(address, (nuint)bytes, AdviseNoHugePage);

    internal override void ReadAhead(nint address, long bytes) => _ = Advise(address, (nuint)bytes, AdviseWillNeed);

    internal override void Sync()
    {
        int error = LinuxErrors.Interrupted;
        while (error == LinuxErrors.Interrupted)
        {
            error = LinuxErrors.Of(SyncData(file));
        }

        if (error != 0)
        {
            throw Loss(error, "fdatasync");
        }
    }

    internal override bool IsAskedDearly => _isLayered;

    // Waits for no page, for there is none so far behind, and answers with what befell any page of the file since the last answer.
    internal override void RequireWritten()
    {
        int error = Interlocked.Exchange(ref _toldOf, 0) is not 0 and int told ? told : Ask();
        if (LinuxErrors.IsLoss(error))
        {
            throw Loss(error, FileCallException.Writeback);
        }
    }

    private FileCallException Loss(int error, string call)
    {
        try
        {
            return LinuxErrors.Failure(error, call, Path);
        }
        catch (OutOfMemoryException)
        {
            return _loss;
        }
    }

    private int Ask()
    {
        int error = LinuxErrors.Interrupted;
        while (error == LinuxErrors.Interrupted)
        {
            error = _isLayered ? AskBelow() : LinuxErrors.Of(SyncStretch(file, _behindAll, 1, SyncWaitBefore));
        }

        return error;
    }

    internal override void Read(long offset, Span<byte> target)
    {
        // SAFETY: see the type.
        while (target.Length > 0)
        {
            nint read;
            fixed (byte* start = target)
            {
                read = ReadAt(file, start, (nuint)target.Length, (nint)offset);
            }

            if (read == 0)
            {
                throw new EndOfStreamException($"'{Path}' ends before byte {offset + target.Length}.");
            }

            int done = Done(read, "pread");
            target = target[done..];
            offset += done;
        }
    }

    internal override void Write(long offset, ReadOnlySpan<byte> source)
    {
        // SAFETY: see the type.
        LinuxFileLimit.RequireWritable(offset + source.Length, Path);
        while (source.Length > 0)
        {
            nint written;
            fixed (byte* start = source)
            {
                written = WriteAt(file, start, (nuint)source.Length, (nint)offset);
            }

            int done = Done(written, "pwrite");
            source = source[done..];
            offset += done;
        }
    }

    internal override bool TryLock(bool shared)
    {
        int error = LinuxErrors.Try(() => LockFile(file, (shared ? LockShared : LockExclusive) | LockNoWait));
        _isLocked |= error == 0;
        return error is 0 or LinuxErrors.WouldBlock ? error == 0 : throw LinuxErrors.Failure(error, "flock", Path);
    }

    internal override bool TryLockApart(bool shared)
    {
        int error = SetRange(shared ? RangeRead : RangeWrite);
        _isLockedApart |= error == 0;
        return error switch
        {
            0 or LinuxErrors.InvalidArgument or LinuxErrors.NoLocks or LinuxErrors.NoSuchCall or LinuxErrors.NotSupported => true,
            LinuxErrors.WouldBlock or LinuxErrors.AccessDenied => false,
            _ => throw LinuxErrors.Failure(error, "fcntl", Path),
        };
    }

    /// <summary>Writes what stands in shared blocks where it stands, and to the device, so that the file has blocks of its own there: the system promises some before, and
    /// may not keep it when the device is full.</summary>
    private void OwnBlocks(long end)
    {
        byte[]? piece = null;
        try
        {
            for (long at = LinuxBlocks.FirstShared(file, 0, end, out long stop); at < end; at = LinuxBlocks.FirstShared(file, stop, end, out stop))
            {
                if (piece is null && Ask() is not 0 and int error && LinuxErrors.IsLoss(error))
                {
                    // The syncs below would be told, and nobody is told twice: it is kept for who asks.
                    Volatile.Write(ref _toldOf, error);
                }

                piece ??= new byte[OwnedBytes];
                for (; at < stop; at += piece.Length)
                {
                    long first = at;
                    int bytes = (int)long.Min(piece.Length, stop - at);
                    Read(at, piece.AsSpan(0, bytes));
                    Write(at, piece.AsSpan(0, bytes));
                    LinuxErrors.Check(() => SyncStretch(file, (nint)first, bytes, SyncAll), "sync_file_range", Path);
                }
            }
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.NoSpace)
        {
            throw new FileCallException(
                "pwrite", Path, "it shares blocks with a copy (cp without --reflink=never, or a snapshot), and the device has no room for its own. Free some, or remove the copy", FileFailure.NoSpace);
        }
    }

    public override void Dispose()
    {
        // Given up by name: a child process between fork and exec may have the file open a moment longer.
        if (_isLocked && !file.IsClosed)
        {
            _ = LinuxErrors.Try(() => LockFile(file, LockRelease));
        }

        if (_isLockedApart && !file.IsClosed)
        {
            _ = SetRange(RangeRelease);
        }

        file.Dispose();
    }

    /// <summary>Asks the file below the layers, which alone has pages: a mapping is of it, and a sync of one page of that, seldom stored into, answers for all.</summary>
    private int AskBelow()
    {
        // SAFETY: a range of its own, which nobody reads, and which is given back here.
        nint address = MapFile(0, AskedBytes, ProtRead, MapShared, file, 0);
        if (address == MapFailed)
        {
            // No room for a mapping: nobody can be asked.
            return 0;
        }

        int error = LinuxErrors.Of(SyncMapped(address, AskedBytes, SyncNow));
        _ = UnmapAt(address, AskedBytes);
        return error;
    }

    /// <summary>Sets or gives up the lock of the opened file (not of the process) on all its bytes.</summary>
    private int SetRange(short type)
    {
        var range = new RangeLock { Type = type };
        return LinuxErrors.Try(() => ControlFile(file, SetRangeLock, range));
    }

    // SAFETY: reads only the error number that the call before has left.
    private int Done(nint bytes, string call)
    {
        int error = bytes < 0 ? Marshal.GetLastPInvokeError() : 0;
        return error is 0 or LinuxErrors.Interrupted ? int.Max((int)bytes, 0) : throw LinuxErrors.Failure(error, call, Path);
    }

    // SAFETY: reads only the error number that the call before has left.
    private FileCallException MapFailure()
    {
        int error = Marshal.GetLastPInvokeError();
        return error == LinuxErrors.OutOfMemory
            ? new FileCallException("mmap", Path, $"the process has no room for another mapping; check vm.max_map_count and ulimit -v (errno {error})", FileFailure.Other)
            : LinuxErrors.Failure(error, "mmap", Path);
    }

    // SAFETY: the imports take handles that the generated code keeps open for the call, numbers, and addresses as said above.
    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int Truncate(SafeFileHandle file, nint bytes);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    private static partial int Allocate(SafeFileHandle file, int mode, nint offset, nint bytes);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int SyncData(SafeFileHandle file);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    private static partial int SyncStretch(SafeFileHandle file, nint offset, nint bytes, uint flags);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "msync", SetLastError = true)]
    private static partial int SyncMapped(nint address, nuint bytes, int flags);

    // SAFETY: as for the import above; of a range that nobody else has.
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int UnmapAt(nint address, nuint bytes);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int LockFile(SafeFileHandle file, int operation);

    // SAFETY: as for the import above; the structure is the kernel's flock of 64-bit systems, and is read alone.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int ControlFile(SafeFileHandle file, int command, in RangeLock range);

    // SAFETY: as for the import above; in a shared mapping of a file the advice loses nothing.
    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Advise(nint address, nuint bytes, int advice);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int AdviseFile(SafeFileHandle file, nint offset, nint bytes, int advice);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "pread", SetLastError = true)]
    private static partial nint ReadAt(SafeFileHandle file, byte* target, nuint bytes, nint offset);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "pwrite", SetLastError = true)]
    private static partial nint WriteAt(SafeFileHandle file, byte* source, nuint bytes, nint offset);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint MapFile(nint address, nuint bytes, int protection, int flags, SafeFileHandle file, nint offset);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint MapNothing(nint address, nuint bytes, int protection, int flags, int file, nint offset);

    /// <summary>The kernel's flock: from the beginning of the file to its end, whatever comes.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 32)]
    private struct RangeLock
    {
        [FieldOffset(0)]
        internal short Type;
    }
}
