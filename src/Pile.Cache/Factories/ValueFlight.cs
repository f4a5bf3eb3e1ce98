// A call of a factory with what it answered.
// The answer is set before the flight is done.
using System;

namespace Pile.Cache.Factories;

/// <summary>A call of a factory for values of one type.</summary>
internal sealed class ValueFlight<TValue>(Engine.TableBase table, FlightKey key, long stamp, PileEntryVersion expected, FactoryFlight? outer)
    : FactoryFlight(table, key, stamp, outer)
    where TValue : notnull
{
    /// <summary>The version of the entry that it is to replace; default for none.</summary>
    internal PileEntryVersion Expected { get; } = expected;

    /// <summary>Whether it writes a value through to a store, and does not ask for one.</summary>
    internal bool IsWrite { get; init; }

    /// <summary>Whether its answer, or its failure, is what stood under the key by then, and the factory was not called. Set before <see cref="FactoryFlight.Done"/>.</summary>
    internal bool HasFound { get; set; }

    /// <summary>The answer, when done without a failure.</summary>
    internal PileAnswer<TValue> Answer { get; private set; }

    /// <summary>Hashes of the tags of what the factory answered; null where it was not called, or failed.</summary>
    internal ulong[]? Tags { get; private set; }

    /// <summary>Ends the call with an answer, or with a failure.</summary>
    internal void End(PileAnswer<TValue> answer, ulong[]? tags, Exception? failure, bool isOfFactory)
    {
        Answer = answer;
        Tags = tags;
        End(failure, isOfFactory);
    }
}
