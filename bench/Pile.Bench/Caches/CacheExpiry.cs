using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Caches;

/// <summary>Many entries that all end at one instant: how long after it the last is gone from memory, with nobody using the cache.</summary>
internal sealed class CacheExpiry : IWorkload
{
    private const int PollMs = 5;
    private const double FillFactor = 1.5;
    private readonly int _entries;
    private readonly byte[] _payload = Data.Payload();
    private TimeSpan _fill = TimeSpan.FromSeconds(1);

    internal CacheExpiry(BenchSettings settings) => _entries = settings.Objects / 2;

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("cache: entries that end at one instant, gone from memory", "gone", "s", 2, null,
            "half as many entries as the other rows have, 8-byte keys, 100 B values, all of which end at one instant: seconds from it until the cache counts no entry and no byte of one. "
            + "The limit is asked at every look, and was never passed. Ratio to 1 s.") with { Unit = "s" },
    ];

    // The first fill says how long one takes.
    public void Prepare()
    {
        long start = Stopwatch.GetTimestamp();
        using PileCache cache = PileCache.Create();
        Fill(cache, DateTimeOffset.MaxValue);
        _fill = Stopwatch.GetElapsedTime(start);
    }

    public void Round(Samples samples)
    {
        using PileCache cache = PileCache.Create();
        DateTimeOffset end = TimeProvider.System.GetUtcNow() + (_fill * FillFactor) + TimeSpan.FromSeconds(1);
        Fill(cache, end);
        if (cache.GetStatistics().Entries < _entries || TimeProvider.System.GetUtcNow() > end)
        {
            throw new InvalidOperationException("The entries ended before all were there: the machine is too busy for this row.");
        }

        PileCacheStatistics seen;
        do
        {
            seen = cache.GetStatistics();
            if (seen.UsedBytes > seen.MemoryLimitBytes)
            {
                throw new InvalidOperationException($"{seen.UsedBytes:N0} bytes are more than the limit of {seen.MemoryLimitBytes:N0}.");
            }

            Thread.Sleep(PollMs);
        }
        while (seen.Entries > 0 || seen.EntryBytes > 0);

        double seconds = (TimeProvider.System.GetUtcNow() - end).TotalSeconds;
        samples.Keep("gone", new Spent(seconds, seconds));
        samples.Keep("s", new Spent(1, 1));
    }

    public void Dispose()
    {
        // Each round has a cache of its own.
    }

    private void Fill(PileCache cache, DateTimeOffset end)
    {
        PileTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("entries");
        for (long key = 0; key < _entries; key++)
        {
            if (!table.Set(key, _payload.AsSpan(), new PileEntryOptions { AbsoluteExpiration = end }).IsStored)
            {
                throw new InvalidOperationException($"Key {key} found no room.");
            }
        }
    }
}
