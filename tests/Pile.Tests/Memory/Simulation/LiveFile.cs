using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Tests.Memory.Simulation;

/// <summary>What a simulated file holds now: an unnamed file in memory (memfd_create(2)), so that reads, writes and mappings agree
/// as they do on a device, and stretches never touched cost nothing.</summary>
internal sealed partial class LiveFile : IDisposable
{
    private const uint CloseOnExec = 1;
    private const int SeekData = 3;
    private const int SeekHole = 4;
    private readonly SafeFileHandle _handle;

    // SAFETY: takes a handle from the operating system and a name by copy.
    internal LiveFile(string path)
    {
        _handle = CreateUnnamed("pile", CloseOnExec);
        if (_handle.IsInvalid)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError(), "memfd_create failed.");
        }

        File = new LinuxFile(path, _handle);
    }

    /// <summary>The file, by the shipped code.</summary>
    internal LinuxFile File { get; }

    /// <summary>Pages that may hold something; all others read as zero.</summary>
    internal IEnumerable<long> Pages()
    {
        long end = File.Bytes;
        for (nint start = Seek(_handle, 0, SeekData); start >= 0 && start < end;)
        {
            nint hole = Seek(_handle, start, SeekHole);
            for (long page = start / Limits.OsPageBytes; page * Limits.OsPageBytes < hole; page++)
            {
                yield return page;
            }

            start = Seek(_handle, hole, SeekData);
        }
    }

    /// <summary>Reads a page; what lies behind the end reads as zero.</summary>
    /// <param name="page">Its number.</param>
    /// <param name="end">The file's length, which is a call of the system: asked once for many pages.</param>
    /// <param name="target">A page long.</param>
    internal void ReadPage(long page, long end, Span<byte> target)
    {
        long start = page * Limits.OsPageBytes;
        int there = (int)long.Clamp(end - start, 0, Limits.OsPageBytes);
        File.Read(start, target[..there]);
        target[there..].Clear();
    }

    public void Dispose() => File.Dispose();

    // SAFETY: the name is a copy that the generated code owns.
    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle CreateUnnamed(string name, uint flags);

    // SAFETY: numbers only; the generated code keeps the handle open for the call.
    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    private static partial nint Seek(SafeFileHandle file, nint offset, int whence);
}
