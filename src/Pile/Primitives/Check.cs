// Assertions of internal invariants: on in Debug and in the test build, gone from the shipped one.
// Not for caller mistakes (Throw) and not for damage in stored bytes (PileCorruptedException).
using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pile.Primitives;

/// <summary>Cheap invariant checks.</summary>
internal static class Check
{
    /// <summary>Fails when an invariant that the code itself must keep does not hold.</summary>
    [Conditional("DEBUG")]
    [Conditional("PILE_CHECKS")]
    internal static void That(
        [DoesNotReturnIf(false)] bool holds,
        [CallerArgumentExpression(nameof(holds))] string? invariant = null)
    {
        if (!holds)
        {
            Fail(invariant);
        }
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fail(string? invariant) =>
        throw new InvalidOperationException($"Invariant broken in Pile: {invariant}. This is a defect of Pile, please report it.");

    /// <summary>Refuses limits below which no pile works.</summary>
    internal static void LimitBytes(long bytes, string name)
    {
        if (bytes < Limits.MemoryLimitMin)
        {
            Throw.Argument(name, bytes, $"{name} must be at least {Limits.MemoryLimitMin:N0} (MemoryLimitMin).");
        }
    }

    /// <summary>Refuses payloads that no record can hold.</summary>
    internal static void PayloadBytes(long bytes)
    {
        if (bytes > Limits.PayloadBytesMax)
        {
            Throw.TooLarge(bytes);
        }
    }
}
