// A hit of GetOrAdd beside TryGet: the ratio of the two is what single flight and its options cost a hit.
// A small table that stays in the processor's caches, so that nothing hides the difference.
using System;
using BenchmarkDotNet.Attributes;
using Pile.Cache;

namespace Pile.Bench.Micro;

/// <summary>Hits of a cache, by TryGet and by GetOrAdd.</summary>
public class CacheMicro
{
    private const int Entries = 4096;
    private readonly PileFactoryOptions _safe = new() { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) }, FailSafe = TimeSpan.FromHours(1) };
    private PileCache _cache = null!;
    private PileTable<long, long> _plain = null!;
    private PileTable<long, long> _kept = null!;
    private long _next;

    [GlobalSetup]
    public void Fill()
    {
        _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        _plain = _cache.GetOrCreateTable<long, long>("plain");
        _kept = _cache.GetOrCreateTable<long, long>("kept");
        for (long key = 0; key < Entries; key++)
        {
            _ = _plain.Set(key, key);
            _ = _kept.GetOrAdd(key, static key => key, _safe);
        }
    }

    [GlobalCleanup]
    public void End() => _cache.Dispose();

    [Benchmark(Baseline = true)]
    public long TryGet() => _plain.TryGet(Next(), out long value) ? value : -1;

    [Benchmark]
    public long GetOrAdd() => _plain.GetOrAdd(Next(), static key => key);

    [Benchmark]
    public long GetOrAddWithState() => _plain.GetOrAdd(Next(), 1L, static (key, state) => key + state);

    [Benchmark]
    public long TryGetOfKept() => _kept.TryGet(Next(), out long value) ? value : -1;

    [Benchmark]
    public long GetOrAddOfKept() => _kept.GetOrAdd(Next(), static key => key, _safe);

    private long Next() => _next = (_next + 1) & (Entries - 1);
}
