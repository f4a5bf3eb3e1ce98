// The first 32 bytes of every segment of a mapped pile: magic 64 | sequence 64 | first location 64 | CRC 32 | cut 32.
// The CRC is salted with the pile's identity. It says whose records follow; how many, the records' own checks do, but
// for a segment that a recovery cut: there the header says how many bytes count.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Header of a durable segment.</summary>
internal static class SegmentHeader
{
    internal const int Bytes = 32;
    private const ulong Magic = 0x4D47_4553_454C_4950; // "PILESEGM"

    /// <summary>Writes the stored form.</summary>
    /// <param name="target">At least <see cref="Bytes"/>.</param>
    /// <param name="sequence">Sequence number, from 1.</param>
    /// <param name="identity">The pile's.</param>
    /// <param name="firstLocation">First location of the segment, that of this header.</param>
    /// <param name="cutBytes">Bytes that count in a segment that a recovery cut; else 0.</param>
    internal static void Write(Span<byte> target, long sequence, ulong identity, long firstLocation, int cutBytes = 0)
    {
        var writer = new LayoutWriter(target);
        writer.Long(Magic);
        writer.Long(sequence);
        writer.Long(firstLocation);
        writer.Int(CrcOf(sequence, identity, firstLocation, cutBytes));
        writer.Int(cutBytes);
    }

    /// <summary>Reads the sequence of the segment.</summary>
    /// <param name="source">At least <see cref="Bytes"/>.</param>
    /// <param name="identity">The pile's.</param>
    /// <param name="firstLocation">Where it was read.</param>
    /// <param name="sequence">The sequence number.</param>
    /// <param name="cutBytes">Bytes that count in a segment that a recovery cut; else 0.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryRead(
        ReadOnlySpan<byte> source, ulong identity, long firstLocation, out long sequence, out int cutBytes, [NotNullWhen(false)] out string? problem)
    {
        var reader = new LayoutReader(source);
        ulong magic = reader.ULong();
        long read = reader.Long();
        long location = reader.Long();
        uint stored = reader.UInt();
        cutBytes = reader.Int();
        uint computed = CrcOf(read, identity, location, cutBytes);
        problem = magic != Magic ? $"it begins with 0x{magic:X16} instead of 0x{Magic:X16}"
            : stored != computed ? $"its checksum is 0x{stored:X8}, that of its fields 0x{computed:X8}"
            : location != firstLocation ? $"it is that of location {location}"
            : read is < 1 or > SegmentRow.SequenceMax ? $"sequence {read} is not 1 to {SegmentRow.SequenceMax}"
            : cutBytes is < 0 or > Limits.SegmentBytesMax ? $"cut at {cutBytes} bytes can't be"
            : null;
        sequence = problem is null ? read : 0;
        cutBytes = problem is null ? cutBytes : 0;
        return problem is null;
    }

    private static uint CrcOf(long sequence, ulong identity, long firstLocation, int cutBytes)
    {
        uint crc = Crc32C.Append(0, Magic);
        crc = Crc32C.Append(crc, (ulong)sequence);
        crc = Crc32C.Append(crc, identity);
        crc = Crc32C.Append(crc, (ulong)firstLocation);
        return Crc32C.Append(crc, (ulong)cutBytes);
    }
}
