// Single values as JSON text and back, without reflection.
// Whole documents are written by VerbRun.
using System.IO;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pile.Tool.Output;

/// <summary>JSON text.</summary>
internal static class JsonText
{
    /// <summary>A string as JSON; what is not well-formed in it is U+FFFD there, as in the library's documents.</summary>
    internal static string Of(string text) => $"\"{JsonEncodedText.Encode(Encoding.UTF8.GetBytes(text), JavaScriptEncoder.UnsafeRelaxedJsonEscaping)}\"";

    /// <summary>The string that JSON text is.</summary>
    /// <exception cref="JsonException">It is none.</exception>
    internal static string Read(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.ValueKind == JsonValueKind.String ? document.RootElement.GetString()! : throw new JsonException("It is no string.");
    }

    /// <summary>JSON text on one line.</summary>
    internal static string Line(string json)
    {
        using var bytes = new MemoryStream();
        using (var document = JsonDocument.Parse(json))
        using (var writer = new Utf8JsonWriter(bytes, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            document.RootElement.WriteTo(writer);
        }

        return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
    }
}
