using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pile.Tests.Memory;

/// <summary>What fields don't tell about a struct: its bytes, the elements of an inline array.</summary>
internal static class StructParts
{
    private static readonly MethodInfo _bytes = typeof(StructParts).GetMethod(nameof(Bytes), BindingFlags.Static | BindingFlags.NonPublic)!;
    private static readonly MethodInfo _elements = typeof(StructParts).GetMethod(nameof(Elements), BindingFlags.Static | BindingFlags.NonPublic)!;

    /// <summary>The bytes of a boxed struct, or null when it holds references.</summary>
    internal static byte[]? BytesOf(object value) => (byte[]?)_bytes.MakeGenericMethod(value.GetType()).Invoke(null, [value]);

    /// <summary>The elements of a boxed inline array.</summary>
    internal static Array ElementsOf(object value)
    {
        Type type = value.GetType();
        Type element = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)[0].FieldType;
        int length = type.GetCustomAttribute<InlineArrayAttribute>()!.Length;
        return (Array)_elements.MakeGenericMethod(type, element).Invoke(null, [value, length])!;
    }

    private static byte[]? Bytes<T>(T value)
        where T : struct => RuntimeHelpers.IsReferenceOrContainsReferences<T>() ? null : MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)).ToArray();

    // SAFETY: length is the one of the type's own InlineArray attribute, so the elements lie inside of value.
    private static TElement[] Elements<T, TElement>(T value, int length)
        where T : struct => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<T, TElement>(ref value), length).ToArray();
}
