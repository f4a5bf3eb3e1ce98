// Services of a program that has none.
// Whoever asks it finds nothing.
using System;

namespace Pile.Caching;

/// <summary>No services.</summary>
internal sealed class EmptyServices : IServiceProvider
{
    internal static readonly EmptyServices Instance = new();

    /// <inheritdoc/>
    public object? GetService(Type serviceType) => null;
}
