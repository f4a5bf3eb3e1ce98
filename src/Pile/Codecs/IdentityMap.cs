// Which objects of a graph were written, and where: by identity. Few are kept in a row and looked up one by one; many in an
// open-addressing table by the address they have until the next collection, which costs nothing to find and lies close to
// that of the object before. After a collection the table is built anew; after many, hash codes take the place of addresses.
// A bucket: index in the row, from 1, 32 | tag 32, low to high; 0 is empty.
// Kept from graph to graph; what a large graph needed goes back to the shared pools, which give it to the collector.
using System;
using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Objects by identity, with their offsets. Not thread-safe.</summary>
internal sealed class IdentityMap
{
    private const uint Golden = 2654435769;
    private const ulong GoldenLong = 0x9E37_79B9_7F4A_7C15;
    private const int TagShift = 32;
    private Entry[] _entries = new Entry[CodecLimits.IdentitiesInRow];
    private ulong[] _buckets = [];
    private int _bucketsUsed;
    private int _count;
    private int _collections;
    private int _rebuilds;
    private int _countBefore;

    /// <summary>Objects known.</summary>
    internal int Count => _count;

    private bool ByHashCode => _rebuilds > CodecLimits.IdentityRebuildsMax;

    /// <summary>Looks an object up, and adds it when it is new.</summary>
    /// <param name="value">The object.</param>
    /// <param name="offset">Where it is being written, if it is new.</param>
    /// <returns>Where it was written, or -1 when it is new.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int FindOrAdd(object value, int offset) =>
        _count < CodecLimits.IdentitiesInRow ? FindInRow(value, offset) : FindInTable(value, offset);

    /// <summary>Forgets all objects, and the room of large graphs.</summary>
    internal void Clear()
    {
        if (_count == 0)
        {
            return;
        }

        Array.Clear(_entries, 0, _count);
        _countBefore = _count;
        _count = 0;
        _rebuilds = 0;
        if (_entries.Length > CodecLimits.IdentitiesKept)
        {
            ArrayPool<Entry>.Shared.Return(_entries);
            ArrayPool<ulong>.Shared.Return(_buckets);
            _entries = new Entry[CodecLimits.IdentitiesInRow];
            _buckets = [];
        }
    }

    private int FindInRow(object value, int offset)
    {
        Entry[] entries = _entries;
        int count = _count;
        foreach (ref readonly Entry entry in entries.AsSpan(0, count))
        {
            if (ReferenceEquals(entry.Value, value))
            {
                return entry.Offset;
            }
        }

        entries[count] = new Entry(value, offset);
        _count = ++count;
        if (count == CodecLimits.IdentitiesInRow)
        {
            Grow();
        }

        return -1;
    }

    private int FindInTable(object value, int offset)
    {
        while (true)
        {
            ulong[] buckets = _buckets;
            Entry[] entries = _entries;
            int mask = _bucketsUsed - 1;
            (int bucket, int step, uint tag) = PlaceOf(value);
            bucket &= mask;
            for (ulong seen; (seen = buckets[bucket]) != 0; bucket = (bucket + step) & mask)
            {
                if ((uint)(seen >> TagShift) == tag && ReferenceEquals(entries[(int)(uint)seen - 1].Value, value))
                {
                    return entries[(int)(uint)seen - 1].Offset;
                }
            }

            // Found is found, but not found counts only if nothing was moved since the table was built. A collection right after
            // this leaves the new entry in a stale place: the next call that does not find sees the new count and looks again.
            if (ByHashCode || _collections == GC.CollectionCount(0))
            {
                entries[_count] = new Entry(value, offset);
                buckets[bucket] = ((ulong)tag << TagShift) | (uint)++_count;
                if (_count == _bucketsUsed / 2)
                {
                    Grow();
                }

                return -1;
            }

            _rebuilds++;
            FillBuckets();
        }
    }

    /// <summary>Makes room for twice as many, or for more of what the graph before needed, in a table that stays at most half full.</summary>
    private void Grow()
    {
        int room = checked((int)long.Clamp(BitOperations.RoundUpToPowerOf2((uint)_countBefore), _count * 2L, (long)_count * CodecLimits.IdentityGrowthMax));
        if (_entries.Length < room)
        {
            Entry[] larger = ArrayPool<Entry>.Shared.Rent(room);
            Array.Copy(_entries, larger, _count);
            if (_count > CodecLimits.IdentitiesInRow)
            {
                ArrayPool<Entry>.Shared.Return(_entries, clearArray: true);
            }

            _entries = larger;
        }

        _bucketsUsed = checked(room * 2);
        if (_buckets.Length < _bucketsUsed)
        {
            // Given back once, also where there is no memory for the larger one.
            ulong[] before = _buckets;
            _buckets = [];
            if (before.Length > 0)
            {
                ArrayPool<ulong>.Shared.Return(before);
            }

            _buckets = ArrayPool<ulong>.Shared.Rent(_bucketsUsed);
        }

        FillBuckets();
    }

    private void FillBuckets()
    {
        // A collection meanwhile is noticed by the next call: the count is taken before the first address.
        _collections = GC.CollectionCount(0);
        ulong[] buckets = _buckets;
        Array.Clear(buckets, 0, _bucketsUsed);
        int mask = _bucketsUsed - 1;
        for (int index = 0; index < _count; index++)
        {
            (int bucket, int step, uint tag) = PlaceOf(_entries[index].Value!);
            bucket &= mask;
            while (buckets[bucket] != 0)
            {
                bucket = (bucket + step) & mask;
            }

            buckets[bucket] = ((ulong)tag << TagShift) | (uint)(index + 1);
        }
    }

    /// <summary>Where to look first, and how far on each time, and the tag. Neighbours in memory are neighbours here: each page has
    /// a row of buckets, one for each place where an object may begin, and other rows where another page's holds it; so the
    /// objects of a page find their ways through the same few rows, one after the other. The step is odd: it meets every bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private (int First, int Step, uint Tag) PlaceOf(object value)
    {
        if (ByHashCode)
        {
            uint hash = (uint)RuntimeHelpers.GetHashCode(value) * Golden;
            return ((int)(hash >> 8), (int)(hash | 1), hash);
        }

        const int PageShift = 12;
        const int UnitShift = 4;
        const int RowMask = (1 << (PageShift - UnitShift)) - 1;
        ulong address = RawValue.AddressOf(value);
        ulong page = (address >> PageShift) * GoldenLong;
        return (((int)(page >> 36) & ~RowMask) | ((int)(address >> UnitShift) & RowMask), ((int)(page >> 20) & ~RowMask) | 1, (uint)(address >> 3));
    }

    /// <summary>An object, and where it began.</summary>
    private readonly struct Entry(object value, int offset)
    {
        internal readonly object? Value = value;
        internal readonly int Offset = offset;
    }
}
