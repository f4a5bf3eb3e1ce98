// Refuses nulls of generic types without a box: the framework's own check takes an object, for which a struct of some size is copied.
// For value types it is nothing at all.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pile.Cache.Keys;

/// <summary>Check for null.</summary>
internal static class NullRefusal
{
    /// <summary>Throws when an argument is null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Unless<T>([NotNull] T argument, [CallerArgumentExpression(nameof(argument))] string name = "")
    {
        if (argument is null)
        {
            Fail(name);
        }
    }

    [DoesNotReturn]
    private static void Fail(string name) => throw new ArgumentNullException(name);
}
