// What a cache is made with. A cache that makes its own pile chooses the pile's options from these; one that shares a pile leaves
// that pile's as they are.
using System;

namespace Pile.Cache;

/// <summary>Options of a cache.</summary>
public sealed record PileCacheOptions
{
    /// <summary>Bytes that the cache may hold outside the GC heap, or in its files: entries, index, ghosts and free memory together, never more.
    /// At least 1 MiB, and in a directory at least what its durable tables take. Null: three quarters of the memory the process may use; in a
    /// directory no more than half of what is free on the device and its own, and no less than its files take at the open.</summary>
    public long? MemoryLimitBytes { get; init; }

    /// <summary>What a cache in a directory promises, decided when it is created; PowerSafe unless set. Null for what the directory has. Of no
    /// use in memory.</summary>
    public PilePromise? Promise { get; init; }

    /// <summary>The clock of expiry.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether a background thread removes what has expired and makes room ahead of writers. Without it expired entries are
    /// never shown either, and go when room is needed.</summary>
    public bool BackgroundCleaning { get; init; } = true;

    /// <summary>How much the cache may hold for what lives in it, before memory is short: as <see cref="PileOptions.UsedOverLive"/>.</summary>
    public double UsedOverLive { get; init; } = new PileOptions().UsedOverLive;

    /// <summary>Codecs of the caller's own types, by a number that is stored with each value.</summary>
    public PileCodecs Codecs { get; init; } = new();
}
