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
            long calls = Do(table, all, int.Parse(callers, CultureInfo.InvariantCulture), TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture)), out string rest);
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{calls} {rest}"));
        }

        return 0;
    }

    private static long Do(PileClientTable table, PileKey[] keys, int callers, TimeSpan time, out string rest)
    {
        _isOver = false;
        long began = Stopwatch.GetTimestamp();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Task<long>[] running = [.. Enumerable.Range(0, callers).Select(caller => CallAsync(table, keys, caller))];
        Thread.Sleep(time);
        _isOver = true;
        long calls = Task.WhenAll(running).GetAwaiter().GetResult().Sum();
        long bytes = GC.GetTotalAllocatedBytes(precise: true) - before;
        double took = Stopwatch.GetElapsedTime(began).TotalSeconds;
        double busy = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
        rest = string.Create(CultureInfo.InvariantCulture, $"{took:F6} {busy:F6} {bytes}");
        return calls;
    }

    private static async Task<long> CallAsync(PileClientTable table, PileKey[] keys, int caller)
    {
        var random = new Random(caller);
        byte[] value = new byte[100];
        long calls = 0;
        for (; !_isOver; calls++)
        {
            if (await table.GetAsync(keys[random.Next(keys.Length)], value.AsMemory()) != value.Length)
            {
                throw new InvalidDataException("A Get has not found its entry.");
            }
        }

        return calls;
    }
}
