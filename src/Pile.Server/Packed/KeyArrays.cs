// Arrays for keys, used again: tables of bytes take a key as an array of just its length, and a batch has many. One set for each thread;
// longer keys get an array of their own.
using System;

namespace Pile.Server.Packed;

/// <summary>Arrays of a thread for keys, at most <see cref="ServerLimits.KeysTogether"/> of them at a time.</summary>
internal sealed class KeyArrays
{
    [ThreadStatic]
    private static KeyArrays? _ofThread;

    private readonly byte[]?[] _kept = new byte[]?[(ServerLimits.KeptKeyBytes + 1) * ServerLimits.KeysTogether];
    private readonly byte[][] _group = new byte[ServerLimits.KeysTogether][];

    internal static KeyArrays OfThread => _ofThread ??= new KeyArrays();

    /// <summary>The arrays of a group, for a call that is done before the next key is put.</summary>
    internal ReadOnlySpan<byte[]> Group(int count) => _group.AsSpan(0, count);

    /// <summary>Puts a key at a place of the group.</summary>
    internal byte[] Put(int place, ReadOnlySpan<byte> key)
    {
        if (key.Length > ServerLimits.KeptKeyBytes)
        {
            return _group[place] = key.ToArray();
        }

        byte[] array = _kept[(key.Length * ServerLimits.KeysTogether) + place] ??= new byte[key.Length];
        key.CopyTo(array);
        return _group[place] = array;
    }
}
