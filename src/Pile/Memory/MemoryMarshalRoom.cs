// What only MemoryMarshal can do with Memory<T>: see the string behind it, and make writable what was made read-only.
// Arrays behind it are seen by the checked TryGetArray.
using System;
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>Looks behind memory.</summary>
internal static class MemoryMarshalRoom
{
    /// <summary>The string behind memory of chars.</summary>
    // SAFETY: TryGetString only looks, and answers false for memory that is not a string's.
    internal static bool TryGetString<T>(ReadOnlyMemory<T> memory, out string? text, out int start)
    {
        text = null;
        start = 0;
        return memory is ReadOnlyMemory<char> chars && MemoryMarshal.TryGetString(chars, out text, out start, out _);
    }

    /// <summary>Memory over the same array, or string, to write to: as writable as what was stored.</summary>
    // SAFETY: the bounds stay those of the memory given; a string behind it was behind a Memory<char> when it was stored.
    internal static Memory<T> Writable<T>(ReadOnlyMemory<T> memory) => MemoryMarshal.AsMemory(memory);
}
