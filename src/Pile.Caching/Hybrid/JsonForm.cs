// Values as JSON: what other machines can read that share a cache behind this one, where the program has registered no serializer for
// the type.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace Pile.Caching.Hybrid;

/// <summary>The form of JSON.</summary>
/// <param name="services">Where options are looked for, or null.</param>
internal sealed class JsonForm<T>(IServiceProvider? services) : HybridForm<T>
{
    private readonly JsonValues<T> _values = new(services);

    /// <inheritdoc/>
    internal override bool ReadsInPlace => false;

    /// <inheritdoc/>
    protected override byte[] WriteValue(T value)
    {
        var buffer = new ArrayBufferWriter<byte>();
        buffer.Write([Json]);
        _values.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    /// <inheritdoc/>
    protected override bool TryReadValue(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> memory, [MaybeNullWhen(false)] out T value)
    {
        if (bytes.Length > 0 && bytes[0] == Json)
        {
            value = _values.Deserialize(new ReadOnlySequence<byte>(memory[1..]));
            return value is not null;
        }

        value = default;
        return false;
    }
}
