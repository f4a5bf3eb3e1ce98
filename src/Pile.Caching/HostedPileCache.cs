// Where a host's cache stands once it is opened: the one service that exists before that, for those who are made before it too.
// It opens and closes nothing; PileLifecycle of Pile.Hosting does.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>A host's cache, to be asked for when it is needed. Hosted services take this instead of the <see cref="PileCache"/>: the host
/// makes them before anything is opened. Thread-safe.</summary>
public sealed class HostedPileCache
{
    private readonly string? _key;
    private PileCache? _cache;

    internal HostedPileCache(string? key) => _key = key;

    /// <summary>The cache, from before servers and workers start until they have stopped; afterwards it answers that it was disposed.</summary>
    /// <exception cref="InvalidOperationException">The host has not opened it yet.</exception>
    public PileCache Cache => Volatile.Read(ref _cache) ?? throw new InvalidOperationException(
        PileNames.NotOpen(_key, "cache", nameof(HostedPileCache), nameof(Cache)));

    /// <summary>The cache, when the host has opened it.</summary>
    /// <param name="cache">The cache, or null when false.</param>
    public bool TryGet([NotNullWhen(true)] out PileCache? cache)
    {
        cache = Volatile.Read(ref _cache);
        return cache is not null;
    }

    internal void Set(PileCache cache) => Volatile.Write(ref _cache, cache);
}
