// The checksum of a record's payload. It covers every byte but one word: the time of last use of a cache entry that slides, which is
// raised in place while the entry is read; that word has a check of its own (TouchWord).
// Entries of cache tables alone are looked into; of every other record all bytes count.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Checksums of payloads.</summary>
internal static class PayloadSum
{
    /// <summary>The CRC-32C of a payload.</summary>
    /// <param name="word">Word 0 of its record.</param>
    /// <param name="payload">The payload.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Of(ulong word, ReadOnlySpan<byte> payload) =>
        RecordWord.Code(word) >= RecordCode.Cache ? OfEntry(RecordWord.Code(word), payload) : Crc32C.Compute(payload);

    private static uint OfEntry(RecordCode code, ReadOnlySpan<byte> payload)
    {
        int head = code == RecordCode.Cache ? 0
            : payload.Length >= Limits.WordBytes && payload[0] == (byte)ExtendedKind.CacheEntry ? Limits.WordBytes
            : -1;
        if (head < 0 || payload.Length < head + KeyedHead.WordsBytes)
        {
            return Crc32C.Compute(payload);
        }

        ulong a = BinaryPrimitives.ReadUInt64LittleEndian(payload[head..]);
        int touch = head + KeyedHead.SlidingOffset(a) + Limits.WordBytes;
        if ((a & KeyedHead.SlidesBit) == 0 || payload.Length < touch + Limits.WordBytes)
        {
            return Crc32C.Compute(payload);
        }

        uint crc = Crc32C.Append(Crc32C.Compute(payload[..touch]), 0);
        return Crc32C.Compute(payload[(touch + Limits.WordBytes)..], crc);
    }
}
