using System;
using System.Diagnostics;
using Pile.Soak.Baselines;

namespace Pile.Soak;

/// <summary>Deletes a random three quarters and looks how fast memory follows, while a foreground loop of 90 % leases and 10 %
/// updates runs; the case without the background thread is what its latencies are compared with.</summary>
internal static class ShrinkScenario
{
    internal static string[] Cases { get; } = ["cleaner on", "cleaner off"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        bool isOn = name == "cleaner on";
        int objects = options.Objects(10_000_000);
        byte[] payload = new byte[100];
        var pointers = new PilePointer[objects];
        for (int index = 0; index < objects; index++)
        {
            pointers[index] = PilePointer.FromInt64(1);
        }

        var regions = new CountedRegions();
        using ObjectPile pile = ObjectPile.Create(new PileOptions { BackgroundCleaning = isOn, Regions = regions });
        for (int index = 0; index < objects; index++)
        {
            pointers[index] = pile.PutBytes(payload);
        }

        var random = new Random(2);
        int kept = objects / 4;
        for (int index = 0; index < objects; index++)
        {
            int other = random.Next(index, objects);
            (pointers[index], pointers[other]) = (pointers[other], pointers[index]);
            if (index >= kept)
            {
                _ = pile.Delete(pointers[index]);
            }
        }

        long live = kept * (8L + 104 + 8);
        var latencies = new Latencies();
        double total = options.Seconds(30);
        var watch = Stopwatch.StartNew();
        long sum = 0;
        for (double next = 0; watch.Elapsed.TotalSeconds < total;)
        {
            long before = Stopwatch.GetTimestamp();
            PilePointer pointer = pointers[random.Next(kept)];
            if (random.Next(10) == 0)
            {
                pile.UpdateBytes(pointer, payload);
            }
            else
            {
                using PileLease lease = pile.Lease(pointer);
                sum += lease.Bytes[^1];
            }

            long after = Stopwatch.GetTimestamp();
            latencies.Add(after - before);
            if (watch.Elapsed.TotalSeconds >= next && isOn)
            {
                Report(watch.Elapsed.TotalSeconds);
                next = next < 5 ? next + 1 : next + 5;
            }
        }

        Report(watch.Elapsed.TotalSeconds);
        GC.KeepAlive(sum);

        void Report(double at) => report(new SoakRow()
            .Add("case", name)
            .Add("after s", at, "0.0")
            .Add("used/live", (double)pile.GetStatistics().UsedBytes / live)
            .Add("resident/live", (double)regions.ResidentBytes() / live)
            .Add("M ops", latencies.Count / 1e6)
            .Add("p50 us", latencies.MicrosecondsAt(0.5))
            .Add("p99 us", latencies.MicrosecondsAt(0.99))
            .Add("p99.9 us", latencies.MicrosecondsAt(0.999))
            .Add("max us", latencies.MicrosecondsAt(1)));
    }
}
