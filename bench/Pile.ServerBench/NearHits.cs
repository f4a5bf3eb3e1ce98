using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client;

namespace Pile.ServerBench;

/// <summary>Hits of a near cache, and of a cache with the same entries and the same memory: one after the other, by one thread.</summary>
internal static class NearHits
{
    private const int Blocks = 20;
    private const int ValueBytes = 100;

    /// <summary>Answers each line, "READS", with nanoseconds of a hit of the one and of the other.</summary>
    internal static int Run(string address, string keys)
    {
        using var client = new PileClient(address);
        using var near = new PileNearCache(client, new PileNearOptions { StalenessMax = TimeSpan.FromMinutes(1), MemoryLimitBytes = 256 << 20 });
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 256 << 20 });
        PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        string[] all = [.. Enumerable.Range(0, int.Parse(keys, CultureInfo.InvariantCulture)).Select(static key => $"key:{key:D12}")];
        FillAsync(near.Table(), table, all).GetAwaiter().GetResult();
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } line)
        {
            int reads = int.Parse(line, CultureInfo.InvariantCulture) / Blocks;
            TimeSpan ours = TimeSpan.Zero, theirs = TimeSpan.Zero;
            for (int block = 0; block < Blocks; block++)
            {
                ours += Near(near.Table(), all, reads, block);
                theirs += Cached(table, all, reads, block);
            }

            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{ours.TotalNanoseconds / (reads * Blocks):F3} {theirs.TotalNanoseconds / (reads * Blocks):F3}"));
        }

        return 0;
    }

    private static async Task FillAsync(PileNearTable near, PileTable<string, byte[]> table, string[] keys)
    {
        await near.Ready;
        foreach (string key in keys)
        {
            _ = table.Set(key, new byte[ValueBytes]);
            _ = await near.Server.SetAsync(key, new byte[ValueBytes]);
        }

        // Until all events of the stores have come, what was read is dropped again.
        byte[] room = new byte[ValueBytes];
        while (!keys.All(key => near.TryGet(key, room, out _)))
        {
            foreach (string key in keys)
            {
                _ = await near.GetAsync(key, room.AsMemory());
            }
        }
    }

    private static TimeSpan Near(PileNearTable near, string[] keys, int reads, int seed)
    {
        var random = new Random(seed);
        Span<byte> room = stackalloc byte[ValueBytes];
        int hits = 0;
        long began = Stopwatch.GetTimestamp();
        for (int read = 0; read < reads; read++)
        {
            hits += near.TryGet(keys[random.Next(keys.Length)], room, out _) ? 1 : 0;
        }

        return All(began, hits, reads);
    }

    private static TimeSpan Cached(PileTable<string, byte[]> table, string[] keys, int reads, int seed)
    {
        var random = new Random(seed);
        Span<byte> room = stackalloc byte[ValueBytes];
        int hits = 0;
        long began = Stopwatch.GetTimestamp();
        for (int read = 0; read < reads; read++)
        {
            hits += table.TryGet(keys[random.Next(keys.Length)], room, out _) ? 1 : 0;
        }

        return All(began, hits, reads);
    }

    private static TimeSpan All(long began, int hits, int reads)
    {
        TimeSpan took = Stopwatch.GetElapsedTime(began);
        return hits == reads ? took : throw new InvalidOperationException($"Of {reads:N0} reads {hits:N0} were hits.");
    }
}
