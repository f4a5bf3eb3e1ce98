// What a writer appends: something of known length that can write itself into a span. One door for all lanes.
// Nothing that can throw or run foreign code belongs behind it, because a writer is held while it writes.
using System;

namespace Pile.Segments;

/// <summary>A payload in some form outside the pile. Implementations are ref structs; writing must not throw.</summary>
internal interface IPayload
{
    /// <summary>Length in bytes.</summary>
    int Bytes { get; }

    /// <summary>The same bytes, where they stand in one place already; else empty.</summary>
    ReadOnlySpan<byte> Source { get; }

    /// <summary>Writes exactly <see cref="Bytes"/> bytes to the target, which has that length.</summary>
    void WriteTo(Span<byte> target);
}
