// Many reads under one lease: the thread enters the epoch once, and each read after that is the lookup alone.
// For loops over many pointers; a lease for each would spend most of its loads on finding the thread.
using System;
using System.Runtime.CompilerServices;
using Pile.Epochs;
using Pile.Heap;

namespace Pile;

/// <summary>Reads objects one after the other without a copy, all under one lease. Dispose it soon: while it lasts, memory freed
/// by others can't be reused.</summary>
/// <remarks>Bound to the thread and the stack frame that took it, and nested with leases: what began last ends first. Each read
/// sees the object as it is at that moment; spans read before stay as they were. Costs no allocation and no lock.</remarks>
public readonly ref struct PileReader : IDisposable
{
    private readonly ObjectPile? _pile;
    private readonly EpochLine _line;
    private readonly long _lease;

    internal PileReader(ObjectPile pile)
    {
        _pile = pile;
        _line = EpochLine.Current;
        _lease = _line.BeginLease(pile.Core.Epochs.IdWord);
    }

    /// <summary>The stored bytes of an object.</summary>
    /// <param name="pointer">The object.</param>
    /// <returns>Its bytes, 8-byte aligned; valid until the reader is disposed. Those of a text are Latin-1 where all chars are at most U+00FF, else UTF-16.</returns>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileException">The pointer is another pile's.</exception>
    /// <exception cref="PileCorruptedException">Of a pile in files: the bytes are damaged.</exception>
    /// <exception cref="PilePoisonedException">Of a pile in files: the system could not write back pages of its table of objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public ReadOnlySpan<byte> this[PilePointer pointer]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ObjectPile pile = _pile!;
            return ReadsAtOnce.TryRead(pile, pointer.Word, out ReadOnlySpan<byte> bytes) ? bytes : Read(pile.Reads, pointer);
        }
    }

    /// <summary>Reads an object's stored bytes, or reports why not.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="bytes">Its bytes, valid until the reader is disposed; empty unless Ok.</param>
    /// <returns>Ok, Stale, WrongPile, Corrupted (of a pile in files: the bytes are damaged), Poisoned (pages of its table are lost) or Disposed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PileStatus TryRead(PilePointer pointer, out ReadOnlySpan<byte> bytes)
    {
        ObjectPile pile = _pile!;
        return ReadsAtOnce.TryRead(pile, pointer.Word, out bytes) ? PileStatus.Ok : TryRead(pile.Reads, pointer, out bytes);
    }

    /// <summary>Ends the lease.</summary>
    /// <exception cref="InvalidOperationException">It was ended already, or a lease taken after it is still held.</exception>
    public void Dispose() => EpochLine.EndLease(_line.Place, _lease);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Read(HeapReads reads, PilePointer pointer)
    {
        PileStatus status = TryRead(reads, pointer, out ReadOnlySpan<byte> bytes);
        if (status != PileStatus.Ok)
        {
            reads.Fail(status, pointer, nameof(PileReader));
        }

        return bytes;
    }

    /// <summary>Reads with whatever it takes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static PileStatus TryRead(HeapReads reads, PilePointer pointer, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        bool found = reads.TryFind(pointer.Word, out ulong entry) && reads.TryPayload(entry, out bytes);
        return found ? PileStatus.Ok : reads.WhyNot(pointer.Word);
    }
}
