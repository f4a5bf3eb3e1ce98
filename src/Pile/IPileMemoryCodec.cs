// The door for serializers that read memory, and take no span.
// The pile knows nothing of it: to the pile it is a codec like any other.
using System;
using Pile.Memory;

namespace Pile;

/// <summary>A codec that is given the stored bytes as memory: for serializers, MessagePack-CSharp's for example, that take no
/// span.</summary>
/// <typeparam name="T">The type.</typeparam>
/// <remarks>Registered with <see cref="PileCodecs.Add"/> like any <see cref="IPileCodec{T}"/>. Nothing is copied; a read costs one small
/// object more than by a span.</remarks>
public interface IPileMemoryCodec<T> : IPileCodec<T>
{
    /// <summary>Reads a value back.</summary>
    /// <param name="payload">The bytes that <see cref="IPileCodec{T}.Write"/> wrote, in the pile's own memory. Valid only during the call:
    /// whoever keeps it gets an <see cref="ObjectDisposedException"/> from its span.</param>
    T Read(ReadOnlyMemory<byte> payload);

    /// <inheritdoc/>
    T IPileCodec<T>.Read(ReadOnlySpan<byte> payload) =>
        NativeView.Lend(payload, $"call of {nameof(IPileMemoryCodec<>)}.{nameof(Read)}", this, static (codec, memory) => codec.Read(memory));
}
