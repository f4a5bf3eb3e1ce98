// Rounding to powers of two, in one place so that no layout does its own arithmetic.
// It does not check that the unit is a power of two, nor for overflow: callers pass limits and bounded sizes.
using System.Runtime.CompilerServices;

namespace Pile.Primitives;

/// <summary>Rounding of sizes; <c>unit</c> is always a power of two.</summary>
internal static class Align
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Up(int bytes, int unit) => (bytes + (unit - 1)) & -unit;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Up(long bytes, long unit) => (bytes + (unit - 1)) & -unit;
}
