using System;
using System.Runtime.CompilerServices;
using Pile.Bench.Workloads;

namespace Pile.Bench.Baselines;

/// <summary>Bare pointers to a pile's own blocks, in an array: no table, no check. Reached at random through a second array that
/// is read in order, as a lease loop reads its pointers in order.</summary>
// SAFETY: _block holds 8 bytes for each index below _count, each the address of a payload that the pile keeps mapped.
internal sealed unsafe class PointerArray : IDisposable
{
    private readonly NativeBlock _block;
    private readonly int _count;

    /// <summary>Takes the addresses of the payloads of <paramref name="pointers"/>; good while nothing is moved.</summary>
    // SAFETY: the block holds 8 bytes for each index below _count.
    internal PointerArray(ObjectPile pile, ReadOnlySpan<PilePointer> pointers, bool hugePages)
    {
        _count = pointers.Length;
        _block = new NativeBlock((long)_count * sizeof(byte*), hugePages).Touched();
        byte** addresses = (byte**)_block.Start;
        using PileReader reader = pile.BeginRead();
        for (int index = 0; index < pointers.Length; index++)
        {
            fixed (byte* payload = reader[pointers[index]])
            {
                addresses[index] = payload;
            }
        }
    }

    /// <summary>Touches the first and last byte of blocks <c>order[first .. first + count]</c>.</summary>
    // SAFETY: order is a permutation of the indices below _count (Shuffled.Order); addresses are of live payloads that stay mapped
    // and in place while the pile is open and nobody writes to it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal long TouchEnds(int[] order, int first, int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(first + count, order.Length);
        byte** addresses = (byte**)_block.Start;
        long sum = 0;
        fixed (int* start = order)
        {
            int* next = start + first;
            for (int index = 0; index < count; index++)
            {
                byte* block = addresses[next[index]];
                sum += block[0] + block[Data.LastByte];
            }
        }

        return sum;
    }

    /// <summary>Whether the payloads are still where they were.</summary>
    // SAFETY: only compares addresses.
    internal bool StillHolds(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        byte** addresses = (byte**)_block.Start;
        using PileReader reader = pile.BeginRead();
        for (int index = 0; index < pointers.Length; index += 97)
        {
            fixed (byte* payload = reader[pointers[index]])
            {
                if (addresses[index] != payload)
                {
                    return false;
                }
            }
        }

        return pointers.Length == _count;
    }

    public void Dispose() => _block.Dispose();
}
