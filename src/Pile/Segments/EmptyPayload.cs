// A payload of no bytes: a tombstone says all it has to say in its header.
// It exists so that tombstones are appended like every other record.
using System;

namespace Pile.Segments;

/// <summary>Nothing.</summary>
internal readonly struct EmptyPayload : IPayload
{
    public int Bytes => 0;

    public ReadOnlySpan<byte> Source => default;

    public void WriteTo(Span<byte> target)
    {
    }
}
