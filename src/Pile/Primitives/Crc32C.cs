// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected, as in RFC 3720 appendix B.4) over spans.
// Uses the processor's instruction through BitOperations where there is one.
using System;
using System.Buffers.Binary;
using System.Numerics;

namespace Pile.Primitives;

/// <summary>Checksums of records and headers.</summary>
internal static class Crc32C
{
    /// <summary>The CRC-32C of <paramref name="bytes"/>, continued from <paramref name="seed"/> (a former result, or 0).</summary>
    internal static uint Compute(ReadOnlySpan<byte> bytes, uint seed = 0)
    {
        uint crc = ~seed;
        while (bytes.Length >= sizeof(ulong))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }

        foreach (byte value in bytes)
        {
            crc = BitOperations.Crc32C(crc, value);
        }

        return ~crc;
    }

    /// <summary>Continues <paramref name="crc"/> (a former result, or 0) with the eight bytes of a little-endian word.</summary>
    internal static uint Append(uint crc, ulong word) => ~BitOperations.Crc32C(~crc, word);
}
