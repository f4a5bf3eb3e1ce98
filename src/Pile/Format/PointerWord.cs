// A pile pointer's 64 bits: slot 32 | pile tag 8 | generation 24, low to high.
// It says nothing about whether the pointer is good: that is EntryWord.Matches, against the slot's entry.
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of a pointer.</summary>
internal static class PointerWord
{
    internal const int TagShift = 32;
    internal const int GenerationShift = EntryWord.GenerationShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(uint slot, byte tag, uint generation) =>
        slot | ((ulong)tag << TagShift) | ((ulong)generation << GenerationShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Slot(ulong pointer) => (uint)pointer;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte Tag(ulong pointer) => (byte)(pointer >> TagShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Generation(ulong pointer) => (uint)(pointer >> GenerationShift);
}
