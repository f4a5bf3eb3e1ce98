// JSON for the stock HybridCache where Pile's serializers are registered before it: it adds its own only where there is no factory yet, and all
// types but Pile's were an exception. The last resort of that cache; PileHybridCache passes over it, as over what the stock one adds.
using System;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Caching.Hybrid;

namespace Pile.Caching.Hybrid;

/// <summary>Takes every type.</summary>
/// <param name="services">Where options are looked for.</param>
internal sealed class JsonFactory(IServiceProvider services) : IHybridCacheSerializerFactory
{
    /// <inheritdoc/>
    public bool TryCreateSerializer<T>([NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
    {
        serializer = new JsonValues<T>(services);
        return true;
    }
}
