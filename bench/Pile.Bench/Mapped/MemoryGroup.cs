using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A control group below our own, with a limit on memory and its page cache. It has to be a system that lets us make one, of version 2 or 1.</summary>
internal sealed class MemoryGroup : IDisposable
{
    private readonly string _path;

    /// <summary>Makes it.</summary>
    /// <exception cref="NotAvailableException">The system does not let us.</exception>
    internal MemoryGroup(long limitBytes)
    {
        (string own, bool isTwo) = OwnOfTwo() is { } two ? (two, true) : (OwnOfOne(), false);
        _path = Path.Combine(own, string.Create(CultureInfo.InvariantCulture, $"pile-bench-{Environment.ProcessId}"));
        try
        {
            if (isTwo)
            {
                File.WriteAllText(Path.Combine(own, "cgroup.subtree_control"), "+memory");
            }

            _ = Directory.CreateDirectory(_path);
            LimitFile = isTwo ? "memory.max" : "memory.limit_in_bytes";
            File.WriteAllText(Path.Combine(_path, LimitFile), limitBytes.ToString(CultureInfo.InvariantCulture));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new NotAvailableException($"a control group below {own} ({failure.Message})");
        }
    }

    /// <summary>The file of the group that holds the limit: says which version it is.</summary>
    internal string LimitFile { get; }

    /// <summary>Moves a process into it.</summary>
    internal void Add(int process) => File.WriteAllText(Path.Combine(_path, "cgroup.procs"), process.ToString(CultureInfo.InvariantCulture));

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(_path);

    // Null where version 2 is not mounted or has no say over memory, as where version 1 has it.
    private static string? OwnOfTwo()
    {
        string? own = Own(fields => fields[^3] == "cgroup2", line => line.StartsWith("0::", StringComparison.Ordinal));
        string controllers = own is null ? "" : Path.Combine(own, "cgroup.controllers");
        return File.Exists(controllers) && File.ReadAllText(controllers).Split([' ', '\n']).Contains("memory") ? own : null;
    }

    private static string OwnOfOne() =>
        Own(fields => fields[^3] == "cgroup" && fields[^1].Split(',').Contains("memory"), line => line.Split(':')[1].Split(',').Contains("memory"))
        ?? throw new NotAvailableException("a control group with a memory controller, of version 2 or 1");

    // A mount's line ends with its type, its source and its options; a group's is number:controllers:path. A container may see its own group as the root.
    private static string? Own(Func<string[], bool> isMount, Func<string, bool> isGroup)
    {
        string? root = File.ReadLines("/proc/self/mountinfo").Select(line => line.Split(' ')).Where(isMount).Select(fields => fields[4]).FirstOrDefault();
        string? path = File.ReadLines("/proc/self/cgroup").Where(isGroup).Select(line => line.Split(':', 3)[2].TrimStart('/')).FirstOrDefault();
        if (root is null || path is null)
        {
            return null;
        }

        string own = Path.Combine(root, path);
        return Directory.Exists(own) ? own : root;
    }
}
