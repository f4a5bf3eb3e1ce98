namespace Pile.HitRatio.Traces;

/// <summary>SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): numbers from a seed, the same on every machine.</summary>
internal sealed class SplitMix(ulong seed)
{
    private const ulong Step = 0x9E37_79B9_7F4A_7C15;
    private const double UnitOfBit = 1.0 / (1UL << 53);
    private ulong _state = seed;

    internal ulong Next() => Mix(_state += Step);

    /// <summary>From 0 to below 1.</summary>
    internal double NextUnit() => UnitOf(Next());

    /// <summary>From 0 to below a limit; the limits here are small enough for the remainder not to show.</summary>
    internal int NextBelow(int limit) => (int)(Next() % (ulong)limit);

    /// <summary>Its last step alone: different numbers stay different.</summary>
    internal static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58_476D_1CE4_E5B9;
        value = (value ^ (value >> 27)) * 0x94D0_49BB_1331_11EB;
        return value ^ (value >> 31);
    }

    /// <summary>A number's upper 53 bits as a fraction below 1.</summary>
    internal static double UnitOf(ulong value) => (value >> 11) * UnitOfBit;
}
