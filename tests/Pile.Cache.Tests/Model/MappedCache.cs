// A cache in the files of a simulated machine, with a clock that stands until it is moved.
// Disposing it verifies the pile first.
using System;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class MappedCache : IDisposable
{
    internal const string Directory = "/cache";

    internal MappedCache(SimulatedFiles files, ManualClock? clock = null, long limitBytes = 8 << 20)
    {
        Files = files;
        Clock = clock ?? new ManualClock();
        Cache = PileCache.Open(Directory, new PileCacheOptions { MemoryLimitBytes = limitBytes, TimeProvider = Clock, BackgroundCleaning = false }, Options(files));
    }

    internal PileCache Cache { get; }

    internal ManualClock Clock { get; }

    internal SimulatedFiles Files { get; }

    public void Dispose()
    {
        Verify();
        Cache.Dispose();
    }

    internal static PileOptions Options(SimulatedFiles files) => PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1) };

    internal void Verify()
    {
        PileVerifyReport report = Cache.Pile.Verify();
        ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
    }

    internal PileTable<TKey, TValue> Table<TKey, TValue>(PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull => Cache.GetOrCreateTable<TKey, TValue>("table", options);
}
