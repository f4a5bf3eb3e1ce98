// Which objects of a graph were written, and where: by identity. Few are kept in a row and looked up one by one; many in an
// open-addressing table with stored hash codes, because making an object's hash code the first time costs more than a search.
// Kept from graph to graph; what a large graph needed goes back to the shared pools afterwards, which give it to the collector.
using System;
using System.Buffers;
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
    private int _capacity = Limits.IdentitiesInRow;
    private int _mask;
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
        if (_count >= Limits.IdentitiesInRow)
        {
            Array.Clear(_buckets, 0, _mask + 1);
        }

        _count = 0;
        if (_capacity > Limits.IdentitiesKept)
        {
            ArrayPool<object?>.Shared.Return(_objects);
            ArrayPool<int>.Shared.Return(_offsets);
            ArrayPool<int>.Shared.Return(_hashes);
            ArrayPool<int>.Shared.Return(_buckets);
            _objects = new object?[Limits.IdentitiesInRow];
            _offsets = new int[Limits.IdentitiesInRow];
            _buckets = [];
            _hashes = [];
            _capacity = Limits.IdentitiesInRow;
            _mask = 0;
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
            Rehash(int.Max(_capacity, Limits.IdentitiesInRow * 4));
        }

        return -1;
    }

    private int FindByHash(object value, int offset)
    {
        int hash = RuntimeHelpers.GetHashCode(value);
        int[] buckets = _buckets;
        int mask = _mask;
        int bucket = Spread(hash) & mask;
        for (int entry; (entry = buckets[bucket]) != 0; bucket = (bucket + 1) & mask)
        {
            if (_hashes[entry - 1] == hash && ReferenceEquals(_objects[entry - 1], value))
            {
                return _offsets[entry - 1];
            }
        }

        if (_count == _capacity)
        {
            Rehash(_count * 4);
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
        int hashed = _hashes.Length == 0 ? 0 : _count;
        if (size > _capacity || _buckets.Length == 0)
        {
            Grow(ref _objects, size);
            Grow(ref _offsets, size);
            Grow(ref _hashes, size);
            Grow(ref _buckets, size * 2);
            Array.Clear(_buckets, 0, size * 2);
            _capacity = size;
            _mask = (size * 2) - 1;
        }
        else
        {
            hashed = 0;
        }

        HashFrom(hashed);
        for (int index = 0; index < _count; index++)
        {
            int bucket = Spread(_hashes[index]) & _mask;
            while (_buckets[bucket] != 0)
            {
                bucket = (bucket + 1) & _mask;
            }

            _buckets[bucket] = index + 1;
        }
    }

    private void Grow<T>(ref T[] array, int size)
    {
        T[] larger = ArrayPool<T>.Shared.Rent(size);
        Array.Copy(array, larger, int.Min(_count, array.Length));
        if (array.Length > Limits.IdentitiesInRow)
        {
            ArrayPool<T>.Shared.Return(array, RuntimeHelpers.IsReferenceOrContainsReferences<T>());
        }

        array = larger;
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
