// A pile pointer's 64 bits: slot 32 | pile tag 8 | generation 24, low to high.
// It says nothing about whether the pointer is good: that is EntryWord.Matches, against the slot's entry.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Packing and reading of a pointer.</summary>
internal static class PointerWord
{
    internal const int TagShift = 32;
    internal const int GenerationShift = EntryWord.GenerationShift;
    private const ulong SlotAndTagMask = (1UL << GenerationShift) - 1;
    private const ulong NearTagOfNone = unchecked(0 - EntryWord.LiveBit - (ulong)Limits.TableWordsWhole);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(uint slot, byte tag, uint generation) =>
        slot | ((ulong)tag << TagShift) | ((ulong)generation << GenerationShift);

    /// <summary>The same of a tag and a generation that are in their places already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(uint slot, ulong tagWord, ulong generationInPlace) => slot | tagWord | generationInPlace;

    /// <summary>The same of a tag as <see cref="TurnedTag"/> gives it, and a generation over a live bit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong PackLive(uint slot, ulong turnedTag, ulong live) => slot | (turnedTag ^ live);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Slot(ulong pointer) => (uint)pointer;

    /// <summary>The slot, when the pointer carries the tag; else a number that no slot reaches, so that one comparison with
    /// the end of a table checks both.</summary>
    /// <param name="pointer">The pointer.</param>
    /// <param name="tagWord">The tag, shifted by <see cref="TagShift"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong SlotUnder(ulong pointer, ulong tagWord) => (pointer & SlotAndTagMask) - tagWord;

    /// <summary>A tag in its place, with the bit turned that an entry has for its life: a pointer that carries the tag leaves, by exclusive or,
    /// its generation over a live bit, as an entry has them.</summary>
    internal static ulong TurnedTag(byte tag) => ((ulong)tag << TagShift) ^ EntryWord.LiveBit;

    /// <summary>What a live entry's word has above its location, less what a pointer to it has above its slot: the same for all generations. It is less by the words of
    /// the table too, for a table that stands that far into the flat space: entry, slot and this together, less the pointer, are the record's place as seen from it.</summary>
    internal static ulong NearTag(byte tag) => unchecked(((ulong)tag << TagShift) + NearTagOfNone);

    /// <summary>Whether a pointer has the tag.</summary>
    /// <param name="pointer">The pointer.</param>
    /// <param name="nearTag">The tag, as <see cref="NearTag"/> gives it.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool HasTag(ulong pointer, ulong nearTag) => (byte)((pointer ^ (nearTag - NearTagOfNone)) >> TagShift) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte Tag(ulong pointer) => (byte)(pointer >> TagShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Generation(ulong pointer) => (uint)(pointer >> GenerationShift);
}
