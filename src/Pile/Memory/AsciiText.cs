// Short ASCII text between chars and bytes, eight at a time: most strings of most programs. Anything else is left to the
// framework's UTF-8, which costs more to begin than to do.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pile.Memory;

/// <summary>Narrows and widens ASCII.</summary>
// SAFETY: every access lies within the span whose length the loop holds against; the string that is written to was allocated
// by this class and nobody else has seen it.
internal static class AsciiText
{
    private const ulong HighBits = 0x8080_8080_8080_8080;
    private const int HalfChars = 4;

    /// <summary>Writes chars as bytes.</summary>
    /// <param name="text">The chars.</param>
    /// <param name="bytes">The first of at least as many bytes.</param>
    /// <returns>False when there is a char above U+007F; the target then holds nothing useful.</returns>
    internal static bool TryNarrow(ReadOnlySpan<char> text, ref byte bytes)
    {
        // SAFETY: the caller holds the room (ByteSink.TryStoreAscii), the source is read below its length.
        ref ushort source = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(text));
        int last = text.Length - Vector128<ushort>.Count;
        Vector128<ushort> seen;
        if (last >= 0)
        {
            // The first eight, those between, and the last eight, of which some may be there for the second time.
            seen = Vector128.LoadUnsafe(ref source);
            Store(seen, ref bytes);
            for (int index = Vector128<ushort>.Count; index < last; index += Vector128<ushort>.Count)
            {
                Vector128<ushort> eight = Vector128.LoadUnsafe(ref source, (uint)index);
                seen |= eight;
                Store(eight, ref Unsafe.Add(ref bytes, index));
            }

            Vector128<ushort> end = Vector128.LoadUnsafe(ref source, (uint)last);
            seen |= end;
            Store(end, ref Unsafe.Add(ref bytes, last));
        }
        else if (text.Length >= HalfChars)
        {
            // Four, and the last four.
            last = text.Length - HalfChars;
            ulong first = Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref source));
            ulong second = Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref source, last)));
            seen = Vector128.Create(first, second).AsUInt16();
            ulong narrow = Vector128.Narrow(seen, seen).AsUInt64().ToScalar();
            Unsafe.WriteUnaligned(ref bytes, (uint)narrow);
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref bytes, last), (uint)(narrow >> 32));
        }
        else
        {
            int rest = 0;
            for (int index = 0; index < text.Length; index++)
            {
                int one = Unsafe.Add(ref source, index);
                rest |= one;
                Unsafe.Add(ref bytes, index) = (byte)one;
            }

            return rest < 0x80;
        }

        return (seen & Vector128.Create((ushort)0xff80)) == Vector128<ushort>.Zero;
    }

    // SAFETY: the caller has room for eight bytes there (TryNarrow, of at least as many chars).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Store(Vector128<ushort> eight, ref byte bytes) =>
        Unsafe.WriteUnaligned(ref bytes, Vector128.Narrow(eight, eight).AsUInt64().ToScalar());

    /// <summary>Makes a string of ASCII bytes; null when there is a byte above 0x7F.</summary>
    internal static string? Widen(ReadOnlySpan<byte> bytes)
    {
        // SAFETY: the string has exactly as many chars as there are bytes, and is written to before anybody sees it.
        if (bytes.IsEmpty)
        {
            return string.Empty;
        }

        string text = new('\0', bytes.Length);
        ref ushort target = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(text.AsSpan()));
        ref byte source = ref MemoryMarshal.GetReference(bytes);
        ulong seen = 0;
        int index = 0;
        for (; index <= bytes.Length - sizeof(ulong); index += sizeof(ulong))
        {
            ulong eight = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, index));
            seen |= eight;
            Vector128.WidenLower(Vector128.CreateScalarUnsafe(eight).AsByte()).StoreUnsafe(ref target, (uint)index);
        }

        if (index > 0 && index < bytes.Length)
        {
            // The last eight again, some of them for the second time.
            index = bytes.Length - sizeof(ulong);
            ulong eight = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, index));
            seen |= eight;
            Vector128.WidenLower(Vector128.CreateScalarUnsafe(eight).AsByte()).StoreUnsafe(ref target, (uint)index);
            index = bytes.Length;
        }
        else if (index == 0 && bytes.Length >= HalfChars)
        {
            // Four, and the last four again.
            int last = bytes.Length - HalfChars;
            uint first = Unsafe.ReadUnaligned<uint>(ref source);
            uint second = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref source, last));
            Vector128<ulong> eight = Vector128.WidenLower(Vector128.CreateScalarUnsafe(first | ((ulong)second << 32)).AsByte()).AsUInt64();
            seen = first | second;
            Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref target), eight.ToScalar());
            Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref target, last)), eight.GetElement(1));
            index = bytes.Length;
        }

        for (; index < bytes.Length; index++)
        {
            byte one = Unsafe.Add(ref source, index);
            seen |= one;
            Unsafe.Add(ref target, index) = one;
        }

        return (seen & HighBits) == 0 ? text : null;
    }
}
