using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Caches;

/// <summary>The slowest of a thousand reads while another thread stores new entries as fast as it can, each for one that leaves.</summary>
internal sealed class CacheTail : IWorkload
{
    private const int Reads = 2_000_000;
    private const int BytesOfEntry = 160;
    private const double Slowest = 0.999;
    private readonly int _entries;
    private readonly PileCache _cache;
    private readonly PileTable<long, byte[]> _table;
    private readonly byte[] _payload = Data.Payload();
    private readonly byte[] _target = Data.Payload();
    private readonly long[] _ticks = new long[Reads];
    private long _nextKey;

    internal CacheTail(BenchSettings settings)
    {
        _entries = settings.Objects;
        _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = long.Max(16 << 20, (long)_entries * BytesOfEntry) });
        _table = _cache.GetOrCreateTable<long, byte[]>("entries");
        while (_cache.GetStatistics().Evictions == 0)
        {
            Write(10_000);
        }
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        new(
            "cache: p99.9 of Get while entries leave, minus the same without",
            "one thread reads random keys of the last that were stored and notes how long each read took; another stores new keys at full speed, "
            + "for each of which an old entry leaves. Without: nobody writes. Microseconds.",
            samples => samples["with"] - samples["without"],
            samples => samples["us"])
        { Must = 20, Reach = 5, Unit = "us" },
    ];

    public void Prepare() => Round(new Samples());

    public void Round(Samples samples)
    {
        samples.Keep("us", new Spent(1, 1));
        Keep(samples, "without", Measure());
        using var isOver = new ManualResetEventSlim();
        long evicted = _cache.GetStatistics().Evictions;
        var writer = new Thread(() =>
        {
            while (!isOver.IsSet)
            {
                Write(1000);
            }
        });
        writer.Start();
        double slowest = Measure();
        isOver.Set();
        writer.Join();
        Keep(samples, "with", slowest);
        if (_cache.GetStatistics().Evictions == evicted)
        {
            throw new InvalidOperationException("Nothing left the cache meanwhile.");
        }
    }

    public void Dispose() => _cache.Dispose();

    private static void Keep(Samples samples, string series, double us) => samples.Keep(series, new Spent(us, us));

    private double Measure()
    {
        var random = new Random(3);
        for (int index = 0; index < Reads; index++)
        {
            long key = long.Max(0, Volatile.Read(ref _nextKey) - 1 - random.Next(_entries / 2));
            long start = Stopwatch.GetTimestamp();
            _ = _table.TryGet(key, _target.AsSpan(), out _);
            _ticks[index] = Stopwatch.GetTimestamp() - start;
        }

        Array.Sort(_ticks);
        return Stopwatch.GetElapsedTime(0, _ticks[(int)(Reads * Slowest)]).TotalMicroseconds;
    }

    private void Write(int count)
    {
        for (int index = 0; index < count; index++)
        {
            if (!_table.Set(_nextKey, _payload.AsSpan()).IsStored)
            {
                throw new InvalidOperationException($"Key {_nextKey} found no room.");
            }

            Volatile.Write(ref _nextKey, _nextKey + 1);
        }
    }
}
