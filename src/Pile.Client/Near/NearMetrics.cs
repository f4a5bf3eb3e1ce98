// What near caches tell those who watch: figures of each at the moment of asking, told apart by the server's address.
// A hit pays nothing for it: the memory counts its reads anyway.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using Pile.Client.Calls;

namespace Pile.Client.Near;

/// <summary>The instruments of near caches, of the meter "Pile.Client". Thread-safe.</summary>
internal static class NearMetrics
{
    private static readonly Meter _meter = new(ClientMetrics.Name);
    private static readonly ConcurrentDictionary<PileNearCache, bool> _caches = new();

    static NearMetrics()
    {
        _ = _meter.CreateObservableCounter("pile.client.near.hits", () => Each(static figures => figures.Hits), "{read}", "Reads that near caches answered.");
        _ = _meter.CreateObservableCounter("pile.client.near.misses", () => Each(static figures => figures.Misses), "{read}", "Reads of near caches that asked the server.");
        _ = _meter.CreateObservableCounter("pile.client.near.invalidations", () => Each(static figures => figures.Invalidations), "{change}", "Changes that near caches were told of.");
        _ = _meter.CreateObservableCounter("pile.client.near.losses", () => Each(static figures => figures.Losses), "{loss}", "How often near caches dropped everything because changes were lost.");
        _ = _meter.CreateObservableCounter("pile.client.near.interruptions", () => Each(static figures => figures.Interruptions), "{interruption}", "How often watches of near caches were interrupted.");
        _ = _meter.CreateObservableUpDownCounter("pile.client.near.entries", () => Each(static figures => figures.Entries), "{entry}", "Entries in near caches.");
        _ = _meter.CreateObservableGauge("pile.client.near.staleness", Stalenesses, "s", "How old answers of near caches can be; nothing while one of its tables does not serve.");
    }

    internal static void Come(PileNearCache cache) => _caches.TryAdd(cache, true);

    internal static void Leave(PileNearCache cache) => _caches.TryRemove(cache, out _);

    private static IEnumerable<Measurement<long>> Each(Func<PileNearFigures, long> figure)
    {
        foreach ((PileNearCache cache, _) in _caches)
        {
            if (cache.TryFigures() is { } figures)
            {
                yield return new Measurement<long>(figure(figures), new KeyValuePair<string, object?>("server.address", cache.Address));
            }
        }
    }

    private static IEnumerable<Measurement<double>> Stalenesses()
    {
        foreach ((PileNearCache cache, _) in _caches)
        {
            if (cache.TryFigures()?.Staleness is { } staleness)
            {
                yield return new Measurement<double>(staleness.TotalSeconds, new KeyValuePair<string, object?>("server.address", cache.Address));
            }
        }
    }
}
