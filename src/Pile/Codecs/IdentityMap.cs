// Which objects of a graph were written, and where: by identity. Few are kept in a row and looked up one by one; many in an
// open-addressing table by the address they have until the next collection, which costs nothing to find and lies close to
// that of the object before. After a collection the table is built anew; after many, hash codes take the place of addresses.
// Kept from graph to graph; what a large graph needed goes back to the shared pools, which give it to the collector.
using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Objects by identity, with their offsets. Not thread-safe.</summary>
internal sealed class IdentityMap
{
    private const uint Golden = 2654435769;
    private Entry[] _entries = new Entry[Limits.IdentitiesInRow];
    private int[] _buckets = [];
    private int _bucketsUsed;
    private int _count;
    private int _collections;
    private int _rebuilds;

    /// <summary>Objects known.</summary>
    internal int Count => _count;

    private bool ByHashCode => _rebuilds > Limits.IdentityRebuildsMax;

    /// <summary>Looks an object up, and adds it when it is new.</summary>
    /// <param name="value">The object.</param>
    /// <param name="offset">Where it is being written, if it is new.</param>
    /// <returns>Where it was written, or -1 when it is new.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int FindOrAdd(object value, int offset) =>
        _count < Limits.IdentitiesInRow ? FindInRow(value, offset) : FindInTable(value, offset);

    /// <summary>Forgets all objects, and the room of large graphs.</summary>
    internal void Clear()
    {
        if (_count == 0)
        {
            return;
        }

        Array.Clear(_entries, 0, _count);
        _count = 0;
        _rebuilds = 0;
        if (_entries.Length > Limits.IdentitiesKept)
        {
            ArrayPool<Entry>.Shared.Return(_entries);
            ArrayPool<int>.Shared.Return(_buckets);
            _entries = new Entry[Limits.IdentitiesInRow];
            _buckets = [];
        }
    }

    private int FindInRow(object value, int offset)
    {
        Entry[] entries = _entries;
        int count = _count;
        for (int index = 0; index < entries.Length && index < count; index++)
        {
            if (ReferenceEquals(entries[index].Value, value))
            {
                return entries[index].Offset;
            }
        }

        entries[count] = new Entry(value, offset);
        _count = ++count;
        if (count == Limits.IdentitiesInRow)
        {
            Grow();
        }

        return -1;
    }

    private int FindInTable(object value, int offset)
    {
        while (true)
        {
            int[] buckets = _buckets;
            Entry[] entries = _entries;
            int mask = _bucketsUsed - 1;
            (int bucket, int step) = PlaceOf(value);
            bucket &= mask;
            for (int entry; (entry = buckets[bucket]) != 0; bucket = (bucket + step) & mask)
            {
                if (ReferenceEquals(entries[entry - 1].Value, value))
                {
                    return entries[entry - 1].Offset;
                }
            }

            // Found is found, but not found counts only if nothing was moved since the table was built. A collection right after
            // this leaves the new entry in a stale place: the next call that does not find sees the new count and looks again.
            if (ByHashCode || _collections == GC.CollectionCount(0))
            {
                entries[_count] = new Entry(value, offset);
                buckets[bucket] = ++_count;
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

    /// <summary>Makes room for twice as many, in a table that stays at most half full.</summary>
    private void Grow()
    {
        if (_count == _entries.Length)
        {
            Entry[] larger = ArrayPool<Entry>.Shared.Rent(_count * 2);
            Array.Copy(_entries, larger, _count);
            if (_count > Limits.IdentitiesInRow)
            {
                ArrayPool<Entry>.Shared.Return(_entries, clearArray: true);
            }

            _entries = larger;
        }

        _bucketsUsed = _count * 4;
        if (_buckets.Length < _bucketsUsed)
        {
            if (_buckets.Length > 0)
            {
                ArrayPool<int>.Shared.Return(_buckets);
            }

            _buckets = ArrayPool<int>.Shared.Rent(_bucketsUsed);
        }

        FillBuckets();
    }

    private void FillBuckets()
    {
        // A collection meanwhile is noticed by the next call: the count is taken before the first address.
        _collections = GC.CollectionCount(0);
        int[] buckets = _buckets;
        Array.Clear(buckets, 0, _bucketsUsed);
        int mask = _bucketsUsed - 1;
        for (int index = 0; index < _count; index++)
        {
            (int bucket, int step) = PlaceOf(_entries[index].Value!);
            bucket &= mask;
            while (buckets[bucket] != 0)
            {
                bucket = (bucket + step) & mask;
            }

            buckets[bucket] = index + 1;
        }
    }

    /// <summary>Where to look first, and how far on each time. Neighbours in memory are neighbours here, in rows without gaps; the
    /// odd step, different for each, leaves a row that another one holds.</summary>
    private (int First, int Step) PlaceOf(object value)
    {
        if (ByHashCode)
        {
            uint hash = (uint)RuntimeHelpers.GetHashCode(value) * Golden;
            return ((int)(hash >> 8), (int)(hash | 1));
        }

        nuint address = RawValue.AddressOf(value);
        uint place = (uint)(address >> 4) ^ (uint)(address >> 36);
        return ((int)place, (int)((place * Golden) >> 8) | 1);
    }

    /// <summary>An object, and where it began.</summary>
    private readonly struct Entry(object value, int offset)
    {
        internal readonly object? Value = value;
        internal readonly int Offset = offset;
    }
}
