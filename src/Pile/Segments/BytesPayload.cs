// A payload that is a span of bytes already.
// The span may be the pile's own memory under a lease: a record is never overwritten while a lease sees it.
using System;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Segments;

/// <summary>Bytes as they are.</summary>
internal readonly ref struct BytesPayload(ReadOnlySpan<byte> bytes) : IPayload
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    public int Bytes => _bytes.Length;

    public ReadOnlySpan<byte> Source => _bytes;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(Span<byte> target) => RawValue.Copy(_bytes, target);
}
