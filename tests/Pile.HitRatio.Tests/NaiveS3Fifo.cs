using System.Collections.Generic;
using System.Linq;

namespace Pile.HitRatio.Tests;

/// <summary>S3-FIFO as the paper's pseudocode says it, function by function, over three lists with the head first.</summary>
internal sealed class NaiveS3Fifo(long capacity) : INaive
{
    private readonly List<Thing> _s = [];
    private readonly List<Thing> _m = [];
    private readonly List<Thing> _g = [];

    public long Used => Size(_s) + Size(_m);

    public bool Request(ulong key, long cost)
    {
        if (_s.Concat(_m).FirstOrDefault(one => one.Key == key) is { } x)
        {
            x.Freq = int.Min(x.Freq + 1, 3);
            return true;
        }

        if (cost <= capacity)
        {
            Insert(new Thing(key, cost));
        }

        return false;
    }

    private void Insert(Thing x)
    {
        while (Used + x.Cost > capacity)
        {
            Evict();
        }

        (_g.RemoveAll(one => one.Key == x.Key) > 0 ? _m : _s).Insert(0, x);
    }

    private void Evict()
    {
        if (_m.Count == 0 || (_s.Count > 0 && 10 * Size(_s) >= capacity))
        {
            EvictS();
        }
        else
        {
            EvictM();
        }
    }

    private void EvictS()
    {
        bool evicted = false;
        while (!evicted && _s.Count > 0)
        {
            Thing t = _s[^1];
            _s.RemoveAt(_s.Count - 1);
            if (t.Freq > 1)
            {
                _m.Insert(0, new Thing(t.Key, t.Cost));
                while (IsFull(_m))
                {
                    EvictM();
                }
            }
            else
            {
                _g.Insert(0, t);
                while (IsFull(_g))
                {
                    _g.RemoveAt(_g.Count - 1);
                }

                evicted = true;
            }
        }
    }

    private void EvictM()
    {
        bool evicted = false;
        while (!evicted && _m.Count > 0)
        {
            Thing t = _m[^1];
            _m.RemoveAt(_m.Count - 1);
            if (t.Freq > 0)
            {
                t.Freq--;
                _m.Insert(0, t);
            }
            else
            {
                evicted = true;
            }
        }
    }

    /// <summary>Beyond nine tenths of the cache: main's share, and as much for the ghosts.</summary>
    private bool IsFull(List<Thing> queue) => 10 * Size(queue) > 9 * capacity;

    private static long Size(List<Thing> queue) => queue.Sum(static one => one.Cost);

    private sealed class Thing(ulong key, long cost)
    {
        internal ulong Key { get; } = key;

        internal long Cost { get; } = cost;

        internal int Freq { get; set; }
    }
}
