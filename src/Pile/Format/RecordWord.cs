// Word 0 of every record, of both formats: slot 32 | code 4 | payload bytes 28, low to high, little-endian.
// One store publishes it, one load reads it; how far it can be trusted is the caller's business (Verify checks it).
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of the record word.</summary>
internal static class RecordWord
{
    internal const int CodeShift = 32;
    internal const int PayloadShift = 36;
    private const ulong CodeMask = 15;

    /// <summary>What the word says of the payload of every object that lies in a run of its own.</summary>
    internal const uint Elsewhere = (LargeDescriptor.Bytes << (PayloadShift - CodeShift)) | (uint)RecordCode.Large;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(uint slot, RecordCode code, int payloadBytes) =>
        slot | ((ulong)code << CodeShift) | ((ulong)(uint)payloadBytes << PayloadShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Slot(ulong word) => (uint)word;

    /// <summary>Whether the slot is one of the object table: an entry of a speculative cache table has a part of its key's hash there, and
    /// markers, frames and fillers have none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool HasSlot(ulong word) => Slot(word) != 0 && Code(word) != RecordCode.Cache;

    /// <summary>Code and payload bytes alone, as the overloads that take 32 bits read them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Payload(ulong word) => (uint)(word >> CodeShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static RecordCode Code(uint payload) => (RecordCode)(payload & CodeMask);

    /// <summary>Whether an object has its payload behind this word, not in a run of its own. What says so of a run is always as long: one comparison of all that
    /// the word says of the payload.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsInPlace(uint payload) => payload != Elsewhere;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PayloadBytes(uint payload) => (int)(payload >> (PayloadShift - CodeShift));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static RecordCode Code(ulong word) => (RecordCode)((word >> CodeShift) & CodeMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PayloadBytes(ulong word) => (int)(word >> PayloadShift);
}
