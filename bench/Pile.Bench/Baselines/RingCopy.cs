using System;
using System.Runtime.CompilerServices;

namespace Pile.Bench.Baselines;

/// <summary>The bare loop that Put is compared with: the same bytes, one block after the other.</summary>
// SAFETY: every block is inside the ring (checked at the entry of the last Run).
internal static unsafe class RingCopy
{
    /// <summary>Copies a payload to blocks <paramref name="first"/> to <paramref name="first"/> + <paramref name="count"/>.</summary>
    // SAFETY: the check at the entry keeps every block inside the ring.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Run(byte[] payload, NativeBlock ring, int first, int count) => Run(payload, ring.Start, ring.Bytes, first, count);

    /// <inheritdoc cref="Run(byte[], NativeBlock, int, int)"/>
    // SAFETY: as above.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Run(byte[] payload, MappedFile ring, int first, int count) => Run(payload, ring.Start, ring.Bytes, first, count);

    // SAFETY: the callers pass a block and its size; the check at the entry keeps every store inside.
    private static long Run(byte[] payload, byte* start, long bytes, int first, int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)(first + count) * payload.Length, bytes);
        byte* block = start + ((long)first * payload.Length);
        for (int index = 0; index < count; index++)
        {
            new ReadOnlySpan<byte>(payload).CopyTo(new Span<byte>(block, payload.Length));
            block += payload.Length;
        }

        return count;
    }
}
