// Stores values one after another from a place in reserved room on, and hands the next place back: the place stays in a register,
// where a writer's count would go to memory and come back for each value. Room is ByteSink's: Begin gives it, End counts it.
using System;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Bytes stored at a place.</summary>
// SAFETY: each member stores exactly as many bytes as it says from the given place on; the callers (Codecs.WireRun) say how many
// each value takes at most, and reserve as many before (ByteSink.Begin).
internal static class ByteRun
{
    /// <summary>Stores one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Store(ref byte at, byte value)
    {
        // SAFETY: see the type; 1 byte.
        at = value;
        return ref Unsafe.Add(ref at, 1);
    }

    /// <summary>Stores a byte and a value behind it, big-endian.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Store<T>(ref byte at, byte code, T bigEndian)
        where T : unmanaged
    {
        // SAFETY: see the type; 1 byte and the size of T, which is an integer.
        at = code;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref at, 1), bigEndian);
        return ref Unsafe.Add(ref at, 1 + Unsafe.SizeOf<T>());
    }

    /// <summary>Stores two bytes and a value behind them, as its bytes stand in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Store<T>(ref byte at, byte first, byte second, T value)
        where T : unmanaged
    {
        // SAFETY: see the type; 2 bytes and the size of T, which is an integer or a vector.
        at = first;
        Unsafe.Add(ref at, 1) = second;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref at, 2), value);
        return ref Unsafe.Add(ref at, 2 + Unsafe.SizeOf<T>());
    }

    /// <summary>Stores a value as its bytes stand in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte StoreRaw<T>(ref byte at, T value)
        where T : unmanaged
    {
        // SAFETY: see the type; the size of T.
        Unsafe.WriteUnaligned(ref at, value);
        return ref Unsafe.Add(ref at, Unsafe.SizeOf<T>());
    }

    /// <summary>Stores the first bytes of a number, and behind them the first bytes of another of 12 bytes; 16 bytes are stored, whatever
    /// of them counts in the end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte StoreRaw(ref byte at, uint head, int headBytes, ulong low, uint high, int bytes)
    {
        // SAFETY: see the type; 16 bytes.
        Check.That(headBytes <= sizeof(uint) && bytes <= 12);
        Unsafe.WriteUnaligned(ref at, head);
        ref byte behind = ref Unsafe.Add(ref at, headBytes);
        Unsafe.WriteUnaligned(ref behind, low);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref behind, sizeof(ulong)), high);
        return ref Unsafe.Add(ref behind, bytes);
    }

    /// <summary>Stores a byte and ASCII text behind it, one byte a char; stays at the place when the text is not ASCII.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryStoreAscii(ref byte at, byte code, ReadOnlySpan<char> text)
    {
        // SAFETY: see the type; 1 byte and one for each char.
        at = code;
        return AsciiText.TryNarrow(text, ref Unsafe.Add(ref at, 1));
    }

    /// <summary>The place so many bytes on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Behind(ref byte at, int bytes)
    {
        // SAFETY: see the type; the bytes were stored by the caller.
        return ref Unsafe.Add(ref at, bytes);
    }
}
