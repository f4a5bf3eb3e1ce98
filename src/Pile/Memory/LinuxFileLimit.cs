// The longest file that the process may make: RLIMIT_FSIZE of getrlimit(2), which is ulimit -f of shells and LimitFSIZE of systemd. A call that
// makes a file longer than that raises SIGXFSZ, which ends the process, with whatever else it does; so it is asked for before.
// Stores through mappings know no such limit. Calls that write do, behind it, in a file that is longer already too.
using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pile.Memory;

/// <summary>The limit of the length of files.</summary>
internal static partial class LinuxFileLimit
{
    private const int FileSize = 1;

    /// <summary>Whether an open file may be so long. What it has already is no matter.</summary>
    internal static bool Allows(long bytes, SafeFileHandle file, string path) => (ulong)bytes <= Bytes() || bytes <= LinuxStatus.Of(file, path).Bytes;

    /// <summary>As <see cref="Allows"/>, and throws where it may not.</summary>
    internal static void Require(long bytes, SafeFileHandle file, string call, string path)
    {
        if (!Allows(bytes, file, path))
        {
            throw TooLong(bytes, call, path);
        }
    }

    /// <summary>Throws where a call may not write up to there, however long the file is.</summary>
    internal static void RequireWritable(long end, string path)
    {
        if ((ulong)end > Bytes())
        {
            throw TooLong(end, "pwrite", path);
        }
    }

    private static FileCallException TooLong(long bytes, string call, string path) =>
        new(call, path, string.Create(CultureInfo.InvariantCulture, $"{bytes:N0} bytes are more than the {Bytes():N0} that the process may give a file"), FileFailure.TooLong);

    // SAFETY: writes into the pair that it is given, and keeps nothing.
    private static ulong Bytes() => OfProcess(FileSize, out Pair limit) < 0 ? ulong.MaxValue : limit.Now;

    // SAFETY: as said above; the structure is the kernel's rlimit of 64-bit systems.
    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int OfProcess(int resource, out Pair limit);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Pair(ulong Now, ulong Most);
}
