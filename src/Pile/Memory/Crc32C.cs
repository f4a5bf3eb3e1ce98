// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected, as in RFC 3720 appendix B.4), by the processor's own instruction where there
// is one. It is asked for by name and works on addresses: code compiled ahead of time calls what the framework wraps around it for
// every word. The instruction takes three times as long as the next one has to wait, so that long stretches go in three streams,
// put together by a carry-less product (Gopal et al., "Fast CRC Computation for iSCSI Polynomial", Intel 2011).
using System;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Checksums of records and headers.</summary>
// SAFETY: reads alone, of bytes that the callers hold: a span, or an address with a length (FlatSpace).
internal static unsafe class Crc32C
{
    /// <summary>Bytes of one of the three streams of a round: long enough that putting them together does not count.</summary>
    internal const int StreamBytes = 512;

    private const int Streams = 3;
    private const int RoundBytes = Streams * StreamBytes;

    // x^(8 n - 33) mod P, reflected, for n = StreamBytes and twice that: a checksum times it, appended to 0 as eight bytes, is the
    // checksum n bytes further on.
    private const ulong OverOneStream = 0xDD7E_3B0C;
    private const ulong OverTwoStreams = 0x1700_76FA;

    /// <summary>The CRC-32C of <paramref name="bytes"/>, continued from <paramref name="seed"/> (a former result, or 0).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Compute(ReadOnlySpan<byte> bytes, uint seed = 0)
    {
        // SAFETY: the span stays where it is for the call, and At reads no more than its length.
        fixed (byte* start = bytes)
        {
            return At(start, bytes.Length, seed);
        }
    }

