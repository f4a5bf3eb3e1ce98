using System;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.Soak;

/// <summary>Resident memory of this process.</summary>
internal static class ProcessMemory
{
    /// <summary>Resident bytes after a collection, so that garbage of the scenario itself does not count.</summary>
    internal static long SettledBytes()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        return ResidentBytes();
    }

    /// <summary>Resident bytes now. Anonymous pages alone where the system tells: a library's code is not the pile's.</summary>
    internal static long ResidentBytes()
    {
        const string Status = "/proc/self/status";
        string? line = OperatingSystem.IsLinux()
            ? File.ReadLines(Status).FirstOrDefault(static text => text.StartsWith("RssAnon:", StringComparison.Ordinal))
            : null;
        return line is null
            ? Environment.WorkingSet
            : long.Parse(line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * 1024;
    }
}
