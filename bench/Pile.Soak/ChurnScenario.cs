using System;
using System.Diagnostics;
using Pile.Soak.Baselines;

namespace Pile.Soak;

/// <summary>Random replacements of live objects of one size or many: what the pile holds over what lives in it, and whether that
/// stays flat. Nothing is called by hand. A record's share is 8 bytes of header, its payload rounded to 8, and 8 bytes of entry.</summary>
internal static class ChurnScenario
{
    private const int Samples = 400;

    // The goal's sizes. Any other by --case: of 11000/replace and 13200/replace a segment of 64 KiB holds few, and leaves up to a fifth (--objects 4000, decision 64).
    internal static string[] Cases { get; } =
    [
        "20/update", "60/update", "100/update", "116/update", "300/update", "1000/update", "5000/update", "mixed/update",
        "20/replace", "60/replace", "100/replace", "116/replace", "300/replace", "1000/replace", "5000/replace", "mixed/replace",
    ];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        string[] parts = name.Split('/');
        int fixedBytes = parts[0] == "mixed" ? 0 : int.Parse(parts[0], System.Globalization.CultureInfo.InvariantCulture);
        bool byUpdate = parts[1] == "update";
        int objects = options.Objects(1_000_000);
        long replacements = (long)objects * 20;
        var random = new Random(1);
        byte[] payload = new byte[int.Max(8000, fixedBytes)];
        random.NextBytes(payload);
        var pointers = new PilePointer[objects];
        int[] sizes = new int[objects];
        Array.Fill(sizes, 1);
        double[] used = new double[Samples];
        double[] resident = new double[Samples];
        var regions = new CountedRegions();
        using ObjectPile pile = ObjectPile.Create(new PileOptions { Regions = regions });
        int NextBytes() => fixedBytes > 0 ? fixedBytes : 2 + random.Next(7999);
        long live = 0;
        for (int index = 0; index < objects; index++)
        {
            sizes[index] = NextBytes();
            live += Share(sizes[index]);
            pointers[index] = pile.PutBytes(payload.AsSpan(0, sizes[index]));
        }

        long perSample = long.Max(1, replacements / Samples);
        var watch = Stopwatch.StartNew();
        for (int sample = 0; sample < Samples; sample++)
        {
            for (long step = 0; step < perSample; step++)
            {
                int index = random.Next(objects);
                int bytes = NextBytes();
                live += Share(bytes) - Share(sizes[index]);
                sizes[index] = bytes;
                if (byUpdate)
                {
                    pile.UpdateBytes(pointers[index], payload.AsSpan(0, bytes));
                }
                else
                {
                    _ = pile.Delete(pointers[index]);
                    pointers[index] = pile.PutBytes(payload.AsSpan(0, bytes));
                }
            }

            used[sample] = (double)pile.GetStatistics().UsedBytes / live;
            resident[sample] = (double)regions.ResidentBytes() / live;
        }

        double seconds = watch.Elapsed.TotalSeconds;
        PileStatistics statistics = pile.GetStatistics();
        report(new SoakRow()
            .Add("size", parts[0])
            .Add("by", parts[1])
            .Add("objects", objects)
            .Add("M/s", perSample * Samples / seconds / 1e6)
            .Add("used/live", used[^1])
            .Add("used max", Max(used, 0, 4))
            .Add("used flat", Max(used, 3, 4) / Max(used, 1, 2))
            .Add("resident/live", resident[^1])
            .Add("resident max", Max(resident, 0, 4))
            .Add("resident flat", Max(resident, 3, 4) / Max(resident, 1, 2))
            .Add("moved/written", (double)statistics.CleanerMovedBytes / (statistics.AppendedBytes - statistics.CleanerMovedBytes))
            .Add("room waits", statistics.RoomWaits));
    }

    private static long Share(int bytes) => 8 + ((bytes + 7) & ~7) + 8;

    /// <summary>Largest of the samples from one quarter's beginning to another's.</summary>
    private static double Max(double[] samples, int fromQuarter, int toQuarter)
    {
        double max = 0;
        for (int index = fromQuarter * samples.Length / 4; index < toQuarter * samples.Length / 4; index++)
        {
            max = double.Max(max, samples[index]);
        }

        return max;
    }
}
