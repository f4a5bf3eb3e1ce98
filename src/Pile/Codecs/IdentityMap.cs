// Which objects of a graph were written, and where: by identity. Few are kept in a row and looked up one by one; many in an
// open-addressing table with stored hash codes, because making an object's hash code the first time costs more than a search.
// Kept from graph to graph; what a large graph needed is trimmed afterwards.
using System;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Objects by identity, with their offsets. Not thread-safe.</summary>
internal sealed class IdentityMap
{
    private object?[] _objects = new object?[Limits.IdentitiesInRow];
    private int[] _offsets = new int[Limits.IdentitiesInRow];
    private int[] _buckets = [];
    private int[] _hashes = [];
    private int _count;

    /// <summary>Objects known.</summary>
    internal int Count => _count;

    /// <summary>Looks an object up, and adds it when it is new.</summary>
    /// <param name="value">The object.</param>
    /// <param name="offset">Where it is being written, if it is new.</param>
    /// <returns>Where it was written, or -1 when it is new.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int FindOrAdd(object value, int offset) =>
        _count < Limits.IdentitiesInRow ? FindInRow(value, offset) : FindByHash(value, offset);

    /// <summary>Forgets all objects, and the room of large graphs.</summary>
    internal void Clear()
    {
        if (_count == 0)
        {
            return;
        }

        Array.Clear(_objects, 0, _count);
        if (_count > Limits.IdentitiesInRow)
        {
            Array.Clear(_buckets);
        }

        _count = 0;
        if (_objects.Length > Limits.IdentitiesKept)
        {
            _objects = new object?[Limits.IdentitiesInRow];
            _offsets = new int[Limits.IdentitiesInRow];
            _buckets = [];
            _hashes = [];
        }
    }

    private int FindInRow(object value, int offset)
    {
        ReadOnlySpan<object?> objects = _objects.AsSpan(0, _count);
        for (int index = 0; index < objects.Length; index++)
        {
            if (ReferenceEquals(objects[index], value))
            {
                return _offsets[index];
            }
        }

        _objects[_count] = value;
        _offsets[_count++] = offset;
        if (_count == Limits.IdentitiesInRow)
        {
            Rehash(int.Max(_objects.Length, Limits.IdentitiesInRow * 4));
        }

        return -1;
    }

    private int FindByHash(object value, int offset)
    {
        int hash = RuntimeHelpers.GetHashCode(value);
        int[] buckets = _buckets;
        int mask = buckets.Length - 1;
        int bucket = Spread(hash) & mask;
        for (int entry; (entry = buckets[bucket]) != 0; bucket = (bucket + 1) & mask)
        {
            if (_hashes[entry - 1] == hash && ReferenceEquals(_objects[entry - 1], value))
            {
                return _offsets[entry - 1];
            }
        }

        if (_count == _objects.Length)
        {
            Rehash(_count * 2);
            _ = FindByHash(value, offset);
            return -1;
        }

        _objects[_count] = value;
        _offsets[_count] = offset;
        _hashes[_count] = hash;
        buckets[bucket] = ++_count;
        return -1;
    }

    private void Rehash(int size)
    {
        if (size > _objects.Length)
        {
            Array.Resize(ref _objects, size);
            Array.Resize(ref _offsets, size);
        }

        if (_hashes.Length < size)
        {
            int known = _hashes.Length == 0 ? 0 : _count;
            Array.Resize(ref _hashes, size);
            _buckets = new int[size * 2];
            HashFrom(known);
        }
        else
        {
            HashFrom(0);
        }

        int mask = _buckets.Length - 1;
        for (int index = 0; index < _count; index++)
        {
            int bucket = Spread(_hashes[index]) & mask;
            while (_buckets[bucket] != 0)
            {
                bucket = (bucket + 1) & mask;
            }

            _buckets[bucket] = index + 1;
        }
    }

    private void HashFrom(int first)
    {
        for (int index = first; index < _count; index++)
        {
            _hashes[index] = RuntimeHelpers.GetHashCode(_objects[index]);
        }
    }

    private static int Spread(int hash) => (int)((uint)hash * 2654435769u >> 8);
}
