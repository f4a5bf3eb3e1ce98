using System;
using System.Globalization;
using System.IO;
using Pile.Bench.Baselines;
using Pile.Bench.Reports;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A folder of one workload for its files; goes with the workload.</summary>
internal sealed class Workplace : IDisposable
{
    /// <summary>Where files live in memory.</summary>
    internal const string MemoryFiles = "/dev/shm";

    private Workplace(string parent, string name)
    {
        FullName = Path.Combine(Path.GetFullPath(parent), string.Create(CultureInfo.InvariantCulture, $"pile-bench-{name}-{Environment.ProcessId}"));
        _ = Directory.CreateDirectory(FullName);
    }

    /// <summary>Its full path.</summary>
    internal string FullName { get; }

    /// <summary>A folder where the settings say, else in the repository's artifacts.</summary>
    internal static Workplace OnDisk(BenchSettings settings, string name) =>
        new(settings.Directory ?? Path.Combine(ResultFolder.Root(), "artifacts"), name);

    /// <summary>A folder on tmpfs.</summary>
    internal static Workplace InMemory(string name) =>
        Directory.Exists(MemoryFiles) ? new Workplace(MemoryFiles, name) : throw new NotAvailableException($"there is no {MemoryFiles}");

    /// <summary>The path of something in it.</summary>
    internal string Of(string name) => Path.Combine(FullName, name);

    /// <summary>Returns when the system has written all that it holds: what other rows left must not be this row's to write.</summary>
    internal static void Settle() => SystemCalls.SyncAll();

    /// <summary>Stores into a gigabyte and frees it. A virtual machine gives free memory back to its host, and whoever takes it next waits for the host: by what
    /// ran before, and not by what is measured.</summary>
    internal static void TakeMemory()
    {
        using NativeBlock memory = new NativeBlock(1L << 30, hugePages: true).Touched();
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(FullName, recursive: true);
}
