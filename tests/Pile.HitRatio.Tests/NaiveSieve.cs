using System.Collections.Generic;
using System.Linq;

namespace Pile.HitRatio.Tests;

/// <summary>SIEVE by the number of each object's admission. The hand is such a number too: it stands at the first object that is not
/// older, and begins with the oldest when there is none.</summary>
internal sealed class NaiveSieve(long capacity) : INaive
{
    private const long AtTheOldest = 0;
    private readonly SortedDictionary<long, (ulong Key, long Cost, bool IsVisited)> _byAdmission = [];
    private long _clock = AtTheOldest;
    private long _hand = AtTheOldest;

    public long Used => _byAdmission.Values.Sum(static one => one.Cost);

    public bool Request(ulong key, long cost)
    {
        foreach ((long admission, (ulong Key, long Cost, bool IsVisited) one) in _byAdmission)
        {
            if (one.Key == key)
            {
                _byAdmission[admission] = one with { IsVisited = true };
                return true;
            }
        }

        if (cost > capacity)
        {
            return false;
        }

        while (Used + cost > capacity)
        {
            EvictOne();
        }

        _byAdmission[++_clock] = (key, cost, false);
        return false;
    }

    private void EvictOne()
    {
        while (true)
        {
            long place = _byAdmission.Keys.FirstOrDefault(admission => admission >= _hand, _byAdmission.Keys.First());
            (ulong Key, long Cost, bool IsVisited) one = _byAdmission[place];

            // The next younger one of now: what is admitted later does not count, the hand goes back to the oldest then.
            _hand = _byAdmission.Keys.FirstOrDefault(admission => admission > place, AtTheOldest);
            if (!one.IsVisited)
            {
                _byAdmission.Remove(place);
                return;
            }

            _byAdmission[place] = one with { IsVisited = false };
        }
    }
}
