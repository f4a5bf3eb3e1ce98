// A parker on a futex (futex(2)): to wake a thread is one call of the kernel, and a wait may be shorter than a millisecond.
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Memory;

/// <summary>The Linux implementation.</summary>
internal sealed unsafe partial class LinuxParker : Parker
{
    private const int WaitPrivate = 128;
    private const int WakePrivate = 129;

    // Pinned: the kernel knows the word by its address.
    private readonly int[] _permit = GC.AllocateArray<int>(1, pinned: true);

    private static nint CallNumber => RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 202 : 98;

    internal override bool Park(TimeSpan wait)
    {
        long begun = TimeProvider.System.GetTimestamp();
        while (Interlocked.Exchange(ref _permit[0], 0) == 0)
        {
            TimeSpan left = Left(wait, begun);
            if (left == TimeSpan.Zero)
            {
                return false;
            }

            var time = new Time((long)left.TotalSeconds, left.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick);

            // SAFETY: the word is pinned and lives as long as this object, which the caller holds; the time is on this frame. The kernel
            // sleeps only if the word is still 0, so that no permit is missed; why it returns does not matter, the loop looks again.
            _ = Futex(CallNumber, Word, WaitPrivate, 0, left == Timeout.InfiniteTimeSpan ? null : &time);
        }

        return true;
    }

    internal override void Unpark()
    {
        if (Interlocked.Exchange(ref _permit[0], 1) == 0)
        {
            // SAFETY: as above; one thread at the most waits there.
            _ = Futex(CallNumber, Word, WakePrivate, 1, null);
        }
    }

    private int* Word => (int*)Marshal.UnsafeAddrOfPinnedArrayElement(_permit, 0);

    // SAFETY: syscall(2) takes the address of a pinned word and of a time on the stack, and keeps neither.
    [LibraryImport("libc", EntryPoint = "syscall")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Futex(nint number, int* word, int operation, int value, Time* time);

    /// <summary>struct timespec of 64-bit systems.</summary>
    private readonly record struct Time(long Seconds, long Nanoseconds);
}
