// Keys of text without case: each char as ToUpperInvariant makes it, compared one by one. ASCII keys are folded in place.
// It never allocates for keys of up to a few hundred chars, and knows nothing of cultures.
using System;
using System.Buffers;
using System.Text;

namespace Pile.Cache.Keys;

/// <summary>Equality of text without case.</summary>
internal sealed class IgnoreCaseComparer : IPileKeyComparer
{
    /// <inheritdoc/>
    public string Name => "ordinal-ignore-case";

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed)
    {
        byte[]? rented = null;
        int bytesMax = key.Length * sizeof(char);
        Span<byte> folded = bytesMax <= CacheLimits.KeyBytesOnStack ? stackalloc byte[CacheLimits.KeyBytesOnStack] : rented = ArrayPool<byte>.Shared.Rent(bytesMax);
        ulong hash = KeyHash.Of(folded[..Fold(key, folded)], seed);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        return hash;
    }

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (Ascii.IsValid(left) && Ascii.IsValid(right))
        {
            return Ascii.EqualsIgnoreCase(left, right);
        }

        byte[] folded = ArrayPool<byte>.Shared.Rent((left.Length + right.Length) * sizeof(char));
        int leftBytes = Fold(left, folded);
        int rightBytes = Fold(right, folded.AsSpan(leftBytes));
        bool isEqual = folded.AsSpan(0, leftBytes).SequenceEqual(folded.AsSpan(leftBytes, rightBytes));
        ArrayPool<byte>.Shared.Return(folded);
        return isEqual;
    }

    /// <summary>Writes a key without case: ASCII as ASCII, all else as UTF-16.</summary>
    private static int Fold(ReadOnlySpan<byte> key, Span<byte> target)
    {
        if (Ascii.IsValid(key))
        {
            _ = Ascii.ToUpper(key, target, out int written);
            return written;
        }

        char[] rented = ArrayPool<char>.Shared.Rent(key.Length);
        Span<char> chars = rented.AsSpan(0, TextKey.Read(key, rented));
        int at = 0;
        bool isAscii = true;
        foreach (char letter in chars)
        {
            isAscii &= char.ToUpperInvariant(letter) < 0x80;
        }

        // A few letters beyond ASCII have an ASCII capital: such text must hash and compare as the ASCII text that it equals.
        foreach (char letter in chars)
        {
            char upper = char.ToUpperInvariant(letter);
            target[at++] = (byte)upper;
            if (!isAscii)
            {
                target[at++] = (byte)(upper >> 8);
            }
        }

        ArrayPool<char>.Shared.Return(rented);
        return at;
    }
}
