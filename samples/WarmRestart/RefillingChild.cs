using System;
using System.Collections.Generic;
using System.Globalization;
using PackageGraph.Data;

namespace WarmRestart;

/// <summary>The child that does it as it was done before: a dictionary, filled again from the source. It says how full it is, and "read"
/// when the last package can be read.</summary>
internal static class RefillingChild
{
    internal const string Verb = "child-refill";
    private const int Steps = 20;

    internal static int Run(int packages)
    {
        List<PackageRow> rows = PackageFile.Read();
        int count = int.Min(packages, rows.Count);
        Dictionary<string, StoredPackage> byName = new(StringComparer.Ordinal);
        for (int row = 0; row < count; row++)
        {
            // A few packages are there in two versions.
            byName[$"{rows[row].Name}={rows[row].Version}"] = StoredPackage.Of(rows[row], row, 0);
            if ((row + 1) * (long)Steps / count != row * (long)Steps / count)
            {
                Say(string.Create(CultureInfo.InvariantCulture, $"filled {(row + 1.0) / count:0.000}"));
            }
        }

        Say(byName[$"{rows[count - 1].Name}={rows[count - 1].Version}"].Row == count - 1 ? "read" : "wrong");
        return 0;
    }

    private static void Say(string line)
    {
        Console.WriteLine(line);
        Console.Out.Flush();
    }
}
