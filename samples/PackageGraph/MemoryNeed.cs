using System;
using System.Globalization;
using System.IO;
using System.Linq;
using PackageGraph.Reporting;

namespace PackageGraph;

/// <summary>Says before the work begins whether both forms will fit, and if not, what the limit is and what to do.</summary>
internal static class MemoryNeed
{
    /// <summary>Of both forms together, measured and rounded up; the collector's slack is in it.</summary>
    private const long BytesPerObject = 1200;

    /// <summary>The program, the index and the benchmark's own arrays.</summary>
    private const long BytesFixed = 400L << 20;

    /// <exception cref="InsufficientMemoryException">It will not fit.</exception>
    internal static void Check(long objects) => Check(objects, AvailableBytes(out string limit), limit);

    /// <exception cref="InsufficientMemoryException">It will not fit.</exception>
    internal static void Check(long objects, long availableBytes, string limit)
    {
        long needed = BytesFixed + (objects * BytesPerObject);
        if (needed <= availableBytes)
        {
            return;
        }

        long fits = long.Max(0, (availableBytes - BytesFixed) / BytesPerObject / 100_000 * 100_000);
        string advice = fits > 0
            ? string.Create(CultureInfo.InvariantCulture, $"--objects {fits} fits")
            : "not even one edition of the index fits";
        throw new InsufficientMemoryException(
            $"{objects.ToString("#,0", CultureInfo.InvariantCulture)} objects, held twice, need about {Figure.MiB(needed)}, but {limit} leaves {Figure.MiB(availableBytes)}: {advice}; or raise that limit.");
    }

    private static long AvailableBytes(out string limit)
    {
        const string Info = "/proc/meminfo";
        long mayUse = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        string? line = File.Exists(Info) ? File.ReadLines(Info).FirstOrDefault(text => text.StartsWith("MemAvailable:", StringComparison.Ordinal)) : null;
        long free = line is null ? mayUse : long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * 1024;
        limit = free < mayUse ? "the machine's free memory" : "the memory limit of this process (container, job or DOTNET_GCHeapHardLimit)";
        return long.Min(free, mayUse);
    }
}
