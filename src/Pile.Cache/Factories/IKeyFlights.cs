// What a table asks of the calls of factories that are under way for its keys, of whatever type their values are.
// Only KeyFlights is one.
using System;

namespace Pile.Cache.Factories;

/// <summary>Calls under way in one table. Thread-safe.</summary>
internal interface IKeyFlights
{
    /// <summary>Keeps what is being made of a key from being stored: the key is about to be removed.</summary>
    void Outdate(ReadOnlySpan<byte> key);
}
