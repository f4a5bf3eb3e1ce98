// Which bytes of an unmanaged type are padding: those that no field reaches. Found once per type, field by field: where one stands is seen
// in a value of all ones in which it is set to zeros. A program that is compiled whole ahead of time hides fields: there only what is seen to
// have no padding at all is told.
using System;
using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Pile.Memory;

namespace Pile.Cache.Keys;

/// <summary>Padding of types.</summary>
internal static class KeyPadding
{
    /// <summary>Types of the framework without padding, whose fields nobody may see.</summary>
    private static readonly FrozenSet<Type> _full = FrozenSet.ToFrozenSet(
    [
        typeof(Guid), typeof(DateTime), typeof(DateOnly), typeof(TimeOnly), typeof(TimeSpan), typeof(Int128), typeof(UInt128), typeof(Half), typeof(Rune), typeof(System.Index), typeof(Range),
    ]);

    /// <summary>A mask of ones where fields are and zeros where padding is, or fields that are hidden (<see cref="Hides"/>); null when there is neither.</summary>
    internal static byte[]? MaskOf(Type type, int bytes)
    {
        byte[] mask = new byte[bytes];
        Mark(type, mask);
        return mask.AsSpan().Contains((byte)0) ? mask : null;
    }

    /// <summary>Whether the zeros of a mask may be fields: two keys that differ there would be one.</summary>
    /// <param name="mask">The mask of a type.</param>
    /// <param name="isWhole">Whether the program is compiled whole ahead of time.</param>
    internal static bool Hides(byte[]? mask, bool isWhole) => mask is not null && isWhole;

    /// <summary>Writes ones where a type's fields are.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed takes no part in the layout either; where it does, the type is refused.")]
    private static void Mark(Type type, Span<byte> mask)
    {
        // As large as somebody said, whatever fields it shows: fixed buffers and blobs keep data where no field is.
        bool isGivenSize = type.StructLayoutAttribute is { Size: > 0 };
        if (isGivenSize || type.IsPrimitive || type.IsEnum || type.IsPointer || type.IsFunctionPointer || type == typeof(decimal) || _full.Contains(type) || IsVector(type) || IsFullTuple(type))
        {
            mask.Fill(byte.MaxValue);
            return;
        }

        if (Nullable.GetUnderlyingType(type) is { } value)
        {
            // Whether there is a value stands first; nothing is behind the value. A box of it is none of its own type.
            mask[0] = byte.MaxValue;
            Mark(value, mask[^RuntimeHelpers.SizeOf(value.TypeHandle)..]);
            return;
        }

        int copies = type.GetCustomAttribute<InlineArrayAttribute>()?.Length ?? 1;
        foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            // One field of an inline array stands for as many as the attribute says.
            int fieldBytes = RuntimeHelpers.SizeOf(field.FieldType.TypeHandle);
            for (int start = OffsetOf(type, field, mask.Length), copy = 0; copy < copies; copy++)
            {
                Mark(field.FieldType, mask.Slice(start + (copy * fieldBytes), fieldBytes));
            }
        }
    }

    /// <summary>Whether a type is as long as a register of the machine, of which its fields show no more than 16 bytes.</summary>
    private static bool IsVector(Type type) => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Vector<>);

    /// <summary>Whether the elements of one of the framework's tuples fill it, whose types its name tells.</summary>
    private static bool IsFullTuple(Type type)
    {
        if (!type.IsGenericType || type.Assembly != typeof(ITuple).Assembly || !type.IsAssignableTo(typeof(ITuple)))
        {
            return false;
        }

        int bytes = 0;
        foreach (Type element in type.GetGenericArguments())
        {
            int elementBytes = RuntimeHelpers.SizeOf(element.TypeHandle);
            bytes += elementBytes;
            if (MaskOf(element, elementBytes) is not null)
            {
                return false;
            }
        }

        return bytes == RuntimeHelpers.SizeOf(type.TypeHandle);
    }

    /// <summary>Where a field begins: at the first zero, when it is set to zeros in a value of all ones.</summary>
    private static int OffsetOf(Type type, FieldInfo field, int bytes)
    {
        object box = RawValue.BoxOfOnes(type, bytes);
        field.SetValue(box, null);
        return RawValue.BytesOfBox(box, bytes).IndexOf((byte)0);
    }
}
