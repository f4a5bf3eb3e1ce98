// A parker on a futex (futex(2)): to wake a thread is one call of the kernel, and a wait may be shorter than a millisecond.
// Deviation from the portable form: an interrupt of the thread is not even seen while it waits.
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Memory;

/// <summary>The Linux implementation.</summary>
// SAFETY: the only address handed out is that of the one word of _permit, which is pinned and lives as long as this object; every
// call that gives it to the kernel is made by a method of this object, which its caller holds. The kernel keeps nothing.
internal sealed unsafe partial class LinuxParker : Parker
{
    private const int WaitPrivate = 128;
    private const int WakePrivate = 129;

    // Pinned: the kernel knows the word by its address.
    private readonly int[] _permit = GC.AllocateArray<int>(1, pinned: true);

    private static nint CallNumber => RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 202 : 98;

    internal override bool Park(TimeSpan wait)
    {
        // SAFETY: the word as above; the time is on this frame while the call lasts. The kernel sleeps only if the word is still 0, so
        // that no permit is missed; why it returns does not matter, the loop looks again.
        long begun = TimeProvider.System.GetTimestamp();
        while (Interlocked.Exchange(ref _permit[0], 0) == 0)
        {
            TimeSpan left = Left(wait, begun);
            if (left == TimeSpan.Zero)
            {
                return false;
            }

            var time = new Time((long)left.TotalSeconds, left.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick);
            _ = Futex(CallNumber, Word, WaitPrivate, 0, left == Timeout.InfiniteTimeSpan ? null : &time);
        }

        return true;
    }

    internal override void Unpark()
    {
        // SAFETY: the word as above; one thread at the most waits there.
        if (Interlocked.Exchange(ref _permit[0], 1) == 0)
        {
            _ = Futex(CallNumber, Word, WakePrivate, 1, null);
        }
    }

    // SAFETY: pinned, one word long.
    private int* Word => (int*)Marshal.UnsafeAddrOfPinnedArrayElement(_permit, 0);

    // SAFETY: syscall(2) takes the address of a pinned word and of a time on the stack, and keeps neither.
    [LibraryImport("libc", EntryPoint = "syscall")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Futex(nint number, int* word, int operation, int value, Time* time);

    /// <summary>struct timespec of 64-bit systems.</summary>
    private readonly record struct Time(long Seconds, long Nanoseconds);
}
