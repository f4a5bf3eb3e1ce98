// The raw lanes without exceptions: for callers that expect a full pile or a stale pointer and go on.
// Argument mistakes still throw.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Codecs;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Raw lanes that report instead of throwing.</summary>
public static class ObjectPileTry
{
    /// <summary>Stores bytes, or reports why not.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="bytes">The bytes, 0 to 268,435,455 of them; copied.</param>
    /// <param name="pointer">The pointer to them, or null.</param>
    /// <returns>Ok, Full or Disposed; of a pile in files also Poisoned or ReadOnly.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Too many bytes for a record.</exception>
    public static PileStatus TryPutBytes(this ObjectPile pile, ReadOnlySpan<byte> bytes, out PilePointer pointer) =>
        TryPut(pile, RecordCode.Bytes, new BytesPayload(bytes), out pointer);

    /// <summary>Stores text, or reports why not.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="text">The text.</param>
    /// <param name="pointer">The pointer to it, or null.</param>
    /// <inheritdoc cref="TryPutBytes"/>
    public static PileStatus TryPutString(this ObjectPile pile, ReadOnlySpan<char> text, out PilePointer pointer) => Text.IsNarrow(text)
        ? TryPut(pile, RecordCode.NarrowString, new NarrowPayload(text), out pointer)
        : TryPut(pile, RecordCode.WideString, new BytesPayload(Text.Wide(text)), out pointer);

    /// <summary>Stores unmanaged values in a row, or reports why not.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="values">The values, together at most 268,435,455 bytes.</param>
    /// <param name="pointer">The pointer to them, or null.</param>
    /// <inheritdoc cref="TryPutBytes"/>
    public static PileStatus TryPutSpan<T>(this ObjectPile pile, ReadOnlySpan<T> values, out PilePointer pointer)
        where T : unmanaged
    {
        Check.PayloadBytes((long)values.Length * Unsafe.SizeOf<T>());
        return TryPut(pile, RecordCode.Span, new BytesPayload(MemoryMarshal.AsBytes(values)), out pointer);
    }

    /// <summary>Replaces an object by bytes, or reports why not.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="bytes">The new bytes.</param>
    /// <returns>Ok, Stale, WrongPile, Full or Disposed; of a pile in files also Corrupted, VersionsExhausted, Poisoned or ReadOnly.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Too many bytes for a record.</exception>
    public static PileStatus TryUpdateBytes(this ObjectPile pile, PilePointer pointer, ReadOnlySpan<byte> bytes)
    {
        ArgumentNullException.ThrowIfNull(pile);
        Check.PayloadBytes(bytes.Length);
        return pile.Writes.TryUpdate(pointer.Word, RecordCode.Bytes, new BytesPayload(bytes));
    }

    /// <summary>Replaces an object by unmanaged values in a row. Last writer wins.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="values">The new values.</param>
    /// <returns>Ok, Stale, WrongPile, Full or Disposed; of a pile in files also Corrupted, VersionsExhausted, Poisoned or ReadOnly.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Too many bytes for a record.</exception>
    public static PileStatus TryUpdateSpan<T>(this ObjectPile pile, PilePointer pointer, ReadOnlySpan<T> values)
        where T : unmanaged
    {
        ArgumentNullException.ThrowIfNull(pile);
        Check.PayloadBytes((long)values.Length * Unsafe.SizeOf<T>());
        return pile.Writes.TryUpdate(pointer.Word, RecordCode.Span, new BytesPayload(MemoryMarshal.AsBytes(values)));
    }

    /// <summary>Pins an object's stored bytes for asynchronous or native use, or reports why not: without an exception where others delete what is read.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="pin">The pin; dispose it when done. Null when false.</param>
    /// <returns>False when the pointer is stale or another pile's, the pile was disposed, or, in files, the bytes are damaged.</returns>
    public static bool TryPin(this ObjectPile pile, PilePointer pointer, [NotNullWhen(true)] out PilePin? pin) => TryPin(pile, pointer, out pin, out _);

    /// <inheritdoc cref="TryPin(ObjectPile, PilePointer, out PilePin)"/>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="pin">The pin; dispose it when done. Null when false.</param>
    /// <param name="status">Ok, Stale, WrongPile, Corrupted (of a pile in files: the bytes are damaged) or Disposed.</param>
    public static bool TryPin(this ObjectPile pile, PilePointer pointer, [NotNullWhen(true)] out PilePin? pin, out PileStatus status)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PilePin held = new(pile);
        status = held.TryHold(pointer.Word);
        pin = status == PileStatus.Ok ? held : null;
        return pin is not null;
    }

    private static PileStatus TryPut<TPayload>(ObjectPile pile, RecordCode code, TPayload payload, out PilePointer pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(pile);
        Check.PayloadBytes(payload.Bytes);
        PileStatus status = pile.Writes.TryPut(code, payload, out ulong word);
        pointer = new PilePointer(word);
        return status;
    }
}
