// The bytes of a group of keys, side by side: keys that must be encoded are encoded once, though they are looked at several times.
// Keys that are their own bytes are not copied at all.
using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Keys;

/// <summary>Bytes of a group of keys. Not for two threads at once.</summary>
internal struct KeyArena<TKey>(ObjectPile pile)
    where TKey : notnull
{
    private byte[]? _bytes;
    private Ends _ends;

    /// <summary>Takes a group of at most <see cref="Limits.BatchPointers"/> keys in place of the one before.</summary>
    /// <exception cref="ArgumentNullException">A key is null.</exception>
    internal void Fill(ReadOnlySpan<TKey> group)
    {
        if (KeyCodec<TKey>.Kind == KeyKind.Raw)
        {
            return;
        }

        _bytes ??= ArrayPool<byte>.Shared.Rent(Limits.BatchPointers * CacheLimits.KeyBytesOnStack);
        int end = 0;
        for (int index = 0; index < group.Length; index++)
        {
            ArgumentNullException.ThrowIfNull(group[index], "keys");
            byte[]? rented = null;
            Span<byte> rest = _bytes.AsSpan(end);
            ReadOnlySpan<byte> key = KeyCodec<TKey>.Encode(pile, group[index], rest, ref rented);
            if (key.Length > rest.Length)
            {
                Enlarge(end + key.Length, end);
                rest = _bytes.AsSpan(end);
            }

            // Where it was encoded in place already, this copies nothing.
            key.CopyTo(rest);
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }

            end += key.Length;
            _ends[index] = end;
        }
    }

    /// <summary>The bytes of a key of the group.</summary>
    /// <param name="group">The group that was given to <see cref="Fill"/>.</param>
    /// <param name="index">Index in the group.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly ReadOnlySpan<byte> Bytes(ReadOnlySpan<TKey> group, int index)
    {
        if (KeyCodec<TKey>.Kind == KeyKind.Raw)
        {
            return RawValue.AsBytes(in group[index]);
        }

        int start = index == 0 ? 0 : _ends[index - 1];
        return _bytes.AsSpan(start, _ends[index] - start);
    }

    /// <summary>Gives back what was borrowed.</summary>
    internal void Return()
    {
        if (_bytes is { } bytes)
        {
            _bytes = null;
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }

    private void Enlarge(int needed, int used)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(int.Max(needed, _bytes!.Length * 2));
        _bytes.AsSpan(0, used).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }

    [InlineArray(Limits.BatchPointers)]
    private struct Ends
    {
        private int _first;
    }
}
