using System;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Bench.Baselines;

/// <summary>What the runtime does not offer.</summary>
// SAFETY: only passes on what its callers own.
internal static unsafe partial class SystemCalls
{
    private const int AdviseHugePages = 14;
    private const int AdviseForget = 4;
    private const int ThreadCpuClock = 3;
    private const long NsPerSecond = 1_000_000_000;

    /// <summary>Asks for huge pages under memory that is not touched yet (Linux).</summary>
    // SAFETY: advice changes no contents; the caller owns the bytes.
    internal static bool PreferHugePages(byte* start, long bytes) => Advise(start, (nuint)bytes, AdviseHugePages) == 0;

    /// <summary>Nanoseconds that the processor gave the calling thread, or null where that is not known (Linux only).</summary>
    // SAFETY: the kernel writes two words to the local.
    internal static double? ThreadCpuNs()
    {
        TimeSpec time = default;
        return OperatingSystem.IsLinux() && ClockGetTime(ThreadCpuClock, &time) == 0 ? (time.Seconds * NsPerSecond) + time.Nanoseconds : null;
    }

    // SAFETY: clock_gettime(2); the caller above passes a local.
    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, TimeSpec* time);

    // SAFETY: madvise(2); the caller above passes its own memory.
    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Advise(void* start, nuint bytes, int advice);

    /// <summary>Returns when the system has written what it holds of all files.</summary>
    [LibraryImport("libc", EntryPoint = "sync")]
    // SAFETY: sync(2) takes and returns nothing.
    internal static partial void SyncAll();

    /// <summary>Returns when what was written to a file is on its device; false when it failed.</summary>
    // SAFETY: the generated code keeps the handle open for the call.
    internal static bool SyncData(SafeFileHandle file) => SyncFileData(file) == 0;

    // SAFETY: fdatasync(2); the caller above passes an open handle.
    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int SyncFileData(SafeFileHandle file);

    /// <summary>Has the system drop the pages of a file that are written already (Linux).</summary>
    // SAFETY: the generated code keeps the handle open for the call.
    internal static bool ForgetPages(SafeFileHandle file) => OperatingSystem.IsLinux() && AdviseFile(file, 0, 0, AdviseForget) == 0;

    // SAFETY: posix_fadvise(2); the caller above passes an open handle.
    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int AdviseFile(SafeFileHandle file, long offset, long bytes, int advice);

    private struct TimeSpec
    {
        internal long Seconds;
        internal long Nanoseconds;
    }
}
