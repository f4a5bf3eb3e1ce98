// Takes what a codec writes for a key: one byte of lane, then the payload.
// Nothing is stored; the bytes live until the next use of the buffer.
using System;
using System.Buffers;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Keys;

/// <summary>Receives a key's bytes.</summary>
internal ref struct KeyReceiver(Span<byte> scratch) : IPayloadTarget
{
    private readonly Span<byte> _scratch = scratch;

    /// <inheritdoc/>
    public static bool Stores => false;

    /// <summary>The bytes.</summary>
    internal ReadOnlySpan<byte> Bytes { get; private set; }

    /// <summary>The array they stand in, when the scratch was too short.</summary>
    internal byte[]? Rented { get; private set; }

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        int length = payload.Bytes + 1;
        Span<byte> target = length <= _scratch.Length ? _scratch[..length] : (Rented = ArrayPool<byte>.Shared.Rent(length)).AsSpan(0, length);
        target[0] = (byte)code;
        payload.WriteTo(target[1..]);
        Bytes = target;
        return PileStatus.Ok;
    }
}
