// Makes the JSON converter of each PileRef<T>: the same text as the pointer's.
// The type argument is not written: a reader must know it.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Pile;

/// <summary>Converts <see cref="PileRef{T}"/> to and from JSON strings.</summary>
/// <remarks>Needs dynamic code for a T that is a value type never named in a generic instantiation; source-generated JSON
/// contexts can use <see cref="PilePointer"/> members instead.</remarks>
public sealed class PileRefJsonConverterFactory : JsonConverterFactory
{
    /// <inheritdoc/>
    public override bool CanConvert(Type typeToConvert)
    {
        ArgumentNullException.ThrowIfNull(typeToConvert);
        return typeToConvert.IsGenericType && typeToConvert.GetGenericTypeDefinition() == typeof(PileRef<>);
    }

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "The converter has no code that depends on the layout of T.")]
    [UnconditionalSuppressMessage("Trimming", "IL2071", Justification = "The converter's constructor is kept by the static reference in Converter.")]
    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(typeToConvert);
        Type converter = typeof(Converter<>).MakeGenericType(typeToConvert.GetGenericArguments());
        return (JsonConverter)Activator.CreateInstance(converter)!;
    }

    private sealed class Converter<T> : JsonConverter<PileRef<T>>
    {
        private static readonly PilePointerJsonConverter _pointers = new();

        public override PileRef<T> Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            new(_pointers.Read(ref reader, typeof(PilePointer), options));

        public override void Write(Utf8JsonWriter writer, PileRef<T> value, JsonSerializerOptions options) =>
            _pointers.Write(writer, value.Pointer, options);
    }
}
