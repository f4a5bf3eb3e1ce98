// Payload of a Large record: where the page run of a large object lies and what it holds.
// run location 64 (words) | payload bytes 32 | code 8 | zero 24 | payload CRC 32 | zero 32; 24 bytes, little-endian.
using System;
using System.Buffers.Binary;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Descriptor of a large object.</summary>
/// <param name="RunLocation">First location of the page run.</param>
/// <param name="PayloadBytes">Bytes of payload, at the run's beginning.</param>
/// <param name="Code">The lane of the payload.</param>
/// <param name="PayloadCrc">CRC-32C of the payload in durable piles, else 0.</param>
internal readonly record struct LargeDescriptor(long RunLocation, int PayloadBytes, RecordCode Code, uint PayloadCrc)
{
    /// <summary>Bytes of the stored form.</summary>
    internal const int Bytes = 24;

    /// <summary>Whether it is of what may be stored so: of a length that a record can have, and of a lane. Other codes would reach into the length where both are packed into one word.</summary>
    internal bool IsOfPayload => PayloadBytes is > 0 and <= Limits.PayloadBytesMax && Code is (>= RecordCode.Bytes and <= RecordCode.Typed) or RecordCode.Extended;

    /// <summary>Writes the stored form; <paramref name="target"/> holds at least <see cref="Bytes"/>.</summary>
    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, RunLocation);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], PayloadBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(target[12..], (uint)Code);
        BinaryPrimitives.WriteUInt32LittleEndian(target[16..], PayloadCrc);
        BinaryPrimitives.WriteUInt32LittleEndian(target[20..], 0);
    }

    /// <summary>Reads the stored form; where more than a code stands in the code's place, as one of no code.</summary>
    internal static LargeDescriptor Read(ReadOnlySpan<byte> source) => new(
        BinaryPrimitives.ReadInt64LittleEndian(source),
        BinaryPrimitives.ReadInt32LittleEndian(source[8..]),
        (RecordCode)byte.CreateSaturating(BinaryPrimitives.ReadUInt32LittleEndian(source[12..])),
        BinaryPrimitives.ReadUInt32LittleEndian(source[16..]));
}
