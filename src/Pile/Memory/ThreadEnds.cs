// Marks the end of a thread by a count that grows: a thread-specific datum (pthread_key_create(3)) whose destructor is the
// C library's own sem_post(3). It runs on the ending thread, after the runtime has let go of it and before its stack is
// anyone else's, and no managed code has to run there. A semaphore that nobody waits for is a count, and the count's lowest bit a mark.
using System;
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>Watches threads end. Linux only; elsewhere no thread can be watched.</summary>
// SAFETY: the functions are called only where they were found; the callers keep the watched bytes for the
// life of the process (ThreadLines).
internal static unsafe class ThreadEnds
{
    // SAFETY: the three symbols have these signatures in every C library that exports them (POSIX.1-2008).
    private static readonly delegate* unmanaged<uint, nint, int> _setSpecific = Symbol("pthread_setspecific") is var found && found != 0
        ? (delegate* unmanaged<uint, nint, int>)found
        : null;

    private static readonly uint _key = MakeKey(out _supported);
    private static readonly bool _supported;

    /// <summary>Whether threads can be watched here at all.</summary>
    internal static bool AreWatched => _supported;

    /// <summary>Lets the word at an address grow by one when the calling thread ends.</summary>
    /// <param name="semaphore">32 bytes that last as long as the process. The lower half of the first word is what the C library takes for the semaphore's
    /// count, which it raises unless all bits but the highest are set; the upper half for the number of those who wait, for whom it calls the kernel
    /// in vain; glibc and musl alike. The eight bytes after it must be zero.</param>
    /// <returns>False when threads can't be watched here, or this one can't.</returns>
    internal static bool TryWatch(nint semaphore) => _supported && _setSpecific(_key, semaphore) == 0; // SAFETY: see the type.

    private static uint MakeKey(out bool supported)
    {
        // SAFETY: pthread_key_create stores a 4-byte key where it is told; sem_post takes the datum it is given.
        uint key = 0;
        nint create = Symbol("pthread_key_create");
        nint post = Symbol("sem_post");
        supported = create != 0 && post != 0 && _setSpecific != null
            && ((delegate* unmanaged<uint*, nint, int>)create)(&key, post) == 0;
        return key;
    }

    private static nint Symbol(string name) =>
        OperatingSystem.IsLinux() && NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), name, out nint address) ? address : 0;
}
