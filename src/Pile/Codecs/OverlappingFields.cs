// Classes with explicit layout, and structs that hold references or F#'s unions: their fields are kept one by one, so that of those which share bytes
// each must be able to hold what another one left there. Numbers can. Other structs are kept by their bytes (StructBytes).
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pile.Codecs;

/// <summary>Tells which types have fields that would not come back as they were.</summary>
internal static class OverlappingFields
{
    /// <summary>Whether a type has such fields.</summary>
    internal static bool AreLost(Type type)
    {
        for (Type? at = type; at is not null; at = at.BaseType)
        {
            if (at.IsExplicitLayout && !at.ContainsGenericParameters && (!at.IsValueType || !StructBytes.AreEnough(at)) && Overlap(at))
            {
                return true;
            }
        }

        return false;
    }

    private static bool Overlap(Type type)
    {
        List<FieldInfo> fields = TypeFields.Of(type, type.BaseType);
        for (int left = 0; left < fields.Count; left++)
        {
            for (int right = 0; right < left; right++)
            {
                if (Overlap(fields[left], fields[right]) && !(IsNumber(fields[left].FieldType) && IsNumber(fields[right].FieldType)))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static bool Overlap(FieldInfo left, FieldInfo right) =>
        left.GetCustomAttribute<FieldOffsetAttribute>() is { Value: var leftStart } && right.GetCustomAttribute<FieldOffsetAttribute>() is { Value: var rightStart }
        && leftStart < rightStart + SizeOf(right.FieldType) && rightStart < leftStart + SizeOf(left.FieldType);

    private static int SizeOf(Type type) => type.IsValueType ? RuntimeHelpers.SizeOf(type.TypeHandle) : IntPtr.Size;

    /// <summary>Whether all bits of a type are values, which come back as they are.</summary>
    private static bool IsNumber(Type type) => (type.IsPrimitive && type != typeof(bool)) || type.IsEnum;
}
