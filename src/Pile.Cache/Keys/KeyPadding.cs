// Which bytes of an unmanaged type are padding: those that no field reaches. Found once per type, field by field: where one stands is seen
// in a value of all ones in which it is set to zeros.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Cache.Keys;

/// <summary>Padding of types.</summary>
internal static class KeyPadding
{
    /// <summary>A mask of ones where fields are and zeros where padding is; null when there is no padding.</summary>
    internal static byte[]? MaskOf(Type type, int bytes)
    {
        byte[] mask = new byte[bytes];
        Mark(type, mask);
        return mask.AsSpan().Contains((byte)0) ? mask : null;
    }

    /// <summary>Writes ones where a type's fields are.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed takes no part in the layout either.")]
    private static void Mark(Type type, Span<byte> mask)
    {
        // As large as somebody said, whatever fields it shows: fixed buffers and blobs keep data where no field is.
        bool isGivenSize = type.StructLayoutAttribute is { Size: > 0 };
        if (isGivenSize || type.IsPrimitive || type.IsEnum || type.IsPointer || type.IsFunctionPointer || type == typeof(decimal))
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

    /// <summary>Where a field begins: at the first zero, when it is set to zeros in a value of all ones.</summary>
    private static int OffsetOf(Type type, FieldInfo field, int bytes)
    {
        object box = RawValue.BoxOfOnes(type, bytes);
        field.SetValue(box, null);
        return RawValue.BytesOfBox(box, bytes).IndexOf((byte)0);
    }
}
