// Word 0 of every record, of both formats: slot 32 | code 4 | payload bytes 28, low to high, little-endian.
// One store publishes it, one load reads it; how far it can be trusted is the caller's business (Verify checks it).
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of the record word.</summary>
internal static class RecordWord
{
    internal const int CodeShift = 32;
    internal const int PayloadShift = 36;
    private const int PayloadBits = 28;
    private const ulong CodeMask = 15;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(uint slot, RecordCode code, int payloadBytes) =>
        slot | ((ulong)((uint)code | ((uint)payloadBytes << (PayloadShift - CodeShift))) << CodeShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Slot(ulong word) => (uint)word;

    /// <summary>Whether the slot is one of the object table: an entry of a speculative cache table has a part of its key's hash there, and
    /// markers, frames and fillers have none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool HasSlot(ulong word) => Slot(word) != 0 && Code(word) != RecordCode.Cache;

    /// <summary>Code and payload bytes alone, as the overloads that take 32 bits read them: turned, so that the code, on top, is compared without
    /// being cut out.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Payload(ulong word) => Payload((uint)(word >> CodeShift));

    /// <summary>The same, of a word's upper half.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Payload(uint upperHalf) => BitOperations.RotateRight(upperHalf, PayloadShift - CodeShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static RecordCode Code(uint payload) => (RecordCode)(payload >> PayloadBits);

    /// <summary>Whether the code is less than another.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsBelow(uint payload, RecordCode code) => payload < (uint)code << PayloadBits;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PayloadBytes(uint payload) => (int)(payload & ((1u << PayloadBits) - 1));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static RecordCode Code(ulong word) => (RecordCode)((word >> CodeShift) & CodeMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PayloadBytes(ulong word) => (int)(word >> PayloadShift);
}
