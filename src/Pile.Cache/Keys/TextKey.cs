// Text as a key: UTF-8 where it is valid text, else 0xFF, which no UTF-8 begins with, and the UTF-16 code units as they stand.
// Each text has one form, so that equal text has equal bytes.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;

namespace Pile.Cache.Keys;

/// <summary>Bytes of a text key.</summary>
internal static class TextKey
{
    private const byte RawMark = 0xFF;

    /// <summary>Bytes that a text may take.</summary>
    internal static long BytesMax(int chars) => (chars * 3L) + 1;

    /// <summary>Writes a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="target">At least <see cref="BytesMax"/> bytes.</param>
    /// <returns>The bytes written.</returns>
    internal static int Write(ReadOnlySpan<char> text, Span<byte> target)
    {
        if (Utf8.FromUtf16(text, target, out _, out int written, replaceInvalidSequences: false) == OperationStatus.Done)
        {
            return written;
        }

        target[0] = RawMark;
        for (int index = 0; index < text.Length; index++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(target[(1 + (index * sizeof(char)))..], text[index]);
        }

        return 1 + (text.Length * sizeof(char));
    }

    /// <summary>Reads a text back.</summary>
    /// <param name="key">The key's bytes.</param>
    /// <param name="target">At least as many chars as the key has bytes.</param>
    /// <returns>The chars written.</returns>
    internal static int Read(ReadOnlySpan<byte> key, Span<char> target)
    {
        if (key.Length == 0 || key[0] != RawMark)
        {
            return Encoding.UTF8.GetChars(key, target);
        }

        int chars = (key.Length - 1) / sizeof(char);
        for (int index = 0; index < chars; index++)
        {
            target[index] = (char)BinaryPrimitives.ReadUInt16LittleEndian(key[(1 + (index * sizeof(char)))..]);
        }

        return chars;
    }

    /// <summary>Reads a text back as a string.</summary>
    internal static string Read(ReadOnlySpan<byte> key)
    {
        char[] chars = ArrayPool<char>.Shared.Rent(key.Length);
        string text = new(chars, 0, Read(key, chars));
        ArrayPool<char>.Shared.Return(chars);
        return text;
    }
}
