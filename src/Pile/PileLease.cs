// A zero-copy view of a stored object's bytes, good on this thread until it is disposed.
// It holds the thread's place in the pile's epoch: what it shows is neither moved away nor reused meanwhile, while others go on.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;

namespace Pile;

/// <summary>A lease on an object's stored bytes. Dispose it soon: while it lasts, memory freed by others can't be reused.</summary>
/// <remarks>Bound to the thread and the stack frame that took it; for async code or other threads use <see cref="PilePin"/>.
/// The bytes are those of the moment the lease was taken: an update or a delete meanwhile does not change them.
/// Leases end in reverse order of their beginning. Costs no allocation and no lock.</remarks>
public readonly ref struct PileLease : IDisposable
{
    private const long CodeMask = (1 << EpochLine.IdShift) - 1;
    private readonly ReadOnlySpan<byte> _bytes;
    private readonly EpochLine? _line;

    /// <summary>The lease's word on its thread's line, with the record's code in the lowest four bits: four fields in all, so
    /// that the compiler keeps a lease in registers.</summary>
    private readonly long _wordAndCode;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileLease(ReadOnlySpan<byte> bytes, EpochLine line, long word, RecordCode code)
    {
        _bytes = bytes;
        _line = line;
        _wordAndCode = word | (byte)code;
    }

    /// <summary>The stored bytes, 8-byte aligned. Valid until the lease is disposed, not a moment longer.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Number of stored bytes.</summary>
    public int Length => _bytes.Length;

    /// <summary>How the object is stored.</summary>
    public PileKind Kind => (PileKind)Code;

    internal RecordCode Code => (RecordCode)(_wordAndCode & CodeMask);

    /// <summary>The stored bytes as unmanaged values.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is no multiple of the size of T.</exception>
    public ReadOnlySpan<T> AsSpan<T>()
        where T : unmanaged
    {
        ReadOnlySpan<T> values = MemoryMarshal.Cast<byte, T>(_bytes);
        return values.Length * (long)Unsafe.SizeOf<T>() == _bytes.Length ? values : throw NotWhole<T>();
    }

    /// <summary>The stored bytes as one unmanaged value.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <exception cref="InvalidOperationException">The length is not the size of T.</exception>
    public T Read<T>()
        where T : unmanaged =>
        _bytes.Length == Unsafe.SizeOf<T>() ? MemoryMarshal.Read<T>(_bytes) : throw NotWhole<T>();

    /// <summary>Ends the lease.</summary>
    /// <exception cref="InvalidOperationException">It was ended already, or it is not the innermost one: nothing was released.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        if (_line is not null && !_line.EndLease(_wordAndCode & ~CodeMask))
        {
            Throw.LeaseNotInnermost();
        }
    }

    /// <summary>Ends the lease and any that a callback below it left behind. Only for the frame that took it.</summary>
    internal void EndScope() => _line?.EndScope(_wordAndCode & ~CodeMask);

    private InvalidOperationException NotWhole<T>() => new(
        $"The object holds {_bytes.Length:N0} bytes, which is not a whole number of {typeof(T)} ({Unsafe.SizeOf<T>()} bytes each).");
}
