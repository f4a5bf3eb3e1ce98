// A cache on a tiny pile with a clock that stands until it is moved: every run crosses every boundary.
// Disposing it verifies the pile first.
using System;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class TinyCache : IDisposable
{
    internal TinyCache(long limitBytes = 8 << 20, bool backgroundCleaning = false)
    {
        Clock = new ManualClock();
        Cache = PileCache.Create(
            new PileCacheOptions { MemoryLimitBytes = limitBytes, TimeProvider = Clock, BackgroundCleaning = backgroundCleaning }, PileOptions.Tiny);
    }

    internal PileCache Cache { get; }

    internal ManualClock Clock { get; }

    public void Dispose()
    {
        Verify();
        Cache.Dispose();
    }

    internal void Verify()
    {
        PileVerifyReport report = Cache.Pile.Verify();
        ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
    }

    /// <summary>Steps of the keeper, of a cache without one.</summary>
    internal void Tick(int steps)
    {
        var core = (HeapCore<MemoryRecord>)Cache.Pile.Core;
        var keeper = new Housekeeping<MemoryRecord>(core.Cleaner, core.Pool, core.Policy, core.Large, core.Budget, core.Epochs, TimeProvider.System, Cache.Pile);
        for (int step = 0; step < steps; step++)
        {
            _ = keeper.Tick(woken: false);
        }
    }

    internal PileTable<TKey, TValue> Table<TKey, TValue>(PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull => Cache.GetOrCreateTable<TKey, TValue>("table", options);
}
