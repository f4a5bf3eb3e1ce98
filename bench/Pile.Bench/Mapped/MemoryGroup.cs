using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A control group (version 2) below our own, with a limit on memory. It has to be a system that lets us make one.</summary>
internal sealed class MemoryGroup : IDisposable
{
    private readonly string _path;

    /// <summary>Makes it.</summary>
    /// <exception cref="NotAvailableException">The system does not let us.</exception>
    internal MemoryGroup(long limitBytes)
    {
        string own = Own();
        _path = Path.Combine(own, string.Create(CultureInfo.InvariantCulture, $"pile-bench-{Environment.ProcessId}"));
        try
        {
            File.WriteAllText(Path.Combine(own, "cgroup.subtree_control"), "+memory");
            _ = Directory.CreateDirectory(_path);
            File.WriteAllText(Path.Combine(_path, "memory.max"), limitBytes.ToString(CultureInfo.InvariantCulture));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new NotAvailableException($"a control group below {own} ({failure.Message})");
        }
    }

    /// <summary>Moves a process into it.</summary>
    internal void Add(int process) => File.WriteAllText(Path.Combine(_path, "cgroup.procs"), process.ToString(CultureInfo.InvariantCulture));

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(_path);

    private static string Own()
    {
        const string Mounted = " - cgroup2 ";
        string? root = File.ReadLines("/proc/self/mountinfo").Where(line => line.Contains(Mounted, StringComparison.Ordinal)).Select(line => line.Split(' ')[4]).FirstOrDefault();
        string? path = File.ReadLines("/proc/self/cgroup").Where(line => line.StartsWith("0::", StringComparison.Ordinal)).Select(line => line[3..].TrimStart('/')).FirstOrDefault();
        string own = root is null || path is null ? throw new NotAvailableException("control groups of version 2 are not mounted") : Path.Combine(root, path);
        string controllers = File.ReadAllText(Path.Combine(own, "cgroup.controllers"));
        return controllers.Split([' ', '\n']).Contains("memory")
            ? own
            : throw new NotAvailableException($"{own} has no memory controller of version 2");
    }
}
