// The hash of a key's bytes as tables had it before KeyHash: it stands in their files, so that they keep it (HashSeed), and in the hashes of
// tags. A word of a key that is one of its constants makes a factor zero, which takes the other along, and what was mixed into it:
// keys can be chosen that collide whatever the seed is. Tags are text, and no text holds these words.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Pile.Cache.Keys;

/// <summary>Hash of bytes, of tables that were made before.</summary>
internal static class FormerHash
{
    private const ulong First = 0x9E3779B97F4A7C15;
    private const ulong Second = 0xD6E8FEB86659FD93;
    private const ulong Third = 0xA0761D6478BD642F;

    /// <summary>The hash of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Of(ReadOnlySpan<byte> key, ulong seed)
    {
        ulong state = seed ^ First;
        int length = key.Length;
        ulong low;
        ulong high;
        if (length <= 16)
        {
            if (length >= 8)
            {
                low = BinaryPrimitives.ReadUInt64LittleEndian(key);
                high = BinaryPrimitives.ReadUInt64LittleEndian(key[(length - 8)..]);
            }
            else
            {
                (low, high) = Short(key);
            }
        }
        else
        {
            state = Long(key, state, out low, out high);
        }

        return Fold(Fold(low ^ Second, high ^ state) ^ (ulong)length, Third ^ seed);
    }

    private static (ulong Low, ulong High) Short(ReadOnlySpan<byte> key)
    {
        if (key.Length >= 4)
        {
            return (BinaryPrimitives.ReadUInt32LittleEndian(key), BinaryPrimitives.ReadUInt32LittleEndian(key[^4..]));
        }

        // One to three bytes: first, middle and last; none is zero.
        return key.Length == 0 ? (0UL, 0UL) : (((ulong)key[0] << 16) | ((ulong)key[key.Length / 2] << 8) | key[^1], 0UL);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Long(ReadOnlySpan<byte> key, ulong state, out ulong low, out ulong high)
    {
        ReadOnlySpan<byte> rest = key;
        while (rest.Length > 16)
        {
            state = Fold(BinaryPrimitives.ReadUInt64LittleEndian(rest) ^ Third, BinaryPrimitives.ReadUInt64LittleEndian(rest[8..]) ^ state);
            rest = rest[16..];
        }

        low = BinaryPrimitives.ReadUInt64LittleEndian(key[^16..]);
        high = BinaryPrimitives.ReadUInt64LittleEndian(key[^8..]);
        return state;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
