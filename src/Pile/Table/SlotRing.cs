// A writer's own free slots, first in first out: the next ones are known early enough to prefetch their entries, and
// a slot comes round again only after hundreds of others, which spreads the wear of generations.
// Not thread-safe: it belongs to the holder of the writer, inside whose object it lies.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>A bounded queue of free slots.</summary>
internal struct SlotRing
{
    private const int Mask = Limits.SlotRingSlots - 1;
    private uint _head;
    private uint _tail;
    private Slots _slots;

    /// <summary>Slots in the ring.</summary>
    internal readonly int Count => (int)(_tail - _head);

    /// <summary>Whether there is nothing to pop.</summary>
    internal readonly bool IsEmpty => _head == _tail;

    /// <summary>Whether a push would find no room.</summary>
    internal readonly bool IsFull => Count == Limits.SlotRingSlots;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Push(uint slot)
    {
        Check.That(!IsFull);
        _slots[(int)(_tail++ & Mask)] = slot;
    }

    /// <summary>Takes the oldest slot of a ring that is not empty, and tells the one that will come after <paramref name="ahead"/>
    /// others, for a prefetch: stale when there are fewer, but a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint Pop(int ahead, out uint later)
    {
        Check.That(!IsEmpty);
        uint head = _head;
        _head = head + 1;
        later = _slots[(int)((head + (uint)ahead) & Mask)];
        return _slots[(int)(head & Mask)];
    }

    /// <summary>Empties the ring.</summary>
    internal void Clear() => _head = _tail = 0;

    [InlineArray(Limits.SlotRingSlots)]
    private struct Slots
    {
        private uint _first;
    }
}
