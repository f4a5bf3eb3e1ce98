using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client;

namespace Pile.ServerBench.Load;

/// <summary>Callers of Pile.Client, each of which reads one entry after the other into memory of its own.</summary>
internal static class ClientCalls
{
    private static volatile bool _isOver;

    /// <summary>Answers each line, "CALLERS SECONDS", with what was done: calls, seconds, those of the processor, bytes allocated.</summary>
    internal static int Run(string address, bool isBatching, string keys)
    {
        using var client = new PileClient(new PileClientOptions { Address = address, IsBatching = isBatching });
        PileClientTable table = client.Table();
        PileKey[] all = [.. Enumerable.Range(0, int.Parse(keys, CultureInfo.InvariantCulture)).Select(static key => (PileKey)Encoding.ASCII.GetBytes($"key:{key:D12}"))];
        Console.WriteLine("ready");
        while (Console.ReadLine()?.Split(' ') is [string callers, string seconds])
        {
            Console.WriteLine(Do(table, all, int.Parse(callers, CultureInfo.InvariantCulture), TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture))));
        }

        return 0;
    }

    // Between a moment when all callers are there and one when they still are: what they cost themselves is not counted.
    private static string Do(PileClientTable table, PileKey[] keys, int callers, TimeSpan time)
    {
        _isOver = false;
        long[] calls = new long[callers];
        Task running = Task.WhenAll(Enumerable.Range(0, callers).Select(caller => CallAsync(table, keys, caller, calls)));
        while (calls.Any(static count => count == 0) && !running.IsCompleted)
        {
            Thread.Sleep(1);
        }

        long before = GC.GetTotalAllocatedBytes(precise: true);
        long done = calls.Sum();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long began = Stopwatch.GetTimestamp();
        Thread.Sleep(time);
        double took = Stopwatch.GetElapsedTime(began).TotalSeconds;
        double busy = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
        done = calls.Sum() - done;
        long bytes = GC.GetTotalAllocatedBytes(precise: true) - before;
        _isOver = true;
        running.GetAwaiter().GetResult();
        return string.Create(CultureInfo.InvariantCulture, $"{done} {took:F6} {busy:F6} {bytes}");
    }

    private static async Task CallAsync(PileClientTable table, PileKey[] keys, int caller, long[] calls)
    {
        var random = new Random(caller);
        byte[] value = new byte[100];
        for (; !_isOver; calls[caller]++)
        {
            if (await table.GetAsync(keys[random.Next(keys.Length)], value.AsMemory()) != value.Length)
            {
                throw new InvalidDataException("A Get has not found its entry.");
            }
        }
    }
}
