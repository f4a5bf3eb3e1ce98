// Which bytes of an unmanaged type are padding: those that no field reaches. Found once per type: in a value of all ones every field
// is set to zeros, and the ones that are left are padding.
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
        byte[] mask = RawValue.BytesOfBox(Hollow(type, bytes), bytes).ToArray();
        if (!mask.AsSpan().ContainsAnyExcept((byte)0))
        {
            return null;
        }

        for (int index = 0; index < mask.Length; index++)
        {
            mask[index] = (byte)~mask[index];
        }

        return mask;
    }

    /// <summary>A value with zeros in its fields and ones between them.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed takes no part in the layout either.")]
    private static object Hollow(Type type, int bytes)
    {
        object box = RawValue.BoxOfOnes(type, bytes);
        if (type.IsPrimitive || type.IsEnum || type.IsPointer || type == typeof(decimal))
        {
            RawValue.BytesOfBox(box, bytes).Clear();
            return box;
        }

        if (type.StructLayoutAttribute is { Size: > 0 })
        {
            // As large as somebody said, whatever fields it shows: fixed buffers and blobs keep data where no field is.
            RawValue.BytesOfBox(box, bytes).Clear();
            return box;
        }

        foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            int fieldBytes = RuntimeHelpers.SizeOf(field.FieldType.TypeHandle);
            field.SetValue(box, Hollow(field.FieldType, fieldBytes));
            if (type.GetCustomAttribute<InlineArrayAttribute>() is { } inline)
            {
                // One field stands for as many as the attribute says.
                Span<byte> whole = RawValue.BytesOfBox(box, bytes);
                for (int copy = 1; copy < inline.Length; copy++)
                {
                    whole[..fieldBytes].CopyTo(whole[(copy * fieldBytes)..]);
                }
            }
        }

        return box;
    }
}
