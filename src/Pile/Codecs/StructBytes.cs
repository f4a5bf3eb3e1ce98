// Which structs are more than their declared fields and are kept by their bytes: those whose fields overlap, those that were
// given a size beyond their fields, and Vector<T>, which is as long as the machine's registers whatever its fields say.
// Of structs that hold references the runtime takes the size for nothing: they are their fields. So are those that hold a union of F#'s, whose
// cases stand in schemas: the bytes don't say them.
using System;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Structs as bytes.</summary>
internal static class StructBytes
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>The size of the fields that Vector&lt;T&gt; declares.</summary>
    private const int VectorFieldsBytes = 16;

    /// <summary>Whether the bytes of a struct may stand for it: it holds no references, and no union whose cases may be others later.</summary>
    internal static bool AreEnough(Type type) => !HasReferences(type) && !UnionCases.AreIn(type);

    /// <summary>Whether a struct has bytes that belong to no field, and a union whose case they don't say: no form keeps both.</summary>
    internal static bool AreLost(Type type) =>
        type.IsValueType && !type.ContainsGenericParameters && UnionCases.AreIn(type) && !HasReferences(type) && GoBeyondFields(type);

    /// <summary>Whether a struct without references is kept by its bytes because its fields overlap or are only the first of several.</summary>
    internal static bool Overlap(Type type) => type.IsExplicitLayout || type.IsDefined(typeof(UnsafeValueTypeAttribute), false);

    /// <summary>Whether a struct without references has bytes that belong to no field, and are no gap that its alignment makes.</summary>
    internal static bool GoBeyondFields(Type type) => IsVector(type)
        || (type.StructLayoutAttribute is { Size: > 1 } layout && RuntimeHelpers.SizeOf(type.TypeHandle) > EndOfFields(type, layout.Pack));

    /// <summary>Whether those fields, as they were kept before their struct was kept by its bytes, were all of it.</summary>
    internal static bool WereFields(Type type) => !IsVector(type) || RuntimeHelpers.SizeOf(type.TypeHandle) == VectorFieldsBytes;

    /// <summary>Why the length of a struct may differ from that of a stored one.</summary>
    internal static string WhyOtherLength(Type type) => IsVector(type)
        ? "Vector<T> is as long as the registers of the machine that stored it: keep an array, or a Vector128, Vector256 or Vector512"
        : "its layout has changed since";

    private static bool HasReferences(Type type) =>
        (bool)typeof(RuntimeHelpers).GetMethod(nameof(RuntimeHelpers.IsReferenceOrContainsReferences))!.MakeGenericMethod(type).Invoke(null, null)!;

    private static bool IsVector(Type type) => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Vector<>);

    /// <summary>Where the struct would end without a size of its own.</summary>
    private static int EndOfFields(Type type, int pack)
    {
        int bytes = RuntimeHelpers.SizeOf(type.TypeHandle);
        object box = RuntimeHelpers.GetUninitializedObject(type);
        foreach (FieldInfo field in type.GetFields(Declared))
        {
            field.SetValue(box, RawValue.BoxOfOnes(field.FieldType, RuntimeHelpers.SizeOf(field.FieldType.TypeHandle)));
        }

        int end = RawValue.BytesOfBox(box, bytes).LastIndexOfAnyExcept((byte)0) + 1;
        int alignment = pack > 0 ? int.Min(pack, AlignmentOf(type)) : AlignmentOf(type);
        return (end + alignment - 1) / alignment * alignment;
    }

    private static int AlignmentOf(Type type)
    {
        if (type.IsPrimitive || type.IsEnum || type == typeof(Int128) || type == typeof(UInt128))
        {
            return RuntimeHelpers.SizeOf(type.TypeHandle);
        }

        int alignment = 1;
        foreach (FieldInfo field in type.GetFields(Declared))
        {
            alignment = int.Max(alignment, AlignmentOf(field.FieldType));
        }

        return alignment;
    }
}
