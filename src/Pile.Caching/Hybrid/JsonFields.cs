// The options of JSON where the program has none of its own: those of System.Text.Json, and of types without public properties the fields, which
// it leaves out. A tuple came back empty, with no word of it. Fields beside properties stay out, as they are there: not all of them can be written.
// Which fields, and how, is not said here: it is what System.Text.Json makes of the type with IncludeFields. But it reads no read-only ones.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
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

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "JsonValues refuses where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "JsonValues refuses where reflection is off.")]
    private static JsonSerializerOptions Make()
    {
        var resolver = new DefaultJsonTypeInfoResolver();
        var withFields = new JsonSerializerOptions { IncludeFields = true, TypeInfoResolver = resolver };
        return new JsonSerializerOptions
        {
            TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { type => AddFields(type, resolver, withFields) } },
        };
    }

    private static void AddFields(JsonTypeInfo type, DefaultJsonTypeInfoResolver resolver, JsonSerializerOptions withFields)
    {
        if (type.Kind != JsonTypeInfoKind.Object || type.Properties.Any(static member => member.AttributeProvider is PropertyInfo property && IsPublic(property)))
        {
            return;
        }

        JsonPropertyInfo[] own = [.. type.Properties];
        type.Properties.Clear();
        foreach (JsonPropertyInfo member in resolver.GetTypeInfo(type.Type, withFields).Properties)
        {
            JsonPropertyInfo added = Array.Find(own, it => Equals(it.AttributeProvider, member.AttributeProvider)) ?? Copy(type, member);
            type.Properties.Add(added);
            if (added is { Get: not null, Set: null, AttributeProvider: FieldInfo { IsInitOnly: true } field }
                && field.GetCustomAttribute<JsonIgnoreAttribute>() is not { Condition: JsonIgnoreCondition.WhenReading })
            {
                added.Set = field.SetValue;
            }
        }
    }

    private static bool IsPublic(PropertyInfo property) => property.GetMethod is { IsPublic: true } || property.SetMethod is { IsPublic: true };

    [UnconditionalSuppressMessage("Trimming", "IL2060", Justification = "Named asks nothing of its type.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "JsonValues refuses where reflection is off.")]
    private static JsonPropertyInfo Copy(JsonTypeInfo type, JsonPropertyInfo source)
    {
        MethodInfo named = ((Func<JsonTypeInfo, JsonPropertyInfo, JsonPropertyInfo>)Named<object>).Method.GetGenericMethodDefinition();
        var copy = (JsonPropertyInfo)named.MakeGenericMethod(source.PropertyType).Invoke(null, [type, source])!;
        copy.AttributeProvider = source.AttributeProvider;
        copy.CustomConverter = source.CustomConverter;
        copy.Get = source.Get;
        copy.IsExtensionData = source.IsExtensionData;
        copy.IsRequired = source.IsRequired;
        copy.NumberHandling = source.NumberHandling;
        copy.ObjectCreationHandling = source.ObjectCreationHandling;
        copy.Order = source.Order;
        copy.Set = source.Set;
        copy.ShouldSerialize = source.ShouldSerialize;
        return copy;
    }

    /// <summary>A member that knows the field's name beside that in JSON: by the former a constructor's parameters find it.</summary>
    private static JsonPropertyInfo Named<T>(JsonTypeInfo type, JsonPropertyInfo source) => JsonMetadataServices.CreatePropertyInfo(type.Options, new JsonPropertyInfoValues<T>
    {
        DeclaringType = type.Type,
        IsPublic = true,
        JsonPropertyName = source.Name,
        PropertyName = ((MemberInfo)source.AttributeProvider!).Name,
    });
}
