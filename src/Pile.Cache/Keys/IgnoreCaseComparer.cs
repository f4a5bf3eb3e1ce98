// Keys of text without case, as StringComparer.OrdinalIgnoreCase compares them: capitals one by one. ASCII keys are folded in place.
// It never allocates for keys of up to a few hundred chars, and knows nothing of cultures.
using System;
using System.Buffers;
using System.Text;

namespace Pile.Cache.Keys;

/// <summary>Equality of text without case.</summary>
/// <param name="isFormer">Whether the hash is the former one: as with the ordinal comparer, what programs build on, and tables that were made before.</param>
internal sealed class IgnoreCaseComparer(bool isFormer) : IPileKeyComparer
{
    // U+10D70 to U+10D85, of Unicode 16, and how far below their capitals stand.
    private const int GaraySmall = 0x10D70;
    private const int GarayLetters = 22;
    private const int GarayLift = 0x20;

    /// <summary>With the hash of today, for tables.</summary>
    internal static IgnoreCaseComparer OfToday { get; } = new(isFormer: false);

    /// <inheritdoc/>
    public string Name => "ordinal-ignore-case";

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed)
    {
        byte[]? rented = null;
        int bytesMax = key.Length * sizeof(char);
        Span<byte> folded = bytesMax <= CacheLimits.KeyBytesOnStack ? stackalloc byte[CacheLimits.KeyBytesOnStack] : rented = ArrayPool<byte>.Shared.Rent(bytesMax);
        ReadOnlySpan<byte> caseless = folded[..Fold(key, folded)];
        ulong hash = isFormer ? KeyHash.FormerOf(caseless, seed) : KeyHash.Of(caseless, seed);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        return hash;
    }

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        bool isAscii = Ascii.IsValid(left);
        if (isAscii != Ascii.IsValid(right))
        {
            // A capital of ASCII is of ASCII, and one of another letter is not. Folded, they might have the same bytes all the same.
            return false;
        }

        if (isAscii)
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
        for (int index = 0; index < chars.Length; index++)
        {
            if (index + 1 < chars.Length && Rune.TryCreate(chars[index], chars[index + 1], out Rune rune))
            {
                _ = ToUpper(rune).EncodeToUtf16(chars[index..]);
                at = Write(target, at, chars[index++]);
            }
            else
            {
                chars[index] = ToUpper(chars[index]);
            }

            at = Write(target, at, chars[index]);
        }

        ArrayPool<char>.Shared.Return(rented);
        return at;
    }

    /// <summary>The capital of a char; a letter beyond ASCII stays itself where its capital would be ASCII, as in the framework.</summary>
    private static char ToUpper(char letter)
    {
        char upper = char.ToUpperInvariant(letter);
        return letter >= 0x80 && upper < 0x80 ? letter : upper;
    }

    /// <summary>The capital of a letter of two chars. That of the Garay script has been told to the framework's ordinal comparers, and not to each machine's library of cultures.</summary>
    private static Rune ToUpper(Rune letter) => letter.Value is >= GaraySmall and < GaraySmall + GarayLetters ? new Rune(letter.Value - GarayLift) : Rune.ToUpperInvariant(letter);

    private static int Write(Span<byte> target, int at, char letter)
    {
        target[at] = (byte)letter;
        target[at + 1] = (byte)(letter >> 8);
        return at + sizeof(char);
    }
}
