// A zero-copy view of a stored object's bytes, good on this thread until it is disposed.
// It holds the thread's place in the pile's epoch: what it shows is neither moved away nor reused meanwhile, while others go on.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;

namespace Pile;

/// <summary>A lease on an object's stored bytes. Dispose it soon: while it lasts, memory freed by others can't be reused.</summary>
/// <remarks>Bound to the thread and the stack frame that took it; for async code or other threads use <see cref="PilePin"/>.
/// The bytes are those of the moment the lease was taken: an update or a delete meanwhile does not change them.
/// Leases end in reverse order of their beginning. Costs no allocation and no lock.</remarks>
public readonly ref struct PileLease : IDisposable
{
    // Four fields, none of them a struct, so that the compiler keeps a lease in registers; and the word apart from what the
    // record says, so that ending the lease waits for no cache miss.
    private readonly ref readonly byte _first;
    private readonly nint _line;
    private readonly long _held;
    private readonly uint _payload;

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
        _line = line.Address;
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

    /// <summary>Takes a lease with whatever it takes, or throws.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static PileLease Take(HeapReads reads, PilePointer pointer)
    {
        PileStatus status = reads.TryLease(pointer.Word, out PileLease lease);
        if (status != PileStatus.Ok)
        {
            Throw.Failed(status, pointer, nameof(ObjectPile.Lease));
        }

        return lease;
    }

    /// <summary>The stored bytes, 8-byte aligned. Valid until the lease is disposed, not a moment longer.</summary>
    public ReadOnlySpan<byte> Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => RawValue.Span(in _first, Length);
    }

    /// <summary>Number of stored bytes.</summary>
    public int Length => RecordWord.PayloadBytes(_payload);

    /// <summary>How the object is stored.</summary>
    public PileKind Kind => (PileKind)Code;

    internal RecordCode Code => RecordWord.Code(_payload);

    /// <summary>The stored bytes as unmanaged values.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is no multiple of the size of T.</exception>
    public ReadOnlySpan<T> AsSpan<T>()
        where T : unmanaged
    {
        ReadOnlySpan<T> values = MemoryMarshal.Cast<byte, T>(Bytes);
        return values.Length * (long)Unsafe.SizeOf<T>() == Length ? values : throw NotWhole<T>();
    }

    /// <summary>The stored bytes as one unmanaged value.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is not the size of T.</exception>
    public T Read<T>()
        where T : unmanaged =>
        Length == Unsafe.SizeOf<T>() ? MemoryMarshal.Read<T>(Bytes) : throw NotWhole<T>();

    /// <summary>Ends the lease.</summary>
    /// <exception cref="InvalidOperationException">It was ended already, or it is not the innermost one: nothing was released.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose() => EpochLine.EndLease(_line, _held);

    /// <summary>Ends the lease and any that a callback below it left behind. Only for the frame that took it.</summary>
    internal void EndScope()
    {
        if (_line != 0)
        {
            new EpochLine(_line).EndScope(_held);
        }
    }

    private InvalidOperationException NotWhole<T>() => new(
        $"The object holds {Length:N0} bytes, which is not a whole number of {typeof(T)} ({Unsafe.SizeOf<T>()} bytes each).");
}
