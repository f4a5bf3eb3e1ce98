// A Clear of a durable table, killed at every call of the files that it makes: the table is there whole, or empty.
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal static class ClearRun
{
    private const int Keys = 300;
    private const long LimitBytes = 24 << 20;

    internal static void Run()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: LimitBytes);
        PileTable<int, int> table = first.Table<int, int>(new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < Keys; key++)
        {
            table.Set(key, key);
        }

        first.Cache.Pile.Commit();
        List<SimulatedFiles> killed = [];
        files.AtCall = _ => killed.Add(files.Fork());
        table.Clear();
        files.AtCall = null;
        killed.Add(files.Fork());
        for (int kill = 0; kill < killed.Count; kill++)
        {
            using SimulatedFiles left = killed[kill];
            using var second = new MappedCache(left, first.Clock, LimitBytes);
            PileTable<int, int> again = second.Table<int, int>();
            int readable = Enumerable.Range(0, Keys).Count(again.ContainsKey);
            ModelMismatchException.Unless(
                readable == again.Count && readable is 0 or Keys, "clear", $"after the kill {kill} of {killed.Count}: {again.Count} entries are counted and {readable} read, of {Keys}");
            second.Verify();
        }
    }
}
