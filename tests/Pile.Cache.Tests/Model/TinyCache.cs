// A cache on a tiny pile, in memory or in simulated files, with a clock that stands until it is moved: every run crosses every boundary.
// Disposing it verifies the pile first.
using System;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class TinyCache : IDisposable
{
    private readonly SimulatedFiles? _files;

    internal TinyCache(long limitBytes = 8 << 20, bool backgroundCleaning = false, bool inFiles = false)
    {
        Clock = new ManualClock();
        _files = inFiles ? new SimulatedFiles() : null;
        var options = new PileCacheOptions { MemoryLimitBytes = limitBytes, TimeProvider = Clock, BackgroundCleaning = backgroundCleaning };
        Cache = inFiles ? PileCache.Open(MappedCache.Directory, options, MappedCache.Options(_files!)) : PileCache.Create(options, PileOptions.Tiny);
    }

    internal PileCache Cache { get; }

    internal ManualClock Clock { get; }

    public void Dispose()
    {
        Verify();
        Cache.Dispose();
        _files?.Dispose();
    }

    internal void Verify()
    {
        PileVerifyReport report = Cache.Pile.Verify();
        ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
    }

    /// <summary>Steps of the keeper, of a cache without one.</summary>
    internal void Tick(int steps)
    {
        if (Cache.Pile.Durable is { } durable)
        {
            Tick(durable.Core, steps);
        }
        else
        {
            Tick((HeapCore<MemoryRecord>)Cache.Pile.Core, steps);
        }
    }

    private void Tick<TFormat>(HeapCore<TFormat> core, int steps)
        where TFormat : struct, IRecordFormat
    {
        var keeper = new Housekeeping<TFormat>(core.Cleaner, core.Room, core.Pool, core.Policy, core.Large, core.Budget, core.Epochs, TimeProvider.System, Cache.Pile);
        for (int step = 0; step < steps; step++)
        {
            _ = keeper.Tick(woken: false);
        }
    }

    internal PileTable<TKey, TValue> Table<TKey, TValue>(PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull => Cache.GetOrCreateTable<TKey, TValue>("table", options);
}
