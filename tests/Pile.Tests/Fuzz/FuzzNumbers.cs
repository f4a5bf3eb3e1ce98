using System;

namespace Pile.Tests.Fuzz;

/// <summary>Numbers that a reader may not have thought of.</summary>
internal static class FuzzNumbers
{
    /// <summary>Another number in place of one of so many bits: an edge, a neighbour, a multiple, a bit away, or any.</summary>
    internal static ulong Next(Random random, ulong old, int bits)
    {
        ulong mask = bits == 64 ? ulong.MaxValue : (1UL << bits) - 1;
        int at = random.Next(bits);
        ulong next = random.Next(12) switch
        {
            0 => 0,
            1 => mask,
            2 => mask >> 1,
            3 => (mask >> 1) + 1,
            4 => 1UL << at,
            5 => (1UL << at) - 1,
            6 => old + (ulong)random.Next(1, 10),
            7 => old - (ulong)random.Next(1, 10),
            8 => old << random.Next(1, 5),
            9 => old >> random.Next(1, 5),
            10 => old ^ (1UL << at),
            _ => (ulong)random.NextInt64(),
        };
        return next & mask;
    }
}
