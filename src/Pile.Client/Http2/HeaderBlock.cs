// Blocks of headers: HPACK (RFC 7541) without a dynamic table, of which the other side is told that there is none. What is sent is written as it
// is; what comes may refer to the static table and may be in the Huffman code.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Pile.Client.Http2;

/// <summary>Writes and reads headers.</summary>
internal static class HeaderBlock
{
    private const byte AsItIs = 0x00;
    private const byte NeverInATable = 0x10;

    // Appendix A; the entry n stands at n - 1. Names without a value have none there.
    private static readonly (string Name, string Value)[] _static =
    [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
        (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
        ("authorization", ""), ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""),
        ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
        ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ];

    /// <summary>Writes a header.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="name">Its name, in lower case.</param>
    /// <param name="value">Its value.</param>
    /// <param name="isSecret">Whether no one on the way may keep it.</param>
    /// <exception cref="InvalidDataException">It has a character that a header can't have.</exception>
    internal static void Write(ArrayBufferWriter<byte> target, string name, string value, bool isSecret = false)
    {
        target.Write<byte>([isSecret ? NeverInATable : AsItIs]);
        WriteText(target, name, name);
        WriteText(target, name, value);
    }

    /// <summary>Reads a block. Of a name that comes twice the first counts.</summary>
    /// <exception cref="InvalidDataException">It is none.</exception>
    internal static Dictionary<string, string> Read(ReadOnlySpan<byte> block)
    {
        var headers = new Dictionary<string, string>(StringComparer.Ordinal);
        while (!block.IsEmpty)
        {
            byte form = block[0];
            if (form >= 0x80)
            {
                (string name, string value) = EntryOf(ReadNumber(ref block, 7));
                _ = headers.TryAdd(name, value);
            }
            else if ((form & 0xE0) == 0x20)
            {
                // The size of the table: it has none.
                if (ReadNumber(ref block, 5) != 0)
                {
                    throw new InvalidDataException("Headers with a table that was not asked for.");
                }
            }
            else
            {
                // With a name of the table or one of its own; to be kept, which a table of no size does not, or not.
                int index = ReadNumber(ref block, form >= 0x40 ? 6 : 4);
                string name = index > 0 ? EntryOf(index).Name : ReadText(ref block);
                _ = headers.TryAdd(name, ReadText(ref block));
            }
        }

        return headers;
    }

    private static (string Name, string Value) EntryOf(int index) => index > 0 && index <= _static.Length
        ? _static[index - 1]
        : throw new InvalidDataException($"A header refers to the entry {index} of a table that has {_static.Length}.");

    private static void WriteText(ArrayBufferWriter<byte> target, string header, string text)
    {
        foreach (char character in text)
        {
            if (character is < ' ' or > '~')
            {
                throw new InvalidDataException($"The header '{header}' has the character U+{(int)character:X4}: only those of ASCII that can be printed can be sent.");
            }
        }

        // Seven bits of the length, of which all ones say that the rest follows.
        int length = text.Length;
        if (length < 0x7F)
        {
            target.Write<byte>([(byte)length]);
        }
        else
        {
            target.Write<byte>([0x7F]);
            int rest = length - 0x7F;
            for (; rest >= 0x80; rest >>= 7)
            {
                target.Write<byte>([(byte)(rest | 0x80)]);
            }

            target.Write<byte>([(byte)rest]);
        }

        _ = Encoding.ASCII.GetBytes(text, target);
    }

    private static string ReadText(ref ReadOnlySpan<byte> block)
    {
        bool isCoded = !block.IsEmpty && (block[0] & 0x80) != 0;
        int length = ReadNumber(ref block, 7);
        if (length > block.Length)
        {
            throw new InvalidDataException("A header reaches beyond the end of its block.");
        }

        ReadOnlySpan<byte> text = block[..length];
        block = block[length..];
        return isCoded ? HuffmanText.Read(text) : Encoding.Latin1.GetString(text);
    }

    private static int ReadNumber(ref ReadOnlySpan<byte> block, int bits)
    {
        int ones = (1 << bits) - 1;
        int number = Next(ref block) & ones;
        if (number < ones)
        {
            return number;
        }

        for (int shift = 0; shift <= 21; shift += 7)
        {
            byte part = Next(ref block);
            number += (part & 0x7F) << shift;
            if (part < 0x80)
            {
                return number;
            }
        }

        throw new InvalidDataException("A number in the headers is too large.");
    }

    private static byte Next(ref ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            throw new InvalidDataException("The headers end within one of them.");
        }

        byte next = block[0];
        block = block[1..];
        return next;
    }
}
