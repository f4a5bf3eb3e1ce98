using System;
using System.Runtime.CompilerServices;

namespace Pile.Bench.Baselines;

/// <summary>The bare loop that Put is compared with: the same bytes, one block after the other.</summary>
// SAFETY: every block is inside the ring (checked at the entry of Run).
internal static unsafe class RingCopy
{
    /// <summary>Copies a payload to blocks <paramref name="first"/> to <paramref name="first"/> + <paramref name="count"/>.</summary>
    // SAFETY: the check at the entry keeps every block inside the ring.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Run(byte[] payload, NativeBlock ring, int first, int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)(first + count) * payload.Length, ring.Bytes);
        byte* block = ring.Start + ((long)first * payload.Length);
        for (int index = 0; index < count; index++)
        {
            new ReadOnlySpan<byte>(payload).CopyTo(new Span<byte>(block, payload.Length));
            block += payload.Length;
        }

        return count;
    }
}
