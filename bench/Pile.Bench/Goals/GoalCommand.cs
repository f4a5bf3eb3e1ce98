using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Bench.Reports;

namespace Pile.Bench.Goals;

/// <summary>Prints where the goals stand, from the results in folders; or writes that into docs/STATUS.md.</summary>
internal static class GoalCommand
{
    /// <summary>Runs: folders of results, the later ones standing over the earlier, or nothing for this machine's; --write for the document.</summary>
    internal static int Run(string[] args)
    {
        bool writes = args.Contains("--write");
        string[] folders = [.. args.Where(static word => word != "--write")];
        if (folders.Length == 0)
        {
            folders = [Path.GetDirectoryName(ResultFolder.PathOf(Machine.Here(TimeProvider.System), "table.json"))!];
        }

        if (folders.FirstOrDefault(static folder => !Directory.Exists(folder)) is { } folder)
        {
            Console.Error.WriteLine($"There is no {folder}: run bench/status.sh first, or name a folder with results.");
            return 1;
        }

        if (writes)
        {
            string path = Path.Combine(ResultFolder.Root(), "docs", "STATUS.md");
            File.WriteAllText(path, GoalDocument.Renew(File.ReadAllText(path), folders));
            Console.WriteLine("wrote docs/STATUS.md");
            return 0;
        }

        List<GoalRow> rows = GoalResults.Read(folders);
        foreach (string part in rows.Select(static row => row.Part).Distinct())
        {
            Console.WriteLine($"## {part}\n\n{GoalDocument.Table(rows, part)}");
        }

        foreach (IGrouping<string, GoalRow> verdict in rows.GroupBy(static row => row.Verdict))
        {
            Console.WriteLine($"{verdict.Key}: {verdict.Count()}");
        }

        return 0;
    }
}
