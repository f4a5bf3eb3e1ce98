// A growing list of slots. The framework's list of unsigned numbers has no code that is there before it is compiled, and every open
// would wait for that. Not thread-safe.
using System;

namespace Pile.Table;

/// <summary>Slots, in the order in which they were added.</summary>
internal sealed class SlotList
{
    private uint[] _slots = new uint[4];

    /// <summary>How many.</summary>
    internal int Count { get; private set; }

    /// <summary>One of them.</summary>
    /// <param name="index">Below <see cref="Count"/>.</param>
    internal uint this[int index] => _slots[index];

    /// <summary>Adds one.</summary>
    internal void Add(uint slot)
    {
        Reserve(1);
        _slots[Count++] = slot;
    }

    /// <summary>Finds the room for so many more: adding them can't fail then.</summary>
    internal void Reserve(int more)
    {
        int needed = checked(Count + more);
        if (needed > _slots.Length)
        {
            uint[] larger = new uint[int.Max(needed, _slots.Length * 2)];
            Array.Copy(_slots, larger, Count);
            _slots = larger;
        }
    }

    /// <summary>Adds all of another, or none where there is no memory.</summary>
    internal void Add(SlotList others)
    {
        Reserve(others.Count);
        for (int index = 0; index < others.Count; index++)
        {
            Add(others[index]);
        }
    }

    /// <summary>Whether a slot is among them; looks at one after the other.</summary>
    internal bool Contains(uint slot) => ContainsBefore(Count, slot);

    /// <summary>Whether a slot is among the first of them; looks at one after the other.</summary>
    internal bool ContainsBefore(int end, uint slot)
    {
        for (int index = 0; index < end; index++)
        {
            if (_slots[index] == slot)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Forgets them.</summary>
    internal void Clear() => Count = 0;
}
