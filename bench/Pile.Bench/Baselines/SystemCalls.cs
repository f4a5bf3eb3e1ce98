using System.Runtime.InteropServices;

namespace Pile.Bench.Baselines;

/// <summary>What the runtime does not offer.</summary>
// SAFETY: only passes on what its callers own.
internal static unsafe partial class SystemCalls
{
    private const int AdviseHugePages = 14;

    /// <summary>Asks for huge pages under memory that is not touched yet (Linux).</summary>
    // SAFETY: advice changes no contents; the caller owns the bytes.
    internal static bool PreferHugePages(byte* start, long bytes) => Advise(start, (nuint)bytes, AdviseHugePages) == 0;

    // SAFETY: madvise(2); the caller above passes its own memory.
    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Advise(void* start, nuint bytes, int advice);
}
