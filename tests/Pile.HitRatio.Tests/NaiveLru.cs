using System.Collections.Generic;
using System.Linq;

namespace Pile.HitRatio.Tests;

/// <summary>LRU by the number of each object's last request: the smallest number goes.</summary>
internal sealed class NaiveLru(long capacity) : INaive
{
    private readonly Dictionary<ulong, (long Cost, long Last)> _held = [];
    private long _clock;

    public long Used => _held.Values.Sum(static one => one.Cost);

    public bool Request(ulong key, long cost)
    {
        _clock++;
        if (_held.TryGetValue(key, out (long Cost, long Last) found))
        {
            _held[key] = (found.Cost, _clock);
            return true;
        }

        if (cost > capacity)
        {
            return false;
        }

        while (Used + cost > capacity)
        {
            _held.Remove(_held.MinBy(static one => one.Value.Last).Key);
        }

        _held[key] = (cost, _clock);
        return false;
    }
}
