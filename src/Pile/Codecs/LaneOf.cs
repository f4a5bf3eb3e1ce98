// Which raw lane objects of a type take, decided once per type: text, bytes, an unmanaged value, an array of them, or none
// (then a codec is needed). Enums and structs without references are unmanaged values, but for F#'s unions: the bytes of one don't say which case it is.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>The lane of T.</summary>
internal static class LaneOf<T>
{
    /// <summary>The lane; for value types the JIT knows it when it compiles the caller.</summary>
    internal static Lane Lane
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => typeof(T).IsValueType
            ? (RuntimeHelpers.IsReferenceOrContainsReferences<T>() || (!typeof(T).IsPrimitive && Unions.AreIn) ? Lane.Codec : Lane.Value)
            : ReferenceLane;
    }

    /// <summary>Bytes of one array element, when the lane is Array.</summary>
    internal static int ElementBytes { get; } = LaneOf.ElementBytesOf(typeof(T));

    /// <summary>The plan of every object that is a T, where there is one: T is a sealed class without a raw lane. None where plans can't be made.</summary>
    internal static Plan<T>? PlanAlone
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Sealed.Plan;
    }

    /// <summary>Apart, so that it is asked for structs alone.</summary>
    private static class Unions
    {
        internal static readonly bool AreIn = UnionCases.AreIn(typeof(T));
    }

    private static Lane ReferenceLane { get; } = LaneOf.Of(typeof(T));

    /// <summary>Apart, so that asking for the lane makes no plan.</summary>
    private static class Sealed
    {
        internal static readonly Plan<T>? Plan =
            !AheadOfTime.IsWhole && typeof(T).IsSealed && !typeof(T).IsValueType && LaneOf.Of(typeof(T)) == Lane.Codec ? Plans.Typed<T>() : null;
    }
}

/// <summary>The lane of a type known only at run time.</summary>
file static class LaneOf
{
    /// <summary>Kept by the types themselves: those of a collectible load context are not held.</summary>
    private static readonly ConditionalWeakTable<Type, StrongBox<bool>> _unmanaged = [];

    internal static Lane Of(Type type) =>
        type == typeof(string) ? Lane.Text
        : type == typeof(byte[]) ? Lane.Bytes
        : ElementBytesOf(type) > 0 ? Lane.Array
        : Lane.Codec;

    internal static int ElementBytesOf(Type type) =>
        type.IsSZArray && type.GetElementType() is { } element && IsUnmanaged(element) && !(AheadOfTime.IsWhole && AheadOfTime.HasReferences(type)) ? RuntimeHelpers.SizeOf(element.TypeHandle) : 0;

    private static bool IsUnmanaged(Type type) =>
        type.IsPrimitive || type.IsEnum || (type.IsValueType && _unmanaged.GetValue(type, static at => new StrongBox<bool>(HasOnlyUnmanagedFields(at) && !UnionCases.AreIn(at))).Value);

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed takes no part in the layout either; under NativeAOT it may, and the array is asked.")]
    private static bool HasOnlyUnmanagedFields(Type type)
    {
        foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            if (field.FieldType.IsPointer || field.FieldType.IsByRef || !IsUnmanaged(field.FieldType))
            {
                return false;
            }
        }

        return true;
    }
}
