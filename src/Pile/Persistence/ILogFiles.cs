// What the flusher needs from the pile whose log it makes durable.
// It is called by one thread at a time, but for HasUnflushed and Poisoned.
using System;

namespace Pile.Persistence;

/// <summary>The log in its files.</summary>
internal interface ILogFiles
{
    /// <summary>Whether something may have been stored since the last flush began.</summary>
    bool HasUnflushed { get; }

    /// <summary>Whether a sync was begun of which nobody knows how it ended.</summary>
    bool IsUnsure { get; }

    /// <summary>Makes durable what was stored before the call. One that throws for want of memory, and left nothing unsure, has acknowledged nothing: the next one makes durable what it did not.</summary>
    /// <param name="flush">The flush's number.</param>
    /// <exception cref="OutOfMemoryException">There is no managed memory.</exception>
    void Flush(long flush);

    /// <summary>A flush completed: what waited for it may be used again.</summary>
    void Flushed();

    /// <summary>A flush failed: no write may be acknowledged any more.</summary>
    void Poison(long flush, Exception failure);

    /// <summary>The exception for writes and commits after a failure.</summary>
    PilePoisonedException Poisoned(Exception failure);
}
