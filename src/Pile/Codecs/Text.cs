// Strings as bytes: one byte a char while every char is at most U+00FF, else UTF-16 as it stands. Both round-trip every
// string, lone surrogates included, at a length known beforehand; which of the two, is one vectorised look.
// UTF-8 would be smaller only for mixed text and can't keep lone surrogates.
using System;
using System.Runtime.InteropServices;
using System.Text;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>The text lanes.</summary>
internal static class Text
{
    /// <summary>Whether every char fits a byte.</summary>
    internal static bool IsNarrow(ReadOnlySpan<char> text) => !text.ContainsAnyExceptInRange('\0', '\u00FF');

    /// <summary>The bytes of chars as they stand.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Too many for a record; an int may not even count them.</exception>
    internal static ReadOnlySpan<byte> Wide(ReadOnlySpan<char> text)
    {
        Check.PayloadBytes(text.Length * (long)sizeof(char));
        return MemoryMarshal.AsBytes(text);
    }

    /// <summary>The string of a text payload.</summary>
    /// <param name="payload">The stored bytes.</param>
    /// <param name="isNarrow">Whether they are one byte a char.</param>
    internal static string Read(ReadOnlySpan<byte> payload, bool isNarrow) =>
        isNarrow ? Encoding.Latin1.GetString(payload) : new string(MemoryMarshal.Cast<byte, char>(payload));
}
