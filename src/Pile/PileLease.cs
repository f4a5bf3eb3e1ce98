// A zero-copy view of a stored object's bytes, good on this thread until it is disposed.
// It holds the thread's place in the pile's epoch: what it shows is neither moved away nor reused meanwhile, while others go on.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;

namespace Pile;

/// <summary>A lease on an object's stored bytes. Dispose it soon: while it lasts, memory freed by others can't be reused.</summary>
/// <remarks>Bound to the thread and the stack frame that took it; for async code or other threads use <see cref="PilePin"/>.
/// The bytes are those of the moment the lease was taken: an update or a delete meanwhile does not change them.
/// Leases end in reverse order of their beginning. Costs no allocation and no lock.</remarks>
public ref struct PileLease : IDisposable
{
    // Four fields, none of them a struct, so that the compiler keeps a lease in registers; and the word apart from what the
    // record says, so that ending the lease waits for no cache miss. Not read-only, so that the short way stores each as soon as it is known:
    // built as a whole at its end, a lease has the line and the word moved to other registers.
    private ref readonly byte _first;
    private nint _line;
    private long _held;
    private uint _payload;

    /// <summary>Makes a lease.</summary>
    /// <param name="first">First byte of the payload.</param>
    /// <param name="payload">The record word's payload bytes and code, as <see cref="RecordWord.Payload"/> cuts them out.</param>
    /// <param name="line">The thread's line.</param>
    /// <param name="held">The lease's word.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileLease(ref readonly byte first, uint payload, EpochLine line, long held)
    {
        _first = ref first;
        _payload = payload;
        _line = line.Place;
        _held = held;
    }

    /// <summary>Moves a lease, field by field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileLease(PileLease lease)
    {
        _first = ref lease._first;
        _payload = lease._payload;
        _line = lease._line;
        _held = lease._held;
    }

    /// <summary>Begins an empty lease, if the thread is outside every pile and its line is found at once.</summary>
    /// <param name="idWord">As for <see cref="EpochLine.TryEnter"/>.</param>
    /// <returns>False when nothing was done; this is of no use then.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryBegin(long idWord)
    {
        _line = ThreadLines.Find();
        if (new EpochLine(_line).IsOutside(out long word))
        {
            _held = word + idWord;
            new EpochLine(_line).EnterAs(_held);
            return true;
        }

        return false;
    }

    /// <summary>Shows a record of one word, if its payload follows it.</summary>
    /// <param name="space">Where it lies.</param>
    /// <param name="location">Its location.</param>
    /// <returns>False when the payload is elsewhere; this is of no use then, but for <see cref="Abandon"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryShow(FlatSpace space, long location)
    {
        _first = ref space.ByteAt(location, MemoryRecord.HeaderBytes);
        _payload = FlatSpace.UpperHalfBefore(in _first);
        return RecordWord.IsInPlace(_payload);
    }

    /// <summary>Ends what <see cref="TryBegin"/> began.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void Abandon() => new EpochLine(_line).LeaveOutermost(_held);

    /// <summary>Takes a lease with whatever it takes, or throws, and names the operation that was called.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static PileLease Take(HeapReads reads, PilePointer pointer, string operation)
    {
        PileStatus status = reads.TryLease(pointer.Word, out PileLease lease);
        if (status != PileStatus.Ok)
        {
            reads.Fail(status, pointer, operation);
        }

        return lease;
    }

    /// <summary>The stored bytes, 8-byte aligned. Valid until the lease is disposed, not a moment longer.</summary>
    /// <remarks>Those of a text are no UTF-8: Latin-1 (<see cref="PileKind.NarrowString"/>) or UTF-16 (<see cref="PileKind.WideString"/>), as <see cref="Kind"/> says.</remarks>
    public readonly ReadOnlySpan<byte> Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => RawValue.Span(in _first, Length);
    }

    /// <summary>Number of stored bytes.</summary>
    public readonly int Length => RecordWord.PayloadBytes(_payload);

    /// <summary>How the object is stored.</summary>
    public readonly PileKind Kind => (PileKind)Code;

    internal readonly RecordCode Code => RecordWord.Code(_payload);

    /// <summary>The stored bytes as unmanaged values.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is no multiple of the size of T, or a T has more than a byte and the object is a text
    /// of one byte a char (<see cref="PileKind.NarrowString"/>).</exception>
    public readonly ReadOnlySpan<T> AsSpan<T>()
        where T : unmanaged
    {
        ReadOnlySpan<T> values = MemoryMarshal.Cast<byte, T>(Bytes);
        return values.Length * (long)Unsafe.SizeOf<T>() == Length && !IsNarrowFor<T>(_payload) ? values : throw NotWhole<T>(_payload);
    }

    /// <summary>The stored bytes as one unmanaged value.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is not the size of T, or T has more than a byte and the object is a text
    /// of one byte a char (<see cref="PileKind.NarrowString"/>).</exception>
    public readonly T Read<T>()
        where T : unmanaged =>
        Length == Unsafe.SizeOf<T>() && !IsNarrowFor<T>(_payload) ? MemoryMarshal.Read<T>(Bytes) : throw NotWhole<T>(_payload);

    /// <summary>Ends the lease.</summary>
    /// <exception cref="InvalidOperationException">It was ended already, or it is not the innermost one: nothing was released.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Dispose() => EpochLine.EndLease(_line, _held);

    /// <summary>Ends the lease and any that a callback below it left behind. Only for the frame that took it.</summary>
    internal readonly void EndScope()
    {
        if (_line != ThreadLines.Nobodys)
        {
            new EpochLine(_line).EndScope(_held);
        }
    }

    // These two are static: a call that is not inlined, were it only to say what is wrong, takes the address of its lease, which is then kept in memory and not in registers.
    // Text of one byte a char would be other text as chars, or as anything wider.
    private static bool IsNarrowFor<T>(uint payload) => Unsafe.SizeOf<T>() > 1 && RecordWord.Code(payload) == RecordCode.NarrowString && RecordWord.PayloadBytes(payload) > 0;

    private static InvalidOperationException NotWhole<T>(uint payload) => new(IsNarrowFor<T>(payload)
        ? $"The object is a text of {RecordWord.PayloadBytes(payload):N0} chars, stored as one byte each ({nameof(PileKind.NarrowString)}), which are no {typeof(T)} ({Unsafe.SizeOf<T>()} bytes each). Read its {nameof(Bytes)} as Latin-1, or Get it as a string."
        : $"The object holds {RecordWord.PayloadBytes(payload):N0} bytes, which is not a whole number of {typeof(T)} ({Unsafe.SizeOf<T>()} bytes each).");
}
