using System;
using Pile.Cache;

namespace Pile.Bench.Caches;

/// <summary>The child's side of the rows about memory: fills, tells, replaces when told to, tells, and waits.</summary>
internal static class CacheFillRun
{
    /// <summary>Runs; without a directory in memory.</summary>
    internal static void Run(string? directory, int entries)
    {
        using PileCache cache = directory is null ? PileCache.Create() : PileCache.Open(directory, new PileCacheOptions { Promise = PilePromise.ProcessSafe });
        PileTable<CacheKey, byte[]> table = cache.GetOrCreateTable<CacheKey, byte[]>("entries", new PileTableOptions { InitialCapacity = entries });
        foreach (bool isReplacing in (bool[])[false, true])
        {
            foreach (long[] keys in CacheEntries.Groups(entries, isReplacing))
            {
                foreach (long number in keys)
                {
                    CacheKey key = default;
                    CacheEntries.WriteKey(number, key);
                    if (!table.Set(key, CacheEntries.Value.AsSpan()).IsStored)
                    {
                        throw new InvalidOperationException($"Key {number} found no room.");
                    }
                }
            }

            Console.WriteLine("full");
            _ = Console.In.ReadLine();
        }
    }
}