    /// <summary>Copies bytes and computes their CRC-32C from what is copied: bytes that were just stored, in other pieces, are slow to read back, and
    /// who changes the source meanwhile gets the checksum of what was stored.</summary>
    /// <param name="source">What to copy.</param>
    /// <param name="target">Where to, as long; it does not overlap.</param>
    // SAFETY: each load lies before the source's end, and each store as far before the target's. By references: to pin the spans takes as many instructions as two words.
    internal static uint Copy(ReadOnlySpan<byte> source, Span<byte> target)
    {
        Check.That(target.Length >= source.Length);
        if (source.Length >= RoundBytes)
        {
            return CopyLong(source, target);
        }

        ref byte from = ref MemoryMarshal.GetReference(source);
        ref byte to = ref MemoryMarshal.GetReference(target);
        nint bytes = source.Length;
        nint at = 0;
        ulong crc = ~0U;
        for (; at + (4 * sizeof(ulong)) <= bytes; at += 4 * sizeof(ulong))
        {
            crc = CopyWord(ref from, ref to, at, crc);
            crc = CopyWord(ref from, ref to, at + sizeof(ulong), crc);
            crc = CopyWord(ref from, ref to, at + (2 * sizeof(ulong)), crc);
            crc = CopyWord(ref from, ref to, at + (3 * sizeof(ulong)), crc);
        }

        for (; at + sizeof(ulong) <= bytes; at += sizeof(ulong))
        {
            crc = CopyWord(ref from, ref to, at, crc);
        }

        if ((bytes & sizeof(uint)) != 0)
        {
            uint half = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref from, at));
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, at), half);
            crc = Step((uint)crc, BitConverter.IsLittleEndian ? half : BinaryPrimitives.ReverseEndianness(half));
            at += sizeof(uint);
        }

        for (; at < bytes; at++)
        {
            byte value = Unsafe.Add(ref from, at);
            Unsafe.Add(ref to, at) = value;
            crc = Step((uint)crc, value);
        }

        return ~(uint)crc;
    }

    /// <summary>Continues <paramref name="crc"/> (a former result, or 0) with the eight bytes of a little-endian word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Append(uint crc, ulong word) => ~(uint)Step(~crc, word);

    /// <summary>Continues <paramref name="crc"/> with four words: as <see cref="Append(uint, ulong)"/> of each, which would be narrowed in between.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Append(uint crc, ulong first, ulong second, ulong third, ulong fourth) =>
        ~(uint)Step(Step(Step(Step((ulong)~crc, first), second), third), fourth);

    /// <summary>The CRC-32C of bytes at an address, as <see cref="Compute"/>.</summary>
    // SAFETY: the caller guarantees that so many bytes may be read there; each read below lies before end.
    internal static uint At(byte* start, int bytes, uint seed = 0)
    {
        byte* end = start + bytes;
        // 64 bits wide throughout: narrowed in between, each step would wait for a move.
        ulong crc = ~seed;
        if (bytes >= RoundBytes && Sse42.X64.IsSupported && Pclmulqdq.IsSupported)
        {
            for (; end - start >= RoundBytes; start += RoundBytes)
            {
                crc = Round(start, crc);
            }
        }

        for (; end - start >= sizeof(ulong); start += sizeof(ulong))
        {
            crc = Step(crc, Word(start));
        }

        if ((bytes & sizeof(uint)) != 0)
        {
            crc = Step((uint)crc, Half(start));
            start += sizeof(uint);
        }

        for (; start < end; start++)
        {
            crc = Step((uint)crc, *start);
        }

        return ~(uint)crc;
    }

    // SAFETY: the caller holds RoundBytes from start on.
    private static ulong Round(byte* start, ulong crc)
    {
        ulong first = crc;
        ulong second = 0;
        ulong third = 0;
        for (byte* at = start; at < start + StreamBytes; at += sizeof(ulong))
        {
            first = Sse42.X64.Crc32(first, *(ulong*)at);
            second = Sse42.X64.Crc32(second, *(ulong*)(at + StreamBytes));
            third = Sse42.X64.Crc32(third, *(ulong*)(at + (2 * StreamBytes)));
        }

        ulong product = Product(first, OverTwoStreams) ^ Product(second, OverOneStream);
        return third ^ Sse42.X64.Crc32(0, product);
    }

    // Apart, so that what it needs is not made for every call.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint CopyLong(ReadOnlySpan<byte> source, Span<byte> target)
    {
        source.CopyTo(target);
        return Compute(target[..source.Length]);
    }

    // SAFETY: the caller holds eight bytes from there on, and as many where they go.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong CopyWord(ref byte from, ref byte to, nint at, ulong crc)
    {
        ulong word = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref from, at));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, at), word);
        return Step(crc, BitConverter.IsLittleEndian ? word : BinaryPrimitives.ReverseEndianness(word));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Product(ulong crc, ulong power) =>
        Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar(crc), Vector128.CreateScalar(power), 0).ToScalar();

    // SAFETY: the caller holds eight bytes from there on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Word(byte* at) => BitConverter.IsLittleEndian ? *(ulong*)at : BinaryPrimitives.ReverseEndianness(*(ulong*)at);

    // SAFETY: the caller holds four bytes from there on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Half(byte* at) => BitConverter.IsLittleEndian ? *(uint*)at : BinaryPrimitives.ReverseEndianness(*(uint*)at);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Step(ulong crc, ulong word) =>
        Sse42.X64.IsSupported ? Sse42.X64.Crc32(crc, word)
        : Crc32.Arm64.IsSupported ? Crc32.Arm64.ComputeCrc32C((uint)crc, word)
        : BitOperations.Crc32C((uint)crc, word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Step(uint crc, uint half) =>
        Sse42.IsSupported ? Sse42.Crc32(crc, half)
        : Crc32.IsSupported ? Crc32.ComputeCrc32C(crc, half)
        : BitOperations.Crc32C(crc, half);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Step(uint crc, byte value) =>
        Sse42.IsSupported ? Sse42.Crc32(crc, value)
        : Crc32.IsSupported ? Crc32.ComputeCrc32C(crc, value)
        : BitOperations.Crc32C(crc, value);
}
