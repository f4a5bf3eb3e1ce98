// A cache on a tiny pile with a clock that stands until it is moved: every run crosses every boundary.
// Disposing it verifies the pile first.
using System;
using Xunit;

namespace Pile.Cache.Tests;

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
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
    }

    internal PileTable<TKey, TValue> Table<TKey, TValue>(PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull => Cache.GetOrCreateTable<TKey, TValue>("table", options);
}
