// Memory as piles and caches meet it: what there is, what a container allows, address space, swap, overcommit, huge pages, mappings.
// Nothing is changed; the advice is the command that changes it.
using System.Collections.Generic;
using Pile.Tool.Output;

namespace Pile.Tool.Health;

/// <summary>Checks of memory.</summary>
internal static class MemoryChecks
{
    private const int SwappinessMax = 10;
    private const int MapsMin = 65_530;
    private const double FullShare = 0.9;
    private const string HugePages = "sys/kernel/mm/transparent_hugepage/";

    /// <summary>All of them.</summary>
    internal static IEnumerable<Finding> Run(SystemFiles files)
    {
        yield return Machine(files);
        yield return Container(files);
        yield return AddressSpace(files);
        yield return Overcommit(files);
        yield return Swap(files);
        yield return Huge(files);
        yield return Maps(files);
    }

    private static Finding Machine(SystemFiles files)
    {
        const string Name = "memory";
        if (files.MemoryBytes("MemTotal") is not { } total || files.MemoryBytes("MemAvailable") is not { } free)
        {
            return Finding.Better(Name, "/proc/meminfo can't be read", "Nothing is known of the machine's memory: give caches a MemoryLimitBytes.");
        }

        string found = $"{Amount.Bytes(total)}, {Amount.Bytes(free)} of it available";
        return free >= total * (1 - FullShare)
            ? Finding.Good(Name, found)
            : Finding.Better(Name, found, "Most of it is in use. A cache without MemoryLimitBytes takes three quarters of what the process may use: set it to what is left for it.");
    }

    private static Finding Container(SystemFiles files)
    {
        const string Name = "control group";
        if (ControlGroups.Tightest(files) is not { } group)
        {
            return Finding.Good(Name, "no memory limit");
        }

        string found = $"{group.Path} allows {Amount.Bytes(group.LimitBytes)}{(group.UsedBytes is { } used ? $", {Amount.Bytes(used)} of it used" : "")}";
        return files.MemoryBytes("MemTotal") is { } total && group.LimitBytes >= total
            ? Finding.Good(Name, found + ", which is all of the machine's")
            : group.UsedBytes > group.LimitBytes * FullShare
                ? Finding.Better(Name, found, "It is nearly full, and the system ends a process that goes beyond. Raise the limit (memory.max, docker --memory), or lower MemoryLimitBytes.")
                : Finding.Good(Name, found);
    }

    private static Finding AddressSpace(SystemFiles files)
    {
        const string Name = "address space";
        return files.Limit("Max address space").Soft is { } limit
            ? Finding.Bad(Name, $"limited to {Amount.Bytes(limit)}", "A pile reserves address space for all that it may ever hold, up to 4 TiB in files, and takes no memory by that. Lift the limit: ulimit -v unlimited, LimitAS=infinity in systemd.")
            : Finding.Good(Name, "not limited");
    }

    private static Finding Overcommit(SystemFiles files)
    {
        const string Name = "overcommit";
        return files.Number("proc/sys/vm/overcommit_memory") switch
        {
            2 => Finding.Bad(Name, $"vm.overcommit_memory = 2: {Amount.Bytes(files.MemoryBytes("CommitLimit") ?? 0)} may be reserved, {Amount.Bytes(files.MemoryBytes("Committed_AS") ?? 0)} are", "Reserved address space counts here, and a pile reserves much more than it uses: sysctl vm.overcommit_memory=0."),
            { } mode => Finding.Good(Name, $"vm.overcommit_memory = {mode}"),
            null => Finding.Good(Name, "not known"),
        };
    }

    private static Finding Swap(SystemFiles files)
    {
        const string Name = "swap";
        long total = files.MemoryBytes("SwapTotal") ?? 0;
        if (total == 0)
        {
            return Finding.Good(Name, "none");
        }

        long used = total - (files.MemoryBytes("SwapFree") ?? total);
        long swappiness = files.Number("proc/sys/vm/swappiness") ?? 0;
        string found = $"{Amount.Bytes(total)}, {Amount.Bytes(used)} of it used, vm.swappiness = {swappiness}";
        return ControlGroups.Tightest(files) is { SwapBytes: 0 } ? Finding.Good(Name, found + "; none for this control group")
            : swappiness > SwappinessMax
                ? Finding.Better(Name, found, "What of a pile is on the device is a thousand times slower than memory: sysctl vm.swappiness=1, or MemorySwapMax=0 in systemd.")
                : Finding.Good(Name, found);
    }

    private static Finding Huge(SystemFiles files)
    {
        const string Name = "huge pages";
        string? enabled = files.Choice(HugePages + "enabled");
        string? defrag = files.Choice(HugePages + "defrag");
        string found = $"transparent_hugepage/enabled = {enabled}, defrag = {defrag}";
        return enabled switch
        {
            null => Finding.Better(Name, "this system has no transparent huge pages", "Random reads of piles in memory cost more address translations here; there is nothing to set."),
            "never" => Finding.Better(Name, found, "Piles in memory ask for huge pages and get none, so that random reads are slower: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled."),
            _ when defrag == "never" => Finding.Better(Name, found, "Huge pages come only while some are free: echo madvise > /sys/kernel/mm/transparent_hugepage/defrag."),
            _ => Finding.Good(Name, found),
        };
    }

    private static Finding Maps(SystemFiles files)
    {
        const string Name = "mappings";
        return files.Number("proc/sys/vm/max_map_count") switch
        {
            { } count and < MapsMin => Finding.Better(Name, $"vm.max_map_count = {Amount.Count(count)}", $"Each 64 MiB of a pile in files is a mapping, and each large hole may be another: sysctl vm.max_map_count={MapsMin}."),
            { } count => Finding.Good(Name, $"vm.max_map_count = {Amount.Count(count)}"),
            null => Finding.Good(Name, "not known"),
        };
    }
}
