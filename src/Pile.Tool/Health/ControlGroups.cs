// The memory limits of the control groups that this process is in, of version 2 and of version 1: the tightest on the way up counts.
// A container sees its own group as the root, so that each path is tried below the mount and at it.
using System;
using System.Collections.Generic;

namespace Pile.Tool.Health;

/// <summary>Control groups.</summary>
internal static class ControlGroups
{
    // What version 1 says where there is no limit: the largest number of whole pages.
    private const long Unlimited = long.MaxValue / 4096 * 4096;

    /// <summary>A group's memory.</summary>
    /// <param name="Path">Its directory.</param>
    /// <param name="LimitBytes">Its limit.</param>
    /// <param name="UsedBytes">What it uses, files in memory included; null where that is not known.</param>
    /// <param name="SwapBytes">What of it may go to swap; null for no limit.</param>
    internal sealed record Memory(string Path, long LimitBytes, long? UsedBytes, long? SwapBytes);

    /// <summary>The tightest limit; null where there is none.</summary>
    internal static Memory? Tightest(SystemFiles files)
    {
        Memory? tightest = null;
        foreach (string line in files.Lines("proc/self/cgroup"))
        {
            string[] parts = line.Split(':', 3);
            bool isTwo = parts is [_, "", _];
            if (parts.Length < 3 || !(isTwo || Array.IndexOf(parts[1].Split(','), "memory") >= 0))
            {
                continue;
            }

            foreach (string path in UpFrom(parts[2]))
            {
                foreach (string mount in isTwo ? (string[])["sys/fs/cgroup", "sys/fs/cgroup/unified"] : ["sys/fs/cgroup/memory"])
                {
                    if (At(files, mount + path, isTwo) is { } found && (tightest is null || found.LimitBytes < tightest.LimitBytes))
                    {
                        tightest = found;
                    }
                }
            }
        }

        return tightest;
    }

    private static Memory? At(SystemFiles files, string directory, bool isTwo)
    {
        string limit = isTwo ? "memory.max" : "memory.limit_in_bytes";
        string used = isTwo ? "memory.current" : "memory.usage_in_bytes";
        return files.Number($"{directory}/{limit}") is { } bytes and < Unlimited
            ? new Memory("/" + directory, bytes, files.Number($"{directory}/{used}"), isTwo ? files.Number($"{directory}/memory.swap.max") : null)
            : null;
    }

    private static IEnumerable<string> UpFrom(string path)
    {
        for (string at = path.TrimEnd('/'); at.Length > 0; at = at[..at.LastIndexOf('/')])
        {
            yield return at;
        }

        yield return "";
    }
}
