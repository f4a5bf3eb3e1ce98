// Members that several documents have, written in one way: damages, findings, files.
// Names are the library's, with a small first letter.
using System;
using System.Collections.Generic;
using System.Text.Json;

namespace Pile.Tool.Output;

/// <summary>Parts of JSON documents.</summary>
internal static class Json
{
    /// <summary>A number, or null.</summary>
    internal static void NumberOrNull(this Utf8JsonWriter json, string name, long? value)
    {
        if (value is { } known)
        {
            json.WriteNumber(name, known);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>An array of objects.</summary>
    internal static void Array<T>(this Utf8JsonWriter json, string name, IEnumerable<T> items, Action<T> members)
    {
        json.WriteStartArray(name);
        foreach (T item in items)
        {
            json.WriteStartObject();
            members(item);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>Damages of files.</summary>
    internal static void Damages(this Utf8JsonWriter json, string name, IEnumerable<PileDamageReport> damages) => json.Array(name, damages, damage =>
    {
        json.WriteString("path", damage.Path);
        json.WriteString("what", damage.What);
    });
}
