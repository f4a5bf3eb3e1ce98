using System;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.Compare.Running;

/// <summary>Says before the work begins whether all contestants will fit side by side, and if not, what to do.</summary>
internal static class MemoryNeed
{
    /// <summary>Of all contestants together, handles and orders included, with what the collector leaves lying for a while.</summary>
    private const long BytesPerObject = 1600;

    private const long BytesFixed = 1L << 30;

    /// <exception cref="ArgumentException">It will not fit.</exception>
    internal static void Check(CompareSettings settings) => Check(settings.Objects, AvailableBytes());

    /// <exception cref="ArgumentException">It will not fit.</exception>
    internal static void Check(long objects, long availableBytes)
    {
        long needed = BytesFixed + (objects * BytesPerObject);
        if (needed > availableBytes)
        {
            long fits = long.Max(0, (availableBytes - BytesFixed) / BytesPerObject / 1000 * 1000);
            throw new ArgumentException(string.Create(
                CultureInfo.InvariantCulture,
                $"{objects:#,0} objects need about {needed / 1e9:0.0} GB for all contestants together, and {availableBytes / 1e9:0.0} GB are free: --objects {fits} fits."));
        }
    }

    private static long AvailableBytes()
    {
        const string Info = "/proc/meminfo";
        long mayUse = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        string? line = File.Exists(Info) ? File.ReadLines(Info).FirstOrDefault(text => text.StartsWith("MemAvailable:", StringComparison.Ordinal)) : null;
        return line is null ? mayUse : long.Min(mayUse, long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * 1024);
    }
}
