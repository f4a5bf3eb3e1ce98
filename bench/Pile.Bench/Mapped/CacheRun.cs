using System;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Mapped;

/// <summary>A cache in files: filled, and opened again by a process that reads one entry.</summary>
internal static class CacheRun
{
    private const string Name = "entries";

    // Far above what is filled: nothing is evicted.
    private const long LimitBytes = 1L << 36;

    /// <summary>Fills a table of a cache with entries of 8-byte keys, and closes it.</summary>
    internal static void Fill(string directory, int entries, PileTableKind kind = PileTableKind.Speculative, string name = Name)
    {
        using PileCache cache = Open(directory);
        PileTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(name, new PileTableOptions { Kind = kind });
        byte[] value = Data.Payload();
        for (long key = 0; key < entries; key++)
        {
            if (!table.Set(key, value.AsSpan()).IsStored)
            {
                throw new InvalidOperationException($"Entry {key} found no room.");
            }
        }
    }

    /// <summary>Opens, reads an entry from the middle, stores one more, says what that took, and leaves the cache to the caller.</summary>
    internal static PileCache Reopen(string directory, int entries, out Spent taken)
    {
        byte[] value = new byte[Data.PayloadBytes];
        _ = Spent.Now();
        Spent start = Spent.Now();
        PileCache cache = Open(directory);
        PileTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(Name);
        bool isHit = table.TryGet(entries / 2, value.AsSpan(), out int bytes);
        taken = Spent.Now() - start;
        if (!isHit || bytes != value.Length || !table.Set(-1, value.AsSpan()).IsStored)
        {
            throw new InvalidOperationException("The entry is not there.");
        }

        return cache;
    }

    /// <summary>Opens it.</summary>
    internal static PileCache Open(string directory) => PileCache.Open(directory, new PileCacheOptions { MemoryLimitBytes = LimitBytes });
}
