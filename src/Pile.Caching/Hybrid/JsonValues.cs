// Values as JSON, as the stock HybridCache writes them: by what the program registered where that one looks for it, else by the options of
// JsonFields. What the bytes of an entry have before it is not its business.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Pile.Caching.Hybrid;

/// <summary>JSON of the values of a type. Thread-safe.</summary>
internal sealed class JsonValues<T> : IHybridCacheSerializer<T>
{
    private readonly JsonSerializerOptions _options;

    /// <param name="services">Where options are looked for, or null.</param>
    internal JsonValues(IServiceProvider? services)
    {
        JsonSerializerOptions? options = Options(services, typeof(IHybridCacheSerializer<T>)) ?? Options(services, typeof(IHybridCacheSerializer<>));
        if (options is null && !JsonSerializer.IsReflectionEnabledByDefault)
        {
            throw new NotSupportedException($"Values of {typeof(T)} would be JSON in this HybridCache, and JSON by reflection is switched off in this program. Register an IHybridCacheSerializer<{typeof(T).Name}>, an IHybridCacheSerializerFactory, or JsonSerializerOptions under the key typeof(IHybridCacheSerializer<{typeof(T).Name}>).");
        }

        _options = options ?? JsonFields.Options;
    }

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Refused by the constructor where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Refused by the constructor where reflection is off.")]
    public void Serialize(T value, IBufferWriter<byte> target)
    {
        using var writer = new Utf8JsonWriter(target);
        JsonSerializer.Serialize(writer, value, _options);
    }

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Refused by the constructor where reflection is off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Refused by the constructor where reflection is off.")]
    public T Deserialize(ReadOnlySequence<byte> source) => JsonSerializer.Deserialize<T>(source.IsSingleSegment ? source.FirstSpan : source.ToArray(), _options)!;

    private static JsonSerializerOptions? Options(IServiceProvider? services, Type key) =>
        services is IKeyedServiceProvider ? services.GetKeyedService<JsonSerializerOptions>(key) : null;
}
