// Values as JSON: what other machines can read that share a cache behind this one, where the program has registered no serializer for
// the type.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Pile.Caching.Hybrid;

/// <summary>The form of JSON.</summary>
internal sealed class JsonForm<T> : HybridForm<T>
{
    private readonly JsonSerializerOptions _options;

    /// <summary>By options of the program, or those of <see cref="JsonFields"/>.</summary>
    internal JsonForm(JsonSerializerOptions? options)
    {
        if (options is null && !JsonSerializer.IsReflectionEnabledByDefault)
        {
            throw new NotSupportedException($"Values of {typeof(T)} would be JSON for the cache behind this one, and JSON by reflection is switched off in this program. Register an IHybridCacheSerializer<{typeof(T).Name}>, an IHybridCacheSerializerFactory, or JsonSerializerOptions under the key typeof(IHybridCacheSerializer<{typeof(T).Name}>).");
        }

        _options = options ?? JsonFields.Options;
    }

    /// <inheritdoc/>
    internal override bool ReadsInPlace => false;

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Refused by the constructor where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Refused by the constructor where reflection is off.")]
    protected override byte[] WriteValue(T value)
    {
        var buffer = new ArrayBufferWriter<byte>();
        buffer.Write([Json]);
        using var writer = new Utf8JsonWriter(buffer);
        JsonSerializer.Serialize(writer, value, _options);
        writer.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Refused by the constructor where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Refused by the constructor where reflection is off.")]
    protected override bool TryReadValue(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> memory, [MaybeNullWhen(false)] out T value)
    {
        if (bytes.Length > 0 && bytes[0] == Json)
        {
            value = JsonSerializer.Deserialize<T>(bytes[1..], _options);
            return value is not null;
        }

        value = default;
        return false;
    }
}
