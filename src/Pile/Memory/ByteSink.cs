// A growing buffer of bytes for one writer: room is reserved first, then stored into without further checks.
// It knows no format. Large buffers come from the shared array pool and go back when the sink is reset.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Bytes being written. Not thread-safe.</summary>
internal class ByteSink
{
    private byte[] _bytes = [];
    private int _length;

    /// <summary>Bytes written.</summary>
    internal int Length => _length;

    /// <summary>What was written; valid until the next write.</summary>
    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    /// <summary>Makes room for so many bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Reserve(int bytes)
    {
        if (_bytes.Length - _length < bytes)
        {
            Grow(bytes);
        }
    }

    /// <summary>Makes room for so many bytes, for stores by <see cref="ByteRun"/>.</summary>
    /// <returns>Where it begins; to be ended before anything else is written.</returns>
    // SAFETY: one byte more is reserved, so that a place is never right behind the buffer: there the collector would take it for one
    // in the next object, and move it with that.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Begin(int bytes)
    {
        Reserve(bytes + 1);
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _length);
    }

    /// <summary>Counts what was stored since <see cref="Begin"/>.</summary>
    // SAFETY: the place is in the buffer that Begin gave a place in, which nobody replaced since (Check.That).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(ref byte at)
    {
        int length = (int)Unsafe.ByteOffset(ref MemoryMarshal.GetArrayDataReference(_bytes), ref at);
        Check.That(length >= _length && length < _bytes.Length);
        _length = length;
    }

    /// <summary>Room reserved but not written.</summary>
    internal Span<byte> Free => _bytes.AsSpan(_length);

    /// <summary>Counts bytes that were written to <see cref="Free"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Advance(int bytes)
    {
        Check.That((uint)bytes <= (uint)(_bytes.Length - _length));
        _length += bytes;
    }

    /// <summary>Forgets what was written after a length.</summary>
    internal void Truncate(int length) => _length = length;

    /// <summary>Stores one byte into reserved room.</summary>
    // SAFETY: the caller has reserved the room (Check.That), and _length never exceeds the buffer.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Store(byte value)
    {
        Check.That(_length < _bytes.Length);
        Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _length) = value;
        _length++;
    }

    /// <summary>Stores a byte and a value behind it, big-endian, into reserved room.</summary>
    // SAFETY: the caller has reserved 1 byte and the size of T (Check.That); T is an integer.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Store<T>(byte code, T bigEndian)
        where T : unmanaged
    {
        Check.That(_length + 1 + Unsafe.SizeOf<T>() <= _bytes.Length);
        ref byte at = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _length);
        at = code;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref at, 1), bigEndian);
        _length += 1 + Unsafe.SizeOf<T>();
    }

    /// <summary>Stores a value as its bytes stand in memory into reserved room.</summary>
    // SAFETY: the caller has reserved the size of T (Check.That).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void StoreRaw<T>(T value)
        where T : unmanaged
    {
        Check.That(_length + Unsafe.SizeOf<T>() <= _bytes.Length);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _length), value);
        _length += Unsafe.SizeOf<T>();
    }

    /// <summary>Stores ASCII text behind one more byte into reserved room, one byte a char.</summary>
    /// <returns>False when it is not ASCII; then nothing is stored.</returns>
    // SAFETY: the caller has reserved 1 byte and as many as there are chars (Check.That).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryStoreAscii(byte code, ReadOnlySpan<char> text)
    {
        Check.That(_length + 1 + text.Length <= _bytes.Length);
        ref byte at = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _length);
        at = code;
        if (!AsciiText.TryNarrow(text, ref Unsafe.Add(ref at, 1)))
        {
            return false;
        }

        _length += 1 + text.Length;
        return true;
    }

    /// <summary>Appends bytes.</summary>
    internal void Append(ReadOnlySpan<byte> bytes)
    {
        Reserve(bytes.Length);
        bytes.CopyTo(Free);
        _length += bytes.Length;
    }

    /// <summary>Replaces a byte that was written.</summary>
    internal void Patch(int offset, byte value) => _bytes.AsSpan(0, _length)[offset] = value;

    /// <summary>Replaces four bytes that were written, big-endian.</summary>
    internal void Patch(int offset, uint value) => BinaryPrimitives.WriteUInt32BigEndian(_bytes.AsSpan(0, _length)[offset..], value);

    /// <summary>Forgets everything and keeps the buffer, unless it grew beyond a size.</summary>
    internal void Reset(int keepBytes)
    {
        _length = 0;
        if (_bytes.Length > keepBytes)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = [];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int bytes)
    {
        long needed = (long)_length + bytes;
        if (_length > Limits.PayloadBytesMax || needed > Array.MaxLength)
        {
            Throw.TooLarge(needed);
        }

        byte[] larger = ArrayPool<byte>.Shared.Rent((int)long.Min(Array.MaxLength, long.Max(needed, long.Max(Limits.StagingBytesFirst, _bytes.Length * 2L))));
        Written.CopyTo(larger);
        if (_bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
        }

        _bytes = larger;
    }
}
