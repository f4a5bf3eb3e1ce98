using System;
using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Pile.Bench.Graphs;

/// <summary>System.Text.Json as fast as it goes: generated code, one writer and one buffer used again for each object.</summary>
internal sealed class JsonText<T>(JsonTypeInfo<T> type) : IDisposable
{
    private readonly ArrayBufferWriter<byte> _buffer = new(1 << 12);
    private Utf8JsonWriter? _writer;

    /// <summary>Writes; bytes written.</summary>
    internal int Write(T value)
    {
        _buffer.ResetWrittenCount();
        Utf8JsonWriter writer = _writer ??= new Utf8JsonWriter(_buffer);
        writer.Reset();
        JsonSerializer.Serialize(writer, value, type);
        return _buffer.WrittenCount;
    }

    /// <summary>Writes into an array of its own.</summary>
    internal byte[] ToArray(T value)
    {
        _ = Write(value);
        return _buffer.WrittenSpan.ToArray();
    }

    /// <summary>Reads.</summary>
    internal T Read(byte[] text) => JsonSerializer.Deserialize<T>(text, type)!;

    public void Dispose() => _writer?.Dispose();
}
