using System;
using System.Diagnostics;

namespace Pile.Soak;

/// <summary>What a pile costs before anything is in it, and with one object; a thousand piles in one process.</summary>
internal static class EmptyScenario
{
    internal static string[] Cases { get; } = ["1", "1000"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        int count = (int)options.Scaled(int.Parse(name, System.Globalization.CultureInfo.InvariantCulture));
        using (ObjectPile warm = ObjectPile.Create())
        {
            _ = warm.PutValue(1L);
        }

        var piles = new ObjectPile[count];
        var pointers = new PilePointer[count];
        long baseline = ProcessMemory.SettledBytes();
        var watch = Stopwatch.StartNew();
        for (int index = 0; index < count; index++)
        {
            piles[index] = ObjectPile.Create();
        }

        double createMs = watch.Elapsed.TotalMilliseconds;
        double emptyKiB = (ProcessMemory.SettledBytes() - baseline) / 1024.0 / count;
        for (int index = 0; index < count; index++)
        {
            pointers[index] = piles[index].PutValue((long)index);
        }

        double oneKiB = (ProcessMemory.SettledBytes() - baseline) / 1024.0 / count;
        double usedKiB = piles[0].GetStatistics().UsedBytes / 1024.0;
        long wrong = 0;
        for (int index = 0; index < count; index++)
        {
            wrong += piles[index].Get<long>(pointers[index]) == index ? 0 : 1;
        }

        watch.Restart();
        Array.ForEach(piles, static pile => pile.Dispose());
        report(new SoakRow()
            .Add("piles", count)
            .Add("empty KiB each", emptyKiB)
            .Add("one object KiB each", oneKiB)
            .Add("counted KiB each", usedKiB)
            .Add("create ms each", createMs / count)
            .Add("dispose ms each", watch.Elapsed.TotalMilliseconds / count)
            .Add("wrong reads", wrong));
    }
}
