// What the headers of all files share: 4096 bytes that begin with a magic and end with a CRC-32C of all that is before it.
// Magic, the place of the CRC, and FormatFeatures behind the magic are the same in every version to come.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Pile.Memory;

namespace Pile.Format;

/// <summary>Sealing and checking of header blocks.</summary>
internal static class HeaderBlock
{
    /// <summary>Bytes of a header: one OS page, so that no header shares one with anything else.</summary>
    internal const int Bytes = 4096;

    private const int CrcBytes = sizeof(uint);

    /// <summary>Stores the CRC over a block whose fields are written.</summary>
    internal static void Seal(Span<byte> block) =>
        BinaryPrimitives.WriteUInt32LittleEndian(block[^CrcBytes..], Crc32C.Compute(block[..^CrcBytes]));

    /// <summary>Whether a block has the magic and agrees with its CRC.</summary>
    /// <param name="block">The whole block.</param>
    /// <param name="magic">The magic expected.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool IsWhole(ReadOnlySpan<byte> block, ulong magic, [NotNullWhen(false)] out string? problem)
    {
        ulong actual = BinaryPrimitives.ReadUInt64LittleEndian(block);
        uint stored = BinaryPrimitives.ReadUInt32LittleEndian(block[^CrcBytes..]);
        uint computed = Crc32C.Compute(block[..^CrcBytes]);
        problem = !block.ContainsAnyExcept((byte)0) ? "it holds nothing but zeros"
            : actual != magic ? $"it begins with 0x{actual:X16} instead of 0x{magic:X16}"
            : stored != computed ? $"its checksum is 0x{stored:X8}, that of its bytes 0x{computed:X8}"
            : null;
        return problem is null;
    }
}
