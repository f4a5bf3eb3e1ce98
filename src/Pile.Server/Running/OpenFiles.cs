// How many connections there is room for among the files that the process may have open: each is one. Where connections take the last of them,
// the .NET runtime ends the process ("Out of memory", SIGABRT) as soon as it needs one itself, as for code that was not needed before; and
// whoever reaches the address can connect. So some are kept from them.
using System;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.Server.Running;

/// <summary>The limit of open files.</summary>
internal static class OpenFiles
{
    /// <summary>The limit of this process; null where there is none, or none is known.</summary>
    internal static long? Limit
    {
        get
        {
            try
            {
                return OperatingSystem.IsLinux() ? LimitIn(File.ReadAllText("/proc/self/limits")) : null;
            }
            catch (Exception unknown) when (unknown is IOException or UnauthorizedAccessException)
            {
                return null;
            }
        }
    }

    /// <summary>The soft limit that a text of the form of <c>/proc/self/limits</c> says.</summary>
    internal static long? LimitIn(string limits)
    {
        const string Name = "Max open files";
        string? line = limits.Split('\n').FirstOrDefault(static line => line.StartsWith(Name, StringComparison.Ordinal));
        return long.TryParse(line?[Name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault(), NumberStyles.None, CultureInfo.InvariantCulture, out long limit) ? limit : null;
    }

    /// <summary>How many connections each of some addresses may have.</summary>
    /// <param name="connectionsMax">As many as are wanted.</param>
    /// <param name="limit">Files that the process may have open.</param>
    /// <param name="addresses">How many addresses share them.</param>
    internal static long Connections(long connectionsMax, long? limit, int addresses) =>
        limit is { } files ? long.Min(connectionsMax, long.Max(1, long.Max(files - ServerLimits.FilesKept, files / 8) / addresses)) : connectionsMax;
}
