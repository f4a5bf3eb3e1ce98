// Unmanaged values and arrays of them as bytes, for generic code that can't carry an unmanaged constraint.
// It checks no type in the shipped build: Codecs.LaneOf has decided before that there are no references inside.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Views of unmanaged values. The caller has checked that the type holds no references.</summary>
// SAFETY: each member reinterprets memory of a type without references as bytes of exactly its size; the callers
// (Codecs.LaneOf) establish the absence of references, and Check repeats it in Debug.
internal static class RawValue
{
    /// <summary>Bytes that <see cref="Copy"/> copies itself, without a call.</summary>
    internal const int CopyHereBytesMax = 2048;

    /// <summary>The bytes of a value that outlives the span.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> AsBytes<T>(ref readonly T value)
    {
        // SAFETY: see the type.
        Check.That(!RuntimeHelpers.IsReferenceOrContainsReferences<T>());
        return MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<T, byte>(ref Unsafe.AsRef(in value)), Unsafe.SizeOf<T>());
    }

    /// <summary>A span over bytes that a lease keeps in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> Span(ref readonly byte first, int bytes) =>
        MemoryMarshal.CreateReadOnlySpan(in first, bytes); // SAFETY: PileLease got both from one record.

    /// <summary>Copies bytes to a target of at least their length that does not overlap them; quicker than the general copy for
    /// the sizes that most records have.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Copy(ReadOnlySpan<byte> source, Span<byte> target)
    {
        // SAFETY: the target holds the source (Check in Debug); each load and store ends at or before the last byte, the last
        // one exactly there.
        Check.That(target.Length >= source.Length);
        if (source.Length > CopyHereBytesMax)
        {
            source.CopyTo(target);
            return;
        }

        nuint bytes = (uint)source.Length;
        if (bytes >= (uint)Vector256<byte>.Count)
        {
            CopyBlocks(ref MemoryMarshal.GetReference(source), ref MemoryMarshal.GetReference(target), (nint)bytes - Vector256<byte>.Count);
        }
        else
        {
            CopyFew(ref MemoryMarshal.GetReference(source), ref MemoryMarshal.GetReference(target), bytes);
        }
    }

    /// <summary>Copies a block at a time. The last ends at the last byte, wherever the one before it ended.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyBlocks(ref byte from, ref byte to, nint last)
    {
        // SAFETY: see Copy; the last block begins at last, which is not negative.
        for (nint at = 0; at < last; at += Vector256<byte>.Count)
        {
            Vector256.LoadUnsafe(ref Unsafe.Add(ref from, at)).StoreUnsafe(ref Unsafe.Add(ref to, at));
        }

        Vector256.LoadUnsafe(ref Unsafe.Add(ref from, last)).StoreUnsafe(ref Unsafe.Add(ref to, last));
    }

    /// <summary>Copies less than a block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyFew(ref byte from, ref byte to, nuint bytes)
    {
        if (bytes >= (uint)Vector128<byte>.Count)
        {
            CopyEnds<Vector128<byte>>(ref from, ref to, bytes - (uint)Vector128<byte>.Count);
        }
        else if (bytes >= sizeof(ulong))
        {
            CopyEnds<ulong>(ref from, ref to, bytes - sizeof(ulong));
        }
        else if (bytes >= sizeof(uint))
        {
            CopyEnds<uint>(ref from, ref to, bytes - sizeof(uint));
        }
        else if (bytes >= sizeof(ushort))
        {
            CopyEnds<ushort>(ref from, ref to, bytes - sizeof(ushort));
        }
        else if (bytes != 0)
        {
            to = from;
        }
    }

    /// <summary>Copies the first and the last of some bytes, which overlap where they are few.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyEnds<T>(ref byte from, ref byte to, nuint last)
        where T : unmanaged
    {
        // SAFETY: the caller's bytes are one or two of T; both values are within them.
        T end = Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref from, last));
        Unsafe.WriteUnaligned(ref to, Unsafe.ReadUnaligned<T>(ref from));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, last), end);
    }

    /// <summary>Reads a value from exactly its size of bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static T Read<T>(ReadOnlySpan<byte> bytes)
    {
        // SAFETY: see the type; the length is checked by the caller and again in Debug.
        Check.That(bytes.Length == Unsafe.SizeOf<T>());
        return Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(bytes));
    }

    /// <summary>The bytes of an array whose elements hold no references.</summary>
    internal static Span<byte> AsBytes(Array array, int elementBytes)
    {
        // SAFETY: a single-dimension array holds Length elements of elementBytes each, in a row.
        return MemoryMarshal.CreateSpan(ref MemoryMarshal.GetArrayDataReference(array), checked(array.Length * elementBytes));
    }

    /// <summary>The value inside a box of exactly its type.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref T Unbox<T>(object box)
        where T : struct
    {
        // SAFETY: Unbox checks the type of the box and throws InvalidCastException for any other.
        return ref Unsafe.Unbox<T>(box);
    }

    /// <summary>A value as another of the same size: an enum as its integer and back.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static TTo Cast<TFrom, TTo>(TFrom value)
        where TFrom : struct
        where TTo : struct
    {
        // SAFETY: BitCast throws NotSupportedException unless the sizes are equal; the callers use types without references.
        return Unsafe.BitCast<TFrom, TTo>(value);
    }

    /// <summary>A box whose value has all its bits set, padding included.</summary>
    internal static object BoxOfOnes(Type type, int bytes)
    {
        // SAFETY: as many bytes as the type has are there, and the caller gives types without references.
        Span<byte> ones = stackalloc byte[bytes];
        ones.Fill(byte.MaxValue);
        return RuntimeHelpers.Box(ref MemoryMarshal.GetReference(ones), type.TypeHandle)!;
    }

    /// <summary>The first of some bytes, for a lease on them; of none, the place after nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref readonly byte First(ReadOnlySpan<byte> bytes)
    {
        // SAFETY: nobody reads beyond the span: the lease says its length.
        return ref MemoryMarshal.GetReference(bytes);
    }

    /// <summary>The bytes of the value inside a box.</summary>
    internal static Span<byte> BytesOfBox(object box, int bytes)
    {
        // SAFETY: the caller says how large the boxed type is; the value of a box stands where the first field of a class does.
        return MemoryMarshal.CreateSpan(ref Unsafe.As<StrongBox<byte>>(box).Value, bytes);
    }

    /// <summary>The bytes of a Guid in the order of RFC 9562.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Vector128<byte> InNetworkOrder(ref readonly Guid value)
    {
        // SAFETY: a Guid is 16 bytes without references; on a little-endian machine the first three parts are turned round.
        return Vector128.Shuffle(
            Vector128.LoadUnsafe(ref Unsafe.As<Guid, byte>(ref Unsafe.AsRef(in value))),
            Vector128.Create((byte)3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15));
    }

    /// <summary>Flags (scale and sign), high and low part of a decimal, as decimal.GetBits gives them.</summary>
    internal static (uint Flags, uint High, ulong Low) PartsOf(decimal value)
    {
        // SAFETY: decimal has the layout of OLE's DECIMAL, which it is passed to native code as: 16 bytes without references.
        DecimalParts parts = Unsafe.BitCast<decimal, DecimalParts>(value);
        return (parts.Flags, parts.High, parts.Low);
    }

    /// <summary>The elements of an array that has any number of dimensions, in memory order.</summary>
    internal static Span<T> Elements<T>(Array array)
    {
        // SAFETY: the array's element type is exactly T (Check.That), and an array of any rank holds Length elements in a row.
        Check.That(array.GetType().GetElementType() == typeof(T));
        return MemoryMarshal.CreateSpan(ref Unsafe.As<byte, T>(ref MemoryMarshal.GetArrayDataReference(array)), array.Length);
    }

    /// <summary>The elements of an inline array.</summary>
    internal static Span<TElement> Elements<TArray, TElement>(ref TArray array, int length)
        where TArray : struct
    {
        // SAFETY: the type is marked InlineArray(length) and its only field is of type TElement (Treatments), so that it is
        // exactly length elements in a row (Check.That).
        Check.That(Unsafe.SizeOf<TArray>() == Unsafe.SizeOf<TElement>() * length);
        return MemoryMarshal.CreateSpan(ref Unsafe.As<TArray, TElement>(ref array), length);
    }

    /// <summary>Stores a value behind a read-only reference, for containers that give no other way to a value they hold.</summary>
    /// <returns>False when the reference is null.</returns>
    internal static bool TryStore<T>(ref readonly T place, T value)
    {
        // SAFETY: the caller has just built the container, nobody else sees it, and the place is an ordinary element of it.
        if (Unsafe.IsNullRef(in place))
        {
            return false;
        }

        Unsafe.AsRef(in place) = value;
        return true;
    }

    /// <summary>The bytes of a struct without references, to write to.</summary>
    internal static Span<byte> WritableBytes<T>(ref T value)
        where T : struct
    {
        // SAFETY: see the type; the span covers exactly the value.
        Check.That(!RuntimeHelpers.IsReferenceOrContainsReferences<T>());
        return MemoryMarshal.CreateSpan(ref Unsafe.As<T, byte>(ref value), Unsafe.SizeOf<T>());
    }

    /// <summary>Where an object lies until the next collection: a number to compare, never to be made a reference again.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static nuint AddressOf(object value)
    {
        // SAFETY: the reference is read as a number of its own size; nothing is reached through it.
        return Unsafe.As<object, nuint>(ref value);
    }

    /// <summary>A ref struct under the name of another whose only field it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref TTo Renamed<TFrom, TTo>(ref TFrom value)
        where TFrom : struct, allows ref struct
        where TTo : struct, allows ref struct
    {
        // SAFETY: TTo has one field, of type TFrom (FieldSet names the pair), so that both have one layout.
        Check.That(Unsafe.SizeOf<TFrom>() == Unsafe.SizeOf<TTo>());
        return ref Unsafe.As<TFrom, TTo>(ref value);
    }

    /// <summary>An object as its own class.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static T As<T>(object value)
        where T : class
    {
        // SAFETY: the caller made the object as a T or found its plan by its exact type; Check repeats it in Debug.
        Check.That(value is T);
        return Unsafe.As<T>(value);
    }

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct DecimalParts
    {
        public readonly uint Flags;
        public readonly uint High;
        public readonly ulong Low;
    }
}
