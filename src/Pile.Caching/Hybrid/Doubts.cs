// What is not believed of the cache behind, because a removal or a newer value did not get there, or may be forgotten there: entries and tags, each with the moment
// up to which what stands there is out of date. Bounded: beyond, the middle one of the moments counts for all, and those up to it need not be remembered.
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;

namespace Pile.Caching.Hybrid;

/// <summary>Doubts about the cache behind. Thread-safe.</summary>
internal sealed class Doubts
{
    private readonly ConcurrentDictionary<string, long> _moments = new();
    private readonly Lock _raising = new();
    private long _all;

    /// <summary>What was made up to a moment is not believed any more.</summary>
    internal void Add(string key, long momentTicks)
    {
        _ = _moments.AddOrUpdate(key, momentTicks, (_, before) => long.Max(before, momentTicks));
        if (_moments.Count > CachingLimits.DoubtsMax && _raising.TryEnter())
        {
            // Who comes meanwhile leaves it to the one who is at it.
            try
            {
                RaiseAll();
            }
            finally
            {
                _raising.Exit();
            }
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

    private void RaiseAll()
    {
        long[] moments = [.. _moments.Values.Order()];
        long momentTicks = moments.Length == 0 ? 0 : long.Max(_all, moments[moments.Length / 2]);
        Volatile.Write(ref _all, momentTicks);

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
