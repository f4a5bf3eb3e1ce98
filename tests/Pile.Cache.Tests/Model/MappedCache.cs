// A cache in the files of a simulated machine, with a clock that stands until it is moved.
// Disposing it verifies the pile first.
using System;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class MappedCache : IDisposable
{
    internal const string Directory = "/cache";

    private readonly Housekeeping<DurableRecord> _keeper;
    private readonly ObjectPile? _shared;
    private bool _isEnded;

    /// <summary>Opens a cache.</summary>
    /// <param name="files">The machine's files.</param>
    /// <param name="clock">The clock; null for one of its own.</param>
    /// <param name="limitBytes">What the files may take.</param>
    /// <param name="flushes">Whether the pile flushes of its own accord.</param>
    /// <param name="directory">Where; null for the usual one.</param>
    /// <param name="shared">A pile that is open already, which the cache shares and which ends with this; null to open it with the cache.</param>
    internal MappedCache(SimulatedFiles files, ManualClock? clock = null, long limitBytes = 8 << 20, bool flushes = false, string? directory = null, ObjectPile? shared = null)
    {
        Files = files;
        Clock = clock ?? new ManualClock();
        _shared = shared;
        Cache = shared is null
            ? PileCache.Open(directory ?? Directory, new PileCacheOptions { MemoryLimitBytes = limitBytes, TimeProvider = Clock, BackgroundCleaning = false }, Options(files))
            : PileCache.Share(shared, new PileCacheOptions { TimeProvider = Clock });

        HeapCore<DurableRecord> core = Cache.Pile.Durable!.Core;
        _keeper = new Housekeeping<DurableRecord>(core.Cleaner, core.Room, core.Pool, core.Policy, core.Large, core.Budget, core.Epochs, TimeProvider.System, Cache.Pile);

        // No flush of its own accord: the machine is copied between and within calls of this thread, with no other one at work.
        core.Log.Flushes.Wanted = flushes ? core.Log.Flushes.Wanted : static () => { };
    }

    internal PileCache Cache { get; }

    internal ManualClock Clock { get; }

    internal SimulatedFiles Files { get; }

    public void Dispose()
    {
        if (!_isEnded)
        {
            _isEnded = true;
            Verify();
            Cache.Dispose();
            _shared?.Dispose();
        }
    }

    internal static PileOptions Options(SimulatedFiles files) => PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1) };

    internal void Verify()
    {
        PileVerifyReport report = Cache.Pile.Verify();
        ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
    }

    /// <summary>A step of the keeper, of a cache without one.</summary>
    internal void Tick() => _keeper.Tick(woken: false);

    internal PileTable<TKey, TValue> Table<TKey, TValue>(PileTableOptions? options = null)
        where TKey : notnull
        where TValue : notnull => Cache.GetOrCreateTable<TKey, TValue>("table", options);
}
