// What calls of a table's factories have come to, for its statistics.
// Counted where a factory is called, never on a hit.
using System.Threading;

namespace Pile.Cache.Factories;

/// <summary>Counts of factories. Thread-safe.</summary>
internal sealed class FactoryCounts
{
    private long _calls;
    private long _failures;
    private long _joins;
    private long _stale;

    internal long Calls => Volatile.Read(ref _calls);

    internal long Failures => Volatile.Read(ref _failures);

    internal long Joins => Volatile.Read(ref _joins);

    internal long Stale => Volatile.Read(ref _stale);

    internal void AddCall() => Interlocked.Increment(ref _calls);

    internal void AddFailure() => Interlocked.Increment(ref _failures);

    internal void AddJoin() => Interlocked.Increment(ref _joins);

    internal void AddStale() => Interlocked.Increment(ref _stale);
}
