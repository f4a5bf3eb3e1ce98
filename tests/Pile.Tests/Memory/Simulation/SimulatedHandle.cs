using System;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Tests.Memory.Simulation;

/// <summary>An open simulated file. Everything but closing and unmapping is a call that can fail.</summary>
internal sealed class SimulatedHandle(SimulatedFiles files, SimulatedFile file, string path, bool readOnly) : StoreFile(path)
{
    private int _locks;
    private bool _isClosed;

    /// <summary>An open handle, counted.</summary>
    internal static SimulatedHandle Open(SimulatedFiles files, SimulatedFile file, string path, bool readOnly)
    {
        files.OpenHandles++;
        return new SimulatedHandle(files, file, path, readOnly);
    }

    internal override long Bytes => file.Bytes;

    internal override long TakenBytes
    {
        get
        {
            lock (files.Gate)
            {
                return (long)file.AllocatedPages * Limits.OsPageBytes;
            }
        }
    }

    internal override FileIdentity Identity => new(files.Device, file.Inode);

    internal override void SetBytes(long bytes)
    {
        lock (files.Gate)
        {
            Store("ftruncate");
            file.Live(Path).File.SetBytes(bytes);
        }
    }

    internal override bool TryAllocate(long offset, long bytes)
    {
        lock (files.Gate)
        {
            try
            {
                Store("fallocate");
                files.Take(file, offset, bytes, "fallocate", Path);
            }
            catch (FileCallException failure) when (failure.Failure == FileFailure.NoSpace)
            {
                return false;
            }

            if (offset + bytes > Bytes)
            {
                file.Live(Path).File.SetBytes(offset + bytes);
            }

            return true;
        }
    }

    internal override bool TryPunch(long offset, long bytes)
    {
        lock (files.Gate)
        {
            Store("punch");
            file.Release(offset, bytes);
            return file.Live(Path).File.TryPunch(offset, bytes);
        }
    }

    internal override void Map(nint address, long offset, long bytes, bool writable)
    {
        lock (files.Gate)
        {
            Enter("mmap", stores: writable);
            file.Live(Path).File.Map(address, offset, bytes, writable);
        }
    }

    internal override void Detach(nint address, long bytes) => files.AtCall?.Invoke($"madvise {Path}");

    internal override void Unmap(nint address, long bytes) => file.Live(Path).File.Unmap(address, bytes);

    internal override void Sync()
    {
        lock (files.Gate)
        {
            try
            {
                Store("fdatasync");
                if (file.TakeLoss())
                {
                    throw new FileCallException("fdatasync", Path, "pages were not written back before", FileFailure.Other);
                }
            }
            catch (FileCallException)
            {
                file.FailSync();
                throw;
            }

            file.Sync();
        }
    }

    internal override void RequireWritten()
    {
        lock (files.Gate)
        {
            if (file.TakeLoss())
            {
                throw new FileCallException(FileCallException.Writeback, Path, "the test wants it so", FileFailure.Other);
            }
        }
    }

    internal override void Read(long offset, Span<byte> target)
    {
        lock (files.Gate)
        {
            Enter("pread", stores: false);
            file.Live(Path).File.Read(offset, target);
        }
    }

    internal override void Write(long offset, ReadOnlySpan<byte> source)
    {
        lock (files.Gate)
        {
            Store("pwrite");
            files.Take(file, offset, source.Length, "pwrite", Path);
            file.Live(Path).File.Write(offset, source);
            file.Wrote(offset, source.Length);
        }
    }

    internal override bool TryLockApart(bool shared) => TryLock(shared);

    internal override bool TryLock(bool shared)
    {
        lock (files.Gate)
        {
            Enter("flock", stores: false);
            if (shared ? file.Lockers < 0 : file.Lockers != 0)
            {
                return false;
            }

            _locks = shared ? 1 : -1;
            file.Lockers += _locks;
            return true;
        }
    }

    public override void Dispose()
    {
        lock (files.Gate)
        {
            // A killed process has given up its locks already.
            if (!_isClosed && !files.IsKilled)
            {
                file.Lockers -= _locks;
            }

            files.OpenHandles -= _isClosed ? 0 : 1;
            _isClosed = true;
        }
    }

    private void Store(string call) => Enter(call, stores: true);

    private void Enter(string call, bool stores)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        files.Enter(call, Path);
        if (stores && readOnly)
        {
            throw new FileCallException(call, Path, "it was opened for reading", FileFailure.Denied);
        }
    }
}
