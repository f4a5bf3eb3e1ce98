using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Pile.Bench.Reports;

/// <summary>What a result was measured on.</summary>
internal sealed record Machine(string Cpu, int Cores, double MemoryGiB, string HugePages, string System, string Runtime, string Date)
{
    /// <summary>The folder of this machine's results.</summary>
    public string FolderName => Regex.Replace($"{Cpu} {Cores} cores".ToLowerInvariant(), "[^a-z0-9]+", "-").Trim('-');

    /// <summary>This machine, now.</summary>
    internal static Machine Here(TimeProvider clock) => new(
        CpuName(),
        Environment.ProcessorCount,
        Math.Round(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / (double)(1 << 30), 1),
        HugePageMode(),
        RuntimeInformation.OSDescription,
        RuntimeInformation.FrameworkDescription,
        clock.GetUtcNow().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture));

    public override string ToString() =>
        $"{Cpu}, {Cores} cores, {MemoryGiB} GiB, transparent huge pages: {HugePages}, {System}, {Runtime}, {Date}";

    private static string CpuName()
    {
        const string Info = "/proc/cpuinfo";
        string? line = File.Exists(Info)
            ? File.ReadLines(Info).FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))
            : null;
        return line?.Split(':', 2)[1].Trim() ?? RuntimeInformation.ProcessArchitecture.ToString();
    }

    private static string HugePageMode()
    {
        const string Mode = "/sys/kernel/mm/transparent_hugepage/enabled";
        Match match = Regex.Match(File.Exists(Mode) ? File.ReadAllText(Mode) : "", @"\[(\w+)\]");
        return match.Success ? match.Groups[1].Value : "unknown";
    }
}
