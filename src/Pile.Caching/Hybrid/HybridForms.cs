// Which form values of a type take, decided once per type: the program's serializer for it, one that a factory of the program makes (the
// last registered first), the pile's own lanes; or JSON, where others read the bytes and those of the pile would tell them nothing.
// What the stock HybridCache adds for itself, JSON for all types, is nothing that the program chose for this cache.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Pile.Caching.Hybrid;

/// <summary>The forms of one cache. Thread-safe.</summary>
/// <param name="services">Where serializers are looked for, or null.</param>
/// <param name="key">The key under which they are looked for first, or null.</param>
/// <param name="pile">Finds the pile.</param>
/// <param name="isShared">Whether others read the bytes.</param>
internal sealed class HybridForms(IServiceProvider? services, string? key, Func<ObjectPile> pile, bool isShared)
{
    private const string StockAssembly = "Microsoft.Extensions.Caching.Hybrid";
    private readonly ConcurrentDictionary<Type, object> _forms = new();

    /// <summary>The form of a type.</summary>
    internal HybridForm<T> Of<T>() => _forms.TryGetValue(typeof(T), out object? form)
        ? (HybridForm<T>)form
        : (HybridForm<T>)_forms.GetOrAdd(typeof(T), Choose<T>());

    private HybridForm<T> Choose<T>()
    {
        IHybridCacheSerializer<T>? serializer = key is not null && services is IKeyedServiceProvider
            ? Chosen(services.GetKeyedService<IHybridCacheSerializer<T>>(key)) ?? Made<T>(services.GetKeyedServices<IHybridCacheSerializerFactory>(key))
            : null;
        serializer ??= Chosen(services?.GetService<IHybridCacheSerializer<T>>()) ?? Made<T>(services?.GetServices<IHybridCacheSerializerFactory>() ?? []);
        return serializer is not null ? new SerializerForm<T>(serializer)
            : !isShared || PileForm<T>.IsPortable ? new PileForm<T>(pile)
            : new JsonForm<T>(services);
    }

    private static IHybridCacheSerializer<T>? Made<T>(IEnumerable<IHybridCacheSerializerFactory> factories)
    {
        foreach (IHybridCacheSerializerFactory factory in factories.Reverse())
        {
            if (Chosen(factory) is not null && factory.TryCreateSerializer(out IHybridCacheSerializer<T>? serializer))
            {
                return serializer;
            }
        }

        return null;
    }

    /// <summary>A service that the program registered, or null: the stock one's serializers are types of its own assembly.</summary>
    private static TService? Chosen<TService>(TService? service)
        where TService : class => service is null or JsonFactory || service.GetType().Assembly.GetName().Name == StockAssembly ? null : service;
}
