using System;
using System.Diagnostics;
using System.Linq;

namespace Pile.Soak;

/// <summary>The pause of a blocking gen2 collection with many live objects in a pile, and in a process without any.</summary>
internal static class Gen2Scenario
{
    private const int Collections = 31;

    internal static string[] Cases { get; } = ["empty process", "pile"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        int objects = name == "pile" ? options.Objects(20_000_000) : 0;
        using ObjectPile? pile = objects > 0 ? ObjectPile.Create() : null;
        byte[] payload = new byte[100];
        for (int index = 0; index < objects; index++)
        {
            _ = pile!.PutBytes(payload);
        }

        double[] pauses = new double[Collections];
        double[] elapsed = new double[Collections];
        for (int index = 0; index < Collections; index++)
        {
            long before = Stopwatch.GetTimestamp();
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: false);
            elapsed[index] = Stopwatch.GetElapsedTime(before).TotalMilliseconds;
            pauses[index] = GC.GetGCMemoryInfo(GCKind.FullBlocking).PauseDurations[0].TotalMilliseconds;
        }

        report(new SoakRow()
            .Add("case", name)
            .Add("objects", objects)
            .Add("median pause ms", pauses.Order().ElementAt(Collections / 2))
            .Add("median call ms", elapsed.Order().ElementAt(Collections / 2))
            .Add("max pause ms", pauses.Max()));
    }
}
