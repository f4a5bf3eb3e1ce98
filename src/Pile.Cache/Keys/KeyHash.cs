// The hash of a key's bytes: 64 bits by multiplication of words and folding of the 128-bit product, as in the family of wyhash and
// rapidhash (the idea; constants and order are our own). The seed is the table's, drawn when it was made. Both factors of each product
// take of it: a factor that is zero takes the other along, and who does not know the seed can't make one. The same bytes and seed give
// the same hash on every machine and in every version, because it is stored.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Pile.Cache.Keys;

/// <summary>Hash of bytes.</summary>
internal static class KeyHash
{
    private const ulong First = 0x9E3779B97F4A7C15;
    private const ulong Second = 0xD6E8FEB86659FD93;
    private const ulong Third = 0xA0761D6478BD642F;

    /// <summary>The hash of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Of(ReadOnlySpan<byte> key, ulong seed) => Of(key, seed, left: seed ^ First, right: seed * Second, step: seed ^ First);

    /// <summary>The hash as tables had it before (<see cref="HashSeed"/>), and as tags have it. A word of a key that is one of its constants makes a factor zero, and what was
    /// mixed into the other is gone: keys can be chosen that collide whatever the seed is. No well-formed text holds these words.</summary>
    internal static ulong FormerOf(ReadOnlySpan<byte> key, ulong seed) => Of(key, seed, left: Second, right: seed ^ First, step: Third);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Of(ReadOnlySpan<byte> key, ulong seed, ulong left, ulong right, ulong step)
    {
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
            right = Long(key, step, right, out low, out high);
        }

        return Fold(Fold(low ^ left, high ^ right) ^ (ulong)length, Third ^ seed);
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
    private static ulong Long(ReadOnlySpan<byte> key, ulong step, ulong right, out ulong low, out ulong high)
    {
        ReadOnlySpan<byte> rest = key;
        while (rest.Length > 16)
        {
            right = Fold(BinaryPrimitives.ReadUInt64LittleEndian(rest) ^ step, BinaryPrimitives.ReadUInt64LittleEndian(rest[8..]) ^ right);
            rest = rest[16..];
        }

        low = BinaryPrimitives.ReadUInt64LittleEndian(key[^16..]);
        high = BinaryPrimitives.ReadUInt64LittleEndian(key[^8..]);
        return right;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
