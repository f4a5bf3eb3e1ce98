// The checksum of a record's payload. It covers every byte but one word: the time of last use of a cache entry that slides, which is
// raised in place while the entry is read; that word has a check of its own (TouchWord), and counts as 0. So it does within a frame, whose
// payload is records, for each of them.
// Entries of cache tables and frames alone are looked into; of every other record all bytes count.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Checksums of payloads.</summary>
internal static class PayloadSum
{
    private const uint LookedInto = (1u << (int)RecordCode.Cache) | (1u << (int)RecordCode.Extended) | (1u << (int)RecordCode.Frame);

    /// <summary>The CRC-32C of a payload.</summary>
    /// <param name="word">Word 0 of its record.</param>
    /// <param name="payload">The payload.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Of(ulong word, ReadOnlySpan<byte> payload) =>
        (LookedInto >> (int)RecordWord.Code(word) & 1) != 0 ? OfTouched(RecordWord.Code(word), payload) : Crc32C.Compute(payload);

    private static uint OfTouched(RecordCode code, ReadOnlySpan<byte> payload)
    {
        uint crc = 0;
        int done = 0;
        int next = code == RecordCode.Frame ? 0 : payload.Length;
        if (code != RecordCode.Frame)
        {
            AddUpToTouch(code, payload, payload, ref crc, ref done);
        }

        // Bytes of a frame that are no record have no touch word: they count as they are.
        while (payload.Length - next >= DurableRecord.HeaderBytes)
        {
            ulong member = BinaryPrimitives.ReadUInt64LittleEndian(payload[next..]);
            int begin = next + DurableRecord.HeaderBytes;
            int bytes = RecordWord.PayloadBytes(member);
            if (bytes > payload.Length - begin)
            {
                break;
            }

            AddUpToTouch(RecordWord.Code(member), payload, payload.Slice(begin, bytes), ref crc, ref done, begin);
            next = begin + Align.Up(bytes, Limits.WordBytes);
        }

        return Crc32C.Compute(payload[done..], crc);
    }

    /// <summary>Adds what stands before an entry's touch word, and 0 for that.</summary>
    private static void AddUpToTouch(RecordCode code, ReadOnlySpan<byte> all, ReadOnlySpan<byte> entry, ref uint crc, ref int done, int begin = 0)
    {
        int touch = TouchOffset(code, entry);
        if (touch >= 0)
        {
            crc = Crc32C.Append(Crc32C.Compute(all[done..(begin + touch)], crc), 0);
            done = begin + touch + Limits.WordBytes;
        }
    }

    /// <summary>Where the touch word of an entry stands; -1 for none.</summary>
    private static int TouchOffset(RecordCode code, ReadOnlySpan<byte> payload)
    {
        int head = code == RecordCode.Cache ? 0
            : code == RecordCode.Extended && payload.Length >= Limits.WordBytes && payload[0] == (byte)ExtendedKind.CacheEntry ? Limits.WordBytes
            : -1;
        if (head < 0 || payload.Length < head + KeyedHead.WordsBytes)
        {
            return -1;
        }

        ulong a = BinaryPrimitives.ReadUInt64LittleEndian(payload[head..]);
        int touch = head + KeyedHead.SlidingOffset(a) + Limits.WordBytes;
        return (a & KeyedHead.SlidesBit) != 0 && payload.Length >= touch + Limits.WordBytes ? touch : -1;
    }
}
