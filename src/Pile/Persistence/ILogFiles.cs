// What the flusher needs from the pile whose log it makes durable.
// It is called by one thread at a time, but for HasUnflushed and Poisoned.
using System;

namespace Pile.Persistence;

/// <summary>The log in its files.</summary>
internal interface ILogFiles
{
    /// <summary>Whether something may have been stored since the last flush began.</summary>
    bool HasUnflushed { get; }

    /// <summary>Makes durable what was stored before the call.</summary>
    /// <param name="flush">The flush's number.</param>
    /// <returns>False when there was no memory to: it is as if it had not been called, and the next flush covers what this one was to.</returns>
    bool TryFlush(long flush);

    /// <summary>A flush completed: what waited for it may be used again.</summary>
    void Flushed();

    /// <summary>A flush failed: no write may be acknowledged any more.</summary>
    void Poison(long flush, Exception failure);

    /// <summary>The exception for writes and commits after a failure.</summary>
    PilePoisonedException Poisoned(Exception failure);
}
