using System;
using System.Diagnostics;
using System.Threading;

namespace Pile.Soak;

/// <summary>One updater of one large object: alone, and against four readers that lease it all the time.</summary>
internal static class LargeScenario
{
    private const int Bytes = 200_000;

    internal static string[] Cases { get; } = ["alone", "4 readers"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        int readers = name == "alone" ? 0 : 4;
        using ObjectPile pile = ObjectPile.Create();
        byte[] payload = new byte[Bytes];
        PilePointer pointer = pile.PutBytes(payload);
        bool stop = false;
        long reads = 0;
        var threads = new Thread[readers];
        for (int index = 0; index < readers; index++)
        {
            threads[index] = new Thread(() =>
            {
                long sum = 0;
                while (!Volatile.Read(ref stop))
                {
                    using PileLease lease = pile.Lease(pointer);
                    ReadOnlySpan<byte> bytes = lease.Bytes;
                    for (int at = 0; at < bytes.Length; at += 64)
                    {
                        sum += bytes[at];
                    }

                    Interlocked.Increment(ref reads);
                }

                GC.KeepAlive(sum);
            });
            threads[index].Start();
        }

        var latencies = new Latencies();
        var watch = Stopwatch.StartNew();
        while (watch.Elapsed.TotalSeconds < options.Seconds(10))
        {
            long before = Stopwatch.GetTimestamp();
            pile.UpdateBytes(pointer, payload);
            latencies.Add(Stopwatch.GetTimestamp() - before);
        }

        Volatile.Write(ref stop, true);
        Array.ForEach(threads, static thread => thread.Join());
        report(new SoakRow()
            .Add("case", name)
            .Add("updates", latencies.Count)
            .Add("reads", reads)
            .Add("p50 us", latencies.MicrosecondsAt(0.5))
            .Add("p99 us", latencies.MicrosecondsAt(0.99))
            .Add("max us", latencies.MicrosecondsAt(1))
            .Add("peak used MiB", pile.GetStatistics().PeakUsedBytes / 1048576.0));
    }
}
