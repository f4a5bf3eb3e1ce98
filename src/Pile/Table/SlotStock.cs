// A writer's own free slots: a run, which is up to 64 neighbours as the bits of a word, and behind it a ring of single ones,
// first in first out. A run is what fresh and mass-deleted slots come in, and taking from it touches no memory but its own;
// the ring's next slots are known early enough to prefetch their entries, and a slot comes round again only after hundreds
// of others, which spreads the wear of generations.
// Not thread-safe: it belongs to the holder of the writer, inside whose object it lies.
using System.Numerics;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>A bounded stock of free slots.</summary>
internal struct SlotStock
{
    /// <summary>Slots of a run at the most.</summary>
    internal const int RunSlots = 64;

    private const int Mask = Limits.SlotRingSlots - 1;
    private ulong _run;
    private uint _runFirst;
    private uint _head;
    private uint _tail;
    private Slots _slots;

    /// <summary>Slots in stock.</summary>
    internal readonly int Count => BitOperations.PopCount(_run) + RingCount;

    /// <summary>Slots in the ring.</summary>
    internal readonly int RingCount => (int)(_tail - _head);

    /// <summary>Whether <see cref="Take"/> has something to take.</summary>
    internal readonly bool HasRun => _run != 0;

    /// <summary>Whether a push would find no room.</summary>
    internal readonly bool IsFull => RingCount == Limits.SlotRingSlots;

    /// <summary>Takes the lowest slot of a run that is not empty.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint Take()
    {
        Check.That(HasRun);
        ulong run = _run;
        _run = run & (run - 1);
        return _runFirst + (uint)BitOperations.TrailingZeroCount(run);
    }

    /// <summary>Sets the run when the present one is used up.</summary>
    /// <param name="first">The slot of the lowest bit, a multiple of 64.</param>
    /// <param name="bits">Which of the 64 are free.</param>
    internal void SetRun(uint first, ulong bits)
    {
        Check.That(!HasRun && first % RunSlots == 0);
        _runFirst = first;
        _run = bits;
    }

    /// <summary>Adds a slot behind all others.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Push(uint slot)
    {
        Check.That(!IsFull);
        _slots[(int)(_tail++ & Mask)] = slot;
    }

    /// <summary>Takes the oldest slot of the ring, and tells the one that will come after <paramref name="ahead"/> others, for a
    /// prefetch: stale when there are fewer, but a slot.</summary>
    /// <returns>False when the ring is empty.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryPop(out uint slot, int ahead, out uint later)
    {
        uint head = _head;
        if (head == _tail)
        {
            slot = later = 0;
            return false;
        }

        slot = _slots[(int)(head & Mask)];
        later = _slots[(int)((head + (uint)ahead) & Mask)];
        _head = head + 1;
        return true;
    }

    /// <summary>Forgets all slots.</summary>
    internal void Clear()
    {
        _run = 0;
        _head = _tail = 0;
    }

    [InlineArray(Limits.SlotRingSlots)]
    private struct Slots
    {
        private uint _first;
    }
}
