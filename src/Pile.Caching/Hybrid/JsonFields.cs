// The options of JSON where the program has none of its own.
// By its defaults JSON leaves fields out: a tuple came back empty, with no word of it.
using System.Text.Json;

namespace Pile.Caching.Hybrid;

/// <summary>JSON with public fields.</summary>
internal static class JsonFields
{
    internal static JsonSerializerOptions Options { get; } = new() { IncludeFields = true };
}
