// Values by a serializer of the program.
// What it throws comes through.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Caching.Hybrid;

namespace Pile.Caching.Hybrid;

/// <summary>The form of a serializer.</summary>
/// <param name="serializer">The serializer.</param>
internal sealed class SerializerForm<T>(IHybridCacheSerializer<T> serializer) : HybridForm<T>
{
    /// <inheritdoc/>
    internal override bool ReadsInPlace => false;

    /// <inheritdoc/>
    protected override byte[] WriteValue(T value)
    {
        var writer = new ArrayBufferWriter<byte>();
        writer.Write([Serialized]);
        serializer.Serialize(value, writer);
        return writer.WrittenSpan.ToArray();
    }

    /// <inheritdoc/>
    protected override bool TryReadValue(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> memory, [MaybeNullWhen(false)] out T value)
    {
        if (bytes.Length > 0 && bytes[0] == Serialized)
        {
            value = serializer.Deserialize(new ReadOnlySequence<byte>(memory[1..]));
            return true;
        }

        value = default;
        return false;
    }
}
