// The options of JSON where the program has none of its own: those of System.Text.Json, and the public fields of types that have nothing else, which it leaves out.
// A tuple came back empty, with no word of it. Fields beside properties stay out, as they are there: not all of them can be written.
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Pile.Caching.Hybrid;

/// <summary>JSON with the fields of tuples, vectors and the like.</summary>
internal static class JsonFields
{
    private static JsonSerializerOptions? _options;

    /// <summary>The options; by reflection, which whoever asks has seen to be there.</summary>
    internal static JsonSerializerOptions Options => _options ??= Make();

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "JsonForm refuses where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "JsonForm refuses where reflection is off.")]
    private static JsonSerializerOptions Make() => new() { TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { AddFields } } };

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "JsonForm refuses where reflection is off.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "A field that trimming removed has no value to be written.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "JsonForm refuses where reflection is off.")]
    private static void AddFields(JsonTypeInfo type)
    {
        if (type.Kind != JsonTypeInfoKind.Object || type.Properties.Count > 0)
        {
            return;
        }

        foreach (FieldInfo field in type.Type.GetFields(BindingFlags.Instance | BindingFlags.Public))
        {
            if (field.IsDefined(typeof(JsonIgnoreAttribute)))
            {
                continue;
            }

            JsonPropertyInfo property = type.CreateJsonPropertyInfo(field.FieldType, field.GetCustomAttribute<JsonPropertyNameAttribute>()?.Name ?? field.Name);
            property.Get = field.GetValue;
            property.Set = field.SetValue;
            type.Properties.Add(property);
        }
    }
}
