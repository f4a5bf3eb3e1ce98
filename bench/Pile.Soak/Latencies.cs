using System;
using System.Diagnostics;
using System.Numerics;

namespace Pile.Soak;

/// <summary>Histogram of durations: 32 classes to each power of two, so 3 percent apart.</summary>
internal sealed class Latencies
{
    private const int Steps = 32;
    private readonly long[] _counts = new long[64 * Steps];
    private long _total;

    /// <summary>Counts one duration in Stopwatch ticks.</summary>
    internal void Add(long ticks)
    {
        ulong value = (ulong)long.Max(ticks, Steps);
        int power = BitOperations.Log2(value);
        _counts[(power * Steps) + (int)((value >> (power - 5)) & (Steps - 1))]++;
        _total++;
    }

    /// <summary>The duration below which the given share lies, in microseconds.</summary>
    internal double MicrosecondsAt(double share)
    {
        long wanted = (long)Math.Ceiling(_total * share);
        long seen = 0;
        for (int index = 0; index < _counts.Length; index++)
        {
            seen += _counts[index];
            if (seen >= wanted && seen > 0)
            {
                double ticks = (1L << (index / Steps)) * (1 + ((index % Steps) + 0.5) / Steps);
                return ticks * 1e6 / Stopwatch.Frequency;
            }
        }

        return 0;
    }

    /// <summary>Durations counted.</summary>
    internal long Count => _total;
}
