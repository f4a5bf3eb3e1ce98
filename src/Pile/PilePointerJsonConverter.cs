// A pointer in JSON is its text form, because 64-bit integers do not survive in every reader.
// It accepts any well-formed pointer and does not ask whether a pile issued it.
using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Pile;

/// <summary>Converts <see cref="PilePointer"/> to and from JSON strings.</summary>
public sealed class PilePointerJsonConverter : JsonConverter<PilePointer>
{
    /// <inheritdoc/>
    public override PilePointer Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        string? text = reader.TokenType == JsonTokenType.String ? reader.GetString() : null;
        return PilePointer.TryParse(text, null, out PilePointer pointer)
            ? pointer
            : throw new JsonException($"A pile pointer is a JSON string such as \"42.7@1\", not {(text is null ? reader.TokenType : $"\"{text}\"")}.");
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, PilePointer value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        Span<char> text = stackalloc char[32];
        _ = value.TryFormat(text, out int written, default, null);
        writer.WriteStringValue(text[..written]);
    }
}
