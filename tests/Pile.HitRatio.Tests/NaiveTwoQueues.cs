using System.Collections.Generic;
using System.Linq;

namespace Pile.HitRatio.Tests;

/// <summary>2Q as a list of objects in the order of their last move, each with the name of its queue.</summary>
internal sealed class NaiveTwoQueues(long capacity) : INaive
{
    private readonly List<(string Queue, ulong Key, long Cost)> _all = [];

    public long Used => Bytes("A1in") + Bytes("Am");

    public bool Request(ulong key, long cost)
    {
        (string Queue, ulong Key, long Cost) found = _all.Find(one => one.Key == key);
        switch (found.Queue)
        {
            case "Am":
                _all.Remove(found);
                _all.Add(found);
                return true;
            case "A1in":
                return true;
            default:
                if (cost <= capacity)
                {
                    while (Used + cost > capacity)
                    {
                        Reclaim();
                    }

                    _all.RemoveAll(one => one.Key == key);
                    _all.Add((found.Queue == "A1out" ? "Am" : "A1in", key, cost));
                }

                return false;
        }
    }

    private void Reclaim()
    {
        bool fromIn = 4 * Bytes("A1in") > capacity || Bytes("Am") == 0;
        (string Queue, ulong Key, long Cost) victim = _all.First(one => one.Queue == (fromIn ? "A1in" : "Am"));
        _all.Remove(victim);
        if (fromIn)
        {
            _all.Add(victim with { Queue = "A1out" });
            while (2 * Bytes("A1out") > capacity)
            {
                _all.Remove(_all.First(static one => one.Queue == "A1out"));
            }
        }
    }

    private long Bytes(string queue) => _all.Where(one => one.Queue == queue).Sum(static one => one.Cost);
}
