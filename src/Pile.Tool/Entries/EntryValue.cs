// A value as verbs show it: its bytes, and what they are where that is known: text, an object as JSON, a number.
// Bytes that are well-formed UTF-8 without control characters are shown as text, but stay bytes.
using System;
using System.Text.Json;
using System.Text.Unicode;
using Pile.Tool.Output;

namespace Pile.Tool.Entries;

/// <summary>A value.</summary>
/// <param name="Type">The stored name of its type; empty where only bytes are known.</param>
/// <param name="Bytes">The bytes: as stored, of text its UTF-8.</param>
/// <param name="Text">The text that it is, or reads as; else null.</param>
/// <param name="Json">The JSON that it is shown as; null for bytes.</param>
internal sealed record EntryValue(string Type, byte[] Bytes, string? Text, string? Json)
{
    private const int ShownChars = 200;

    /// <summary>A value of bytes.</summary>
    internal static EntryValue OfBytes(byte[] bytes) => new("System.Byte[]", bytes, Words.TryText(bytes), null);

    /// <summary>What `get` writes: text and JSON with a line's end, bytes as they are.</summary>
    internal byte[] Output() => Json is null ? Bytes
        : Type == "System.String" ? [.. System.Text.Encoding.UTF8.GetBytes(Text!), (byte)'\n']
        : [.. System.Text.Encoding.UTF8.GetBytes(Json), (byte)'\n'];

    /// <summary>On one line.</summary>
    internal string Line()
    {
        string whole = Text ?? (Json is null ? $"{Amount.Count(Bytes.Length)} bytes {Convert.ToHexStringLower(Bytes, 0, int.Min(Bytes.Length, 16))}{(Bytes.Length > 16 ? ".." : "")}" : JsonText.Line(Json));
        return whole.Length <= ShownChars ? whole : $"{TextOutput.Head(whole, ShownChars)}... ({Amount.Count(whole.Length)} chars)";
    }

    /// <summary>As members of a document.</summary>
    internal void Write(Utf8JsonWriter json)
    {
        json.WriteString("type", Type);
        json.WriteNumber("bytes", Bytes.Length);
        json.WritePropertyName("value");
        if (Json is null)
        {
            json.WriteBase64StringValue(Bytes);
        }
        else
        {
            json.WriteRawValue(Json);
        }

        json.WriteString("text", Text);
    }

    /// <summary>Whether bytes are text that a terminal can show.</summary>
    internal static bool IsText(ReadOnlySpan<byte> bytes) => Utf8.IsValid(bytes) && bytes.IndexOfAnyInRange((byte)0, (byte)0x1F) < 0 && bytes.IndexOf((byte)0x7F) < 0;
}
