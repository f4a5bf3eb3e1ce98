// A writer's own free slots, first in first out: the next ones are known early enough to prefetch their entries, and
// a slot comes round again only after hundreds of others, which spreads the wear of generations.
// Not thread-safe: it belongs to the holder of the writer.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>A bounded queue of free slots. A mutable struct: it lives in its writer, one hop nearer than an object would.</summary>
internal struct SlotRing()
{
    private const int Mask = Limits.SlotRingSlots - 1;
    private readonly uint[] _slots = new uint[Limits.SlotRingSlots];
    private uint _head;
    private uint _tail;

    /// <summary>Slots in the ring.</summary>
    internal readonly int Count => (int)(_tail - _head);

    /// <summary>Whether a push would find no room.</summary>
    internal readonly bool IsFull => Count == Limits.SlotRingSlots;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Push(uint slot)
    {
        Check.That(!IsFull);
        _slots[_tail++ & Mask] = slot;
    }

    /// <summary>Takes the oldest slot; the ring is not empty.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint Pop()
    {
        Check.That(Count > 0);
        return _slots[_head++ & Mask];
    }

    /// <summary>The slot that will be popped after <paramref name="ahead"/> others; stale, but a slot, when there are fewer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly uint Ahead(int ahead) => _slots[(_head + (uint)ahead) & Mask];

    /// <summary>Empties the ring.</summary>
    internal void Clear() => _head = _tail = 0;
}
