// The record of a durable pile: word 0, version 40 | generation 24, payload CRC 32 | check 32. 24 bytes of header.
// The check is salted with the segment's sequence and the record's own location, so that what stood in a recycled
// segment before never passes for a record, and no segment needs zeroing.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Format;

/// <summary>Record format of durable piles.</summary>
internal readonly struct DurableRecord : IRecordFormat
{
    internal const int VersionBits = 40;
    internal const ulong VersionMax = (1UL << VersionBits) - 1;
    private const int PayloadCrcOffset = 8;
    private const int CheckOffset = 12;
    private const int CheckShift = 32;

    public static int HeaderBytes => 24;

    public static int SegmentHeaderBytes => SegmentHeader.Bytes;

    public static bool IsDurable => true;

    /// <summary>Version of an object, of word 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Version(ulong word1) => word1 & VersionMax;

    /// <summary>Generation of a slot, of word 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Generation(ulong word1) => (uint)(word1 >> VersionBits);

    /// <summary>The salt of the checks of one segment.</summary>
    internal static uint SaltOf(ulong pileIdentity, long segmentSequence) => Crc32C.Append(Crc32C.Append(0, pileIdentity), (ulong)segmentSequence);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteRest(Span<byte> rest, ulong word0, uint payloadSum, in RecordStamp stamp)
    {
        // The two numbers of word 2 in one store, from registers: nothing that was just stored is read back.
        ulong word1 = stamp.Version | ((ulong)stamp.Generation << VersionBits);
        uint check = CheckOf(word0, word1, payloadSum, stamp.Salt, stamp.Location);
        BinaryPrimitives.WriteUInt64LittleEndian(rest[PayloadCrcOffset..], payloadSum | ((ulong)check << CheckShift));
        BinaryPrimitives.WriteUInt64LittleEndian(rest, word1);
    }

    public static void Restamp(Span<byte> rest, ulong word0, in RecordStamp stamp)
    {
        ulong word1 = BinaryPrimitives.ReadUInt64LittleEndian(rest);
        uint payloadCrc = BinaryPrimitives.ReadUInt32LittleEndian(rest[PayloadCrcOffset..]);
        BinaryPrimitives.WriteUInt32LittleEndian(rest[CheckOffset..], CheckOf(word0, word1, payloadCrc, stamp.Salt, stamp.Location));
    }

    /// <summary>Whether a header, given by its words, is whole and belongs to this place: its check agrees with its fields and the salt.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsWhole(ulong word0, ulong word1, ulong word2, uint salt, long location) =>
        (uint)(word2 >> CheckShift) == CheckOf(word0, word1, PayloadCrc(word2), salt, location);

    /// <summary>Checksum of the payload, of word 2.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint PayloadCrc(ulong word2) => (uint)word2;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint CheckOf(ulong word0, ulong word1, uint payloadCrc, uint salt, long location) =>
        Crc32C.Append(salt, word0, word1, payloadCrc, (ulong)location);
}
