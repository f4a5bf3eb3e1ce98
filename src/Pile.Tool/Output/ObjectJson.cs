// One object in a JSON document: what it is, and its value as the library writes it ($type, $id, $ref).
// Bytes are base64; of unmanaged values only the bytes are known.
using System.Text.Json;

namespace Pile.Tool.Output;

/// <summary>Objects as members of a document.</summary>
internal static class ObjectJson
{
    /// <summary>Writes an object.</summary>
    internal static void Write(Utf8JsonWriter json, ObjectPile pile, PilePointer pointer)
    {
        string value = pile.ToJson(pointer);
        using PileLease lease = pile.Lease(pointer);
        json.WriteString("pointer", pointer.ToString());
        json.WriteString("lane", lease.Kind.ToString());
        json.WriteString("type", pile.TypeNameOf(pointer));
        json.WriteNumber("bytes", lease.Length);
        json.WritePropertyName("value");
        json.WriteRawValue(value);
    }
}
