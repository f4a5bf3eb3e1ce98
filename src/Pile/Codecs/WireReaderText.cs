// Text in stored bytes: UTF-8 as MessagePack has it, or UTF-16 in an extension where half a surrogate pair has no UTF-8.
// Short ASCII, which most text is, has a way of its own.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Reads text.</summary>
internal static class WireReaderText
{
    /// <summary>Text of fewer than 32 bytes, all ASCII; null, and nothing is read, when something else is next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static string? TryReadShortText(this scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> next = reader.All[reader.Position..];
        int length = next.IsEmpty ? -1 : next[0] ^ WireCode.FixText;
        if ((uint)length >= 32 || next.Length <= length || AsciiText.Widen(next.Slice(1, length)) is not { } text)
        {
            return null;
        }

        reader.Position += 1 + length;
        return text;
    }

    /// <summary>Text.</summary>
    internal static string ReadText(this scoped ref WireReader reader)
    {
        byte code = reader.Next();
        ReadOnlySpan<byte> bytes;
        if (code is >= WireCode.FixText and < WireCode.Nil)
        {
            bytes = reader.Take(code & 31);
        }
        else if (WireTypes.IsExtension(code))
        {
            reader.Position--;
            return ReadUtf16(ref reader);
        }
        else
        {
            bytes = reader.Take(code switch
            {
                WireCode.Text8 => reader.Next(),
                WireCode.Text16 => BinaryPrimitives.ReadUInt16BigEndian(reader.Take(2)),
                WireCode.Text32 => BinaryPrimitives.ReadUInt32BigEndian(reader.Take(4)),
                _ => reader.Unexpected("text", code),
            });
        }

        return AsciiText.Widen(bytes) ?? ReadUtf8(ref reader, bytes);
    }

    private static string ReadUtf8(scoped ref WireReader reader, ReadOnlySpan<byte> bytes)
    {
        if (!Utf8.IsValid(bytes))
        {
            Throw.CorruptedValue("text that is not UTF-8", reader.Position);
        }

        return Encoding.UTF8.GetString(bytes);
    }

    private static string ReadUtf16(scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadExtension(WireCode.Utf16, -1);
        if ((bytes.Length & 1) != 0)
        {
            Throw.CorruptedValue("UTF-16 text of an odd length", reader.Position);
        }

        return new string(MemoryMarshal.Cast<byte, char>(bytes));
    }
}
