// The door for other serializers: how objects of one type become bytes and come back.
// Pile stores what a codec writes as it stands: no schema, no version, no checksum is added.
using System;
using System.Buffers;

namespace Pile;

/// <summary>Writes and reads objects of one type. Implementations are thread-safe and keep no reference to what they are given.</summary>
/// <typeparam name="T">The type.</typeparam>
/// <remarks>For a serializer that reads memory and takes no span there is <see cref="IPileMemoryCodec{T}"/>.</remarks>
public interface IPileCodec<T>
{
    /// <summary>Writes the value. What it writes must be readable by <see cref="Read"/> for as long as the pile lives.</summary>
    /// <param name="value">The value; never null.</param>
    /// <param name="writer">Where to; valid only during the call.</param>
    void Write(T value, IBufferWriter<byte> writer);

    /// <summary>Reads a value back.</summary>
    /// <param name="payload">The bytes that <see cref="Write"/> wrote, in the pile's own memory; valid only during the call.</param>
    T Read(ReadOnlySpan<byte> payload);
}
