using System;
using System.Buffers.Binary;
using System.Numerics;

namespace Pile.Bench.Baselines;

/// <summary>CRC32C as a bare loop: the processor's instruction, word after word.</summary>
internal static class BareCrc
{
    /// <summary>Over some bytes.</summary>
    internal static uint Compute(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
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
}
