// The pile's flat space: one reservation of address space, in which a location (in 8-byte words) becomes an address by one
// addition. A lease's loads limit how many leases the processor overlaps, so there is none here that can be saved.
// This is the unsafe door for stored bytes: spans and words, checked against the map in Debug, never an address outside.
// It does not map or free anything (ExtentMap does) and knows no record format.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Read and write access to the extents of one pile, by location.</summary>
/// <remarks>A view: copying it is free, and it is valid until its <see cref="ExtentMap"/> is disposed.</remarks>
// SAFETY: every member computes an address from a location. The callers guarantee that the location came from a published
// table entry read inside an epoch, or from a segment or run they own, and that the stretch lies inside that record or
// segment; so it lies inside one mapped extent, which stays mapped until the epochs of the pile are empty.
internal readonly unsafe struct FlatSpace(nint start, nint rows)
{
    private readonly byte* _start = (byte*)start;
    private readonly ExtentRow* _rows = (ExtentRow*)rows;

    /// <summary>Index of the segment that holds the location, as its extent was cut.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int SegmentIndex(long location)
    {
        // SAFETY: see the type.
        ExtentRow* row = _rows + (location >> Limits.ExtentShiftWords);
        return row->FirstSegment + (int)((location & ((1L << Limits.ExtentShiftWords) - 1)) >> row->SegmentShiftWords);
    }

    /// <summary>Reads the word at the location; plain, ordered only by the acquire load that found the location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong ReadWord(long location) => *(ulong*)Address(location); // SAFETY: see the type.

    /// <summary>Stores the word at the location after everything stored before it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteWordRelease(long location, ulong word) =>
        Volatile.Write(ref *(ulong*)Address(location), word); // SAFETY: see the type.

    /// <summary>Stores the word at the location where another one stands; a full fence.</summary>
    /// <returns>What stood there.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong SwapWord(long location, ulong expected, ulong word) =>
        Interlocked.CompareExchange(ref *(ulong*)Address(location), word, expected); // SAFETY: see the type.

    /// <summary>Stores the word at the location; a later release store publishes it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteWord(long location, ulong word) => *(ulong*)Address(location) = word; // SAFETY: see the type.

    /// <summary>The stretch of <paramref name="bytes"/> that begins <paramref name="offset"/> bytes after the location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Span<byte> Bytes(long location, int offset, int bytes)
    {
        // SAFETY: see the type.
        CheckMapped(location, offset, bytes);
        return MemoryMarshal.CreateSpan(ref *(Address(location) + offset), bytes);
    }

    /// <summary>The byte that stands <paramref name="offset"/> bytes after the location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref readonly byte ByteAt(long location, int offset) => ref *(Address(location) + offset); // SAFETY: see the type.

    /// <summary>The upper half of the word that ends where a byte stands: what a record's header of one word says of its payload.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint UpperHalfBefore(ref readonly byte first) =>
        Unsafe.ReadUnaligned<uint>(ref Unsafe.Subtract(ref Unsafe.AsRef(in first), sizeof(uint))); // SAFETY: the caller's byte is the first behind a header.

    /// <summary>The address of the location, for pins and native consumers, which keep the memory alive themselves.</summary>
    internal nint AddressOf(long location) => (nint)Address(location); // SAFETY: not dereferenced here.

    /// <summary>Copies whole words between locations that do not overlap.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Copy(long source, long target, int bytes)
    {
        // SAFETY: see the type.
        CheckMapped(source, 0, bytes);
        CheckMapped(target, 0, bytes);
        Buffer.MemoryCopy(Address(source), Address(target), bytes, bytes);
    }

    /// <summary>Asks for the cache line of the location; a wish that touches nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(long location)
    {
        // SAFETY: a prefetch never faults and reads nothing.
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(Address(location));
        }
    }

    /// <summary>Asks for the first two cache lines of the record at the location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchRecord(long location)
    {
        // SAFETY: a prefetch never faults and reads nothing.
        if (Sse.IsSupported)
        {
            byte* address = Address(location);
            Sse.Prefetch0(address);
            Sse.Prefetch0(address + 64);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Address(long location)
    {
        // SAFETY: see the type; only computed here, dereferenced by the members above.
        return _start + (location << 3);
    }

    [System.Diagnostics.Conditional("DEBUG")]
    [System.Diagnostics.Conditional("PILE_CHECKS")]
    private void CheckMapped(long location, int offset, int bytes)
    {
        // SAFETY: the rows are as many as ExtentsMax; the index is checked against it.
        long first = (location + (offset >> 3)) >> Limits.ExtentShiftWords;
        long last = (location + ((offset + (long)bytes - 1) >> 3)) >> Limits.ExtentShiftWords;
        Check.That(first > 0 && last < Limits.ExtentsMax && offset >= 0 && bytes >= 0);
        Check.That(_rows[first].IsMapped != 0 && (bytes == 0 || _rows[last].IsMapped != 0));
    }
}
