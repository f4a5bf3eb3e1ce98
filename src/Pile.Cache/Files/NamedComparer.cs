// The comparer of a table that was found in a directory and that nobody has asked for yet: its name is known, its code is not.
// The cleaner needs no comparer; whoever asks for the table brings it.
using System;

namespace Pile.Cache.Files;

/// <summary>A comparer that compares nothing.</summary>
/// <param name="name">Its name.</param>
internal sealed class NamedComparer(string name) : IPileKeyComparer
{
    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => throw new InvalidOperationException($"The comparer '{name}' is known by its name alone.");

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> stored, ReadOnlySpan<byte> sought) => throw new InvalidOperationException($"The comparer '{name}' is known by its name alone.");
}
