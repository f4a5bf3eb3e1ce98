// Figures of a cache, or of a table, as members of a document.
// The names are the same wherever they stand.
using System.Text.Json;
using Pile.Tool.Entries;

namespace Pile.Tool.Output;

/// <summary>Figures as members.</summary>
internal static class CountsJson
{
    /// <summary>Writes them.</summary>
    internal static void Write(Utf8JsonWriter json, in CountRow counts)
    {
        json.WriteNumber("entries", counts.Entries);
        json.WriteNumber("entryBytes", counts.EntryBytes);
        json.WriteNumber("hits", counts.Hits);
        json.WriteNumber("misses", counts.Misses);
        json.WriteNumber("evictions", counts.Evictions);
        json.WriteNumber("expirations", counts.Expirations);
        json.WriteNumber("damagedEntries", counts.DamagedEntries);
    }
}
