// Text of headers in the Huffman code of HPACK. Source: RFC 7541, section 5.2 and appendix B: the code is canonical, so that the lengths of its
// 257 words are all of it. Read bit by bit: a stream has two blocks of headers in its life.
using System;
using System.Buffers;
using System.IO;
using System.Text;

namespace Pile.Client.Http2;

/// <summary>Reads such text.</summary>
internal static class HuffmanText
{
    private const int BitsMax = 30;
    private const int EndSymbol = 256;

    private static readonly int[] _firstCode = new int[BitsMax + 2];
    private static readonly int[] _firstAt = new int[BitsMax + 2];
    private static readonly int[] _symbols = SymbolsOf();

    // Bits of the word of each byte, and of the end.
    private static ReadOnlySpan<byte> Bits =>
    [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ];

    /// <summary>The text.</summary>
    /// <exception cref="InvalidDataException">It is no such text.</exception>
    internal static string Read(ReadOnlySpan<byte> coded)
    {
        var text = new ArrayBufferWriter<byte>(16 + (coded.Length * 8 / 5));
        int code = 0;
        int bits = 0;
        foreach (byte part in coded)
        {
            for (int bit = 7; bit >= 0; bit--)
            {
                code = (code << 1) | ((part >> bit) & 1);
                bits++;
                int index = _firstAt[bits] + code - _firstCode[bits];
                if (code >= _firstCode[bits] && index < _firstAt[bits + 1])
                {
                    Add(text, _symbols[index]);
                    code = bits = 0;
                }
                else if (bits == BitsMax)
                {
                    throw new InvalidDataException("A header has a word that there is not.");
                }
            }
        }

        // What is left of the last byte is the beginning of the end's word: ones.
        return bits < 8 && code == (1 << bits) - 1 ? Encoding.Latin1.GetString(text.WrittenSpan) : throw new InvalidDataException("A header ends within a word.");
    }

    private static void Add(ArrayBufferWriter<byte> text, int symbol)
    {
        if (symbol == EndSymbol)
        {
            throw new InvalidDataException("A header has the end's word within it.");
        }

        text.GetSpan(1)[0] = (byte)symbol;
        text.Advance(1);
    }

    // Sorted by the length of their words, then by themselves.
    private static int[] SymbolsOf()
    {
        int[] symbols = new int[Bits.Length];
        int at = 0;
        int code = 0;
        for (int bits = 1; bits <= BitsMax; bits++)
        {
            _firstCode[bits] = code;
            _firstAt[bits] = at;
            for (int symbol = 0; symbol < Bits.Length; symbol++)
            {
                if (Bits[symbol] == bits)
                {
                    symbols[at++] = symbol;
                    code++;
                }
            }

            code <<= 1;
        }

        _firstAt[BitsMax + 1] = at;
        return symbols;
    }
}
