// How long requests took, as counts by time: 64 steps to each doubling, so that a percentile is right to 1.6 percent whatever its size.
// One a worker, added up at the end.
using System;
using System.Numerics;

namespace Pile.Tool.Measuring;

/// <summary>Counts of times. One thread.</summary>
internal sealed class LatencyHistogram
{
    private const int StepBits = 6;
    private const int Steps = 1 << StepBits;

    private readonly long[] _counts = new long[(64 - StepBits) * Steps];
    private long _all;

    /// <summary>The longest, in nanoseconds.</summary>
    internal long MostNs { get; private set; }

    /// <summary>Counts a time.</summary>
    /// <param name="ns">In nanoseconds; negative ones count as zero.</param>
    internal void Add(long ns)
    {
        ns = long.Max(ns, 0);
        _counts[PlaceOf(ns)]++;
        _all++;
        MostNs = long.Max(MostNs, ns);
    }

    /// <summary>Adds another's counts.</summary>
    internal void Add(LatencyHistogram other)
    {
        for (int place = 0; place < _counts.Length; place++)
        {
            _counts[place] += other._counts[place];
        }

        _all += other._all;
        MostNs = long.Max(MostNs, other.MostNs);
    }

    /// <summary>The time within which a share of the requests was done, in nanoseconds; 0 where there was none.</summary>
    /// <param name="share">0 to 1.</param>
    internal long WithinNs(double share)
    {
        long left = (long)Math.Ceiling(_all * share);
        for (int place = 0; place < _counts.Length; place++)
        {
            left -= _counts[place];
            if (left <= 0 && _all > 0)
            {
                return long.Min(EndOf(place), MostNs);
            }
        }

        return MostNs;
    }

    private static int PlaceOf(long ns)
    {
        int shift = int.Max(BitOperations.Log2((ulong)ns | 1) - StepBits, 0);
        return ns < Steps ? (int)ns : ((shift + 1) << StepBits) + (int)(ns >> shift) - Steps;
    }

    /// <summary>The longest time of a place.</summary>
    private static long EndOf(int place)
    {
        int shift = int.Max((place >> StepBits) - 1, 0);
        long first = place < Steps ? place : (long)((place & (Steps - 1)) + Steps) << shift;
        return first + (1L << shift) - 1;
    }
}
