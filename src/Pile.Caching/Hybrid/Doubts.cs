// What is not believed of the cache behind, because a removal or a newer value did not get there, or may be forgotten there: entries and tags, each with the moment
// up to which what stands there is out of date. Bounded: beyond, the newest moment counts for all.
using System.Collections.Concurrent;
using System.Threading;

namespace Pile.Caching.Hybrid;

/// <summary>Doubts about the cache behind. Thread-safe.</summary>
internal sealed class Doubts
{
    private readonly ConcurrentDictionary<string, long> _moments = new();
    private long _all;

    /// <summary>What was made up to a moment is not believed any more.</summary>
    internal void Add(string key, long momentTicks)
    {
        _ = _moments.AddOrUpdate(key, momentTicks, (_, before) => long.Max(before, momentTicks));
        if (_moments.Count > CachingLimits.DoubtsMax)
        {
            RaiseAll(momentTicks);
        }
    }

    /// <summary>A write at that moment has got there: what is older is there no more.</summary>
    internal void Settle(string key, long momentTicks)
    {
        if (_moments.TryGetValue(key, out long before) && before <= momentTicks)
        {
            _ = _moments.TryRemove(new(key, before));
        }
    }

    /// <summary>The moment up to which a key is not believed; 0 for none.</summary>
    internal long Of(string key)
    {
        // Writer: RaiseAll, which drops the single moments when all is raised. Reader: the single one first, by a load that none after it passes (the
        // dictionary's nodes are volatile). The other way round it could be missed in both.
        long own = _moments.TryGetValue(key, out long moment) ? moment : 0;
        return long.Max(own, Volatile.Read(ref _all));
    }

    private void RaiseAll(long momentTicks)
    {
        long all = Volatile.Read(ref _all);
        while (all < momentTicks && Interlocked.CompareExchange(ref _all, momentTicks, all) is var seen && seen != all)
        {
            all = seen;
        }

        // Those that the moment covers; a later one that came meanwhile stays.
        foreach ((string key, long moment) in _moments)
        {
            if (moment <= momentTicks)
            {
                _ = _moments.TryRemove(new(key, moment));
            }
        }
    }
}
