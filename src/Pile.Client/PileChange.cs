// One change of a table, as a watch tells it.
// The value is not told: who needs it reads it.
using System;

namespace Pile.Client;

/// <summary>A change.</summary>
/// <param name="Kind">What has changed.</param>
/// <param name="Key">The entry's key; the tag, of <see cref="PileChangeKind.TagRemoved"/>; else empty.</param>
public readonly record struct PileChange(PileChangeKind Kind, ReadOnlyMemory<byte> Key);
