// The formatter of each static type, made once a type and process. Kept by the type itself, so that the types of a
// collectible load context are not held.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>All formatters.</summary>
internal static class Formatters
{
    private static readonly ConditionalWeakTable<Type, Formatter> _all = [];

    /// <summary>The formatter of places of a type.</summary>
    internal static Formatter Of(Type type) => _all.TryGetValue(type, out Formatter? known) ? known : _all.GetValue(type, Make);

    /// <summary>The formatter of places of type T.</summary>
    internal static Formatter<T> Of<T>() => (Formatter<T>)Of(typeof(T));

    private static Formatter Make(Type type)
    {
        if (LeafFormatter.All.GetValueOrDefault(type) is { } leaf)
        {
            return leaf;
        }

        if (type.IsEnum)
        {
            Type integer = Enum.GetUnderlyingType(type);
            return Create(typeof(EnumFormatter<,>).MakeGenericType(type, integer), LeafFormatter.All[integer]);
        }

        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Create(typeof(NullableFormatter<>).MakeGenericType(inner), Of(inner));
        }

        if (Treatments.IsRefusedPlace(type))
        {
            return Create(typeof(RefusedFormatter<>).MakeGenericType(type));
        }

        Type open = type.IsValueType ? typeof(InlineFormatter<>)
            : Treatments.IsExactPlace(type) ? typeof(ExactFormatter<>)
            : typeof(AnyFormatter<>);
        return Create(open.MakeGenericType(type));
    }

    private static Formatter Create(Type type, params object[] arguments) =>
        (Formatter)Activator.CreateInstance(type, System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic, null, arguments, null)!;
}
