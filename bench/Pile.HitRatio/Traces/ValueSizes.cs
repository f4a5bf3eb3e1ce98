using System;

namespace Pile.HitRatio.Traces;

/// <summary>How large the value of a key is: always the same for a key, so that nothing need be kept.</summary>
internal static class ValueSizes
{
    /// <summary>Of traces with values of one size.</summary>
    internal const int EvenBytes = 100;

    internal const int MixedBytesMin = 50;
    internal const int MixedBytesMax = 64 * 1024;

    /// <summary>The exponent of the tail: below 2, so that few large values have much of the bytes.</summary>
    internal const double TailExponent = 1.1;

    private const ulong Salt = 0x5157_AB1E_0F5E_ED5A;

    /// <summary>The same for all.</summary>
    internal static int Even(ulong key)
    {
        _ = key;
        return EvenBytes;
    }

    /// <summary>By a Pareto distribution, cut off at the top.</summary>
    internal static int Mixed(ulong key)
    {
        double rest = 1 - SplitMix.UnitOf(SplitMix.Mix(key ^ Salt));
        return (int)double.Min(MixedBytesMax, MixedBytesMin * Math.Pow(rest, -1 / TailExponent));
    }
}
