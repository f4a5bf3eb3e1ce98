using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Bench.Running;

namespace Pile.Bench.Caches;

/// <summary>Resident memory of any process, by the kernel.</summary>
internal static class Resident
{
    private const string Line = "VmRSS:";
    private const long Kilo = 1024;

    /// <summary>Bytes that are resident, those of mapped files included.</summary>
    internal static long BytesOf(int process)
    {
        string path = string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/status");
        if (!File.Exists(path))
        {
            throw new NotAvailableException($"{path}: resident memory of other processes");
        }

        string line = File.ReadLines(path).First(static text => text.StartsWith(Line, StringComparison.Ordinal));
        return long.Parse(line[Line.Length..^2], CultureInfo.InvariantCulture) * Kilo;
    }
}
