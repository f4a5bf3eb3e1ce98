// A growing staging buffer: bytes are written here first and stored in the pile by Commit, so that nothing half written
// is ever in the log and no writer is held while the caller computes.
using System;
using System.Buffers;
using System.Threading;
using Pile.Primitives;

namespace Pile;

/// <summary>An <see cref="IBufferWriter{T}"/> whose bytes become one object. Not thread-safe.</summary>
/// <remarks>From <see cref="ObjectPile.BeginPut"/>; dispose it, committed or not. It is an object of its own each time, 64 bytes, whose buffer comes from the shared array pool: what was got of
/// it is somebody else's after Dispose, the writer is not.</remarks>
public sealed class PileBufferWriter : IBufferWriter<byte>, IDisposable
{
    private const int FirstBytes = 256;
    private readonly ObjectPile? _pile;
    private readonly BufferWriterPool? _pool;
    private byte[] _buffer = [];
    private int _end;
    private int _written;
    private State _state;

    /// <param name="pile">Where it commits to; null for one that only collects.</param>
    /// <param name="pool">What it goes back to when it is disposed. None for one that a caller gets, who may dispose it once more when another has it.</param>
    internal PileBufferWriter(ObjectPile? pile, BufferWriterPool? pool = null) => (_pile, _pool) = (pile, pool);

    private enum State
    {
        Open,
        Committed,
        Disposed,
    }

    /// <summary>Bytes written so far.</summary>
    public int WrittenBytes => _written;

    /// <summary>What was written so far; valid until the next call.</summary>
    public ReadOnlySpan<byte> WrittenSpan => _buffer.AsSpan(0, _written);

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ThrowIfSpent();
        if (count < 0 || count > _end - _written)
        {
            Throw.Argument(nameof(count), count, $"Advance may pass 0 to {_end - _written} bytes, what the last GetSpan or GetMemory left.");
        }

        _written += count;
    }

    /// <inheritdoc/>
    /// <remarks>What was not written yet is zero, unless a codec is called with its pile's own writer: that one is used again as it is.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The object would be larger than a record can hold.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsMemory(_written, _end - _written);
    }

    /// <inheritdoc/>
    /// <remarks>As of <see cref="GetMemory"/>.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The object would be larger than a record can hold.</exception>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsSpan(_written, _end - _written);
    }

    /// <summary>Stores what was written as one object of the bytes lane.</summary>
    /// <returns>The pointer to it.</returns>
    /// <exception cref="PileFullException">The limit leaves no room; the writer may be committed again later.</exception>
    /// <exception cref="InvalidOperationException">It was committed or disposed.</exception>
    public PilePointer Commit()
    {
        ThrowIfSpent();
        PilePointer pointer = _pile!.PutBytes(WrittenSpan);
        _state = State.Committed;
        return pointer;
    }

    /// <summary>Gives the buffer back. What was not committed is forgotten. Further calls do nothing.</summary>
    public void Dispose()
    {
        if (_state == State.Disposed)
        {
            return;
        }

        _state = State.Disposed;
        ReturnBuffer();
        _pool?.Return(this);
    }

    /// <summary>Counts the objects this writer was handed out for, so that a reservation knows its own.</summary>
    internal long Session { get; private set; }

    /// <summary>Makes a disposed or fresh writer ready for another object.</summary>
    internal PileBufferWriter Restart()
    {
        _written = 0;
        _state = State.Open;
        Session++;
        return this;
    }

    /// <summary>Forgets what was written behind so many bytes.</summary>
    internal void Truncate(int bytes) => _written = bytes;

    /// <summary>Forgets what was written and keeps the buffer, unless it grew beyond <paramref name="keepBytes"/>.</summary>
    internal void Reset(int keepBytes)
    {
        _written = 0;
        if (_buffer.Length > keepBytes)
        {
            ReturnBuffer();
        }
    }

    private void Reserve(int sizeHint)
    {
        ThrowIfSpent();
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        long needed = (long)_written + int.Max(sizeHint, 1);
        if (needed <= _end)
        {
            return;
        }

        if (needed > Limits.PayloadBytesMax)
        {
            Throw.TooLarge(needed);
        }

        byte[] larger = ArrayPool<byte>.Shared.Rent((int)long.Max(needed, long.Max(FirstBytes, _buffer.Length * 2L)));
        WrittenSpan.CopyTo(larger);

        // What somebody else put there, an object that is deleted by now for one, is not to be seen, nor stored by an Advance over it.
        larger.AsSpan(_written).Clear();
        ReturnBuffer();
        _buffer = larger;

        // Buffers come in powers of two, and an object may have a byte less than the largest of them.
        _end = int.Min(larger.Length, Limits.PayloadBytesMax);
    }

    private void ReturnBuffer()
    {
        // By one of two threads that dispose it at once.
        byte[] buffer = Interlocked.Exchange(ref _buffer, []);
        if (buffer.Length > 0)
        {
            _end = 0;
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void ThrowIfSpent()
    {
        if (_state != State.Open)
        {
            Throw.Spent(nameof(PileBufferWriter));
        }
    }
}
