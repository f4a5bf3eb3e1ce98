using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Goes over MessagePack by the specification alone: it shares no code with the codec. It says how deep a value nests, and
/// writes it as a line of text that foreign decoders write too (Foreign/decode.py, Foreign/decode.js).</summary>
internal ref struct WireWalk
{
    internal const int DepthMax = 64;
    private readonly ReadOnlySpan<byte> _bytes;
    private readonly StringBuilder? _text;
    private int _position;
    private int _depth;
    private int _deepest;

    private WireWalk(ReadOnlySpan<byte> bytes, StringBuilder? text)
    {
        _bytes = bytes;
        _text = text;
    }

    /// <summary>Levels of arrays and maps in the one value that the bytes must be.</summary>
    internal static int DepthOf(ReadOnlySpan<byte> bytes)
    {
        var walk = new WireWalk(bytes, null);
        walk.All();
        return walk._deepest;
    }

    /// <summary>The value as text.</summary>
    internal static string TextOf(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        var walk = new WireWalk(bytes, text);
        walk.All();
        return text.ToString();
    }

    /// <summary>Floats as all decoders can tell them: JavaScript has one kind of number, and one NaN.</summary>
    internal static string TextOf(double number) => double.IsNaN(number) ? "NaN"
        : double.IsInteger(number) && double.Abs(number) < 9007199254740992 && !double.IsNegative(number) ? ((long)number).ToString(CultureInfo.InvariantCulture)
        : double.IsInteger(number) && double.Abs(number) < 9007199254740992 && number != 0 ? ((long)number).ToString(CultureInfo.InvariantCulture)
        : "f" + BitConverter.DoubleToInt64Bits(number).ToString("x16", CultureInfo.InvariantCulture);

    private void All()
    {
        Value();
        if (_position != _bytes.Length)
        {
            throw new FormatException($"{_bytes.Length - _position} bytes follow the value");
        }
    }

    private void Value()
    {
        byte code = Take(1)[0];
        switch (code)
        {
            case <= 0x7f:
                Integer(code);
                break;
            case >= 0xe0:
                Integer((sbyte)code);
                break;
            case <= 0x8f:
                Many(code & 15, isMap: true);
                break;
            case <= 0x9f:
                Many(code & 15, isMap: false);
                break;
            case <= 0xbf:
                Text(code & 31);
                break;
            default:
                Coded(code);
                break;
        }
    }

    private void Coded(byte code)
    {
        switch (code)
        {
            case 0xc0:
                Say("nil");
                break;
            case 0xc2 or 0xc3:
                Say(code == 0xc3 ? "true" : "false");
                break;
            case 0xc4 or 0xc5 or 0xc6:
                Hex("b", Take(Length(code - 0xc4)));
                break;
            case 0xc7 or 0xc8 or 0xc9:
                Extension(Length(code - 0xc7));
                break;
            case 0xca:
                Say(TextOf(BinaryPrimitives.ReadSingleBigEndian(Take(4))));
                break;
            case 0xcb:
                Say(TextOf(BinaryPrimitives.ReadDoubleBigEndian(Take(8))));
                break;
            case >= 0xcc and <= 0xcf:
                Say(Unsigned(1 << (code - 0xcc)).ToString(CultureInfo.InvariantCulture));
                break;
            case >= 0xd0 and <= 0xd3:
                int bytes = 1 << (code - 0xd0);
                Integer((long)(Unsigned(bytes) << (64 - (8 * bytes))) >> (64 - (8 * bytes)));
                break;
            case >= 0xd4 and <= 0xd8:
                Extension(1 << (code - 0xd4));
                break;
            case 0xd9 or 0xda or 0xdb:
                Text(Length(code - 0xd9));
                break;
            case 0xdc or 0xdd:
                Many(Length(code - 0xdc + 1), isMap: false);
                break;
            case 0xde or 0xdf:
                Many(Length(code - 0xde + 1), isMap: true);
                break;
            default:
                throw new FormatException($"byte 0x{code:x2} at {_position - 1} begins no value");
        }
    }

    private void Many(int count, bool isMap)
    {
        _deepest = int.Max(_deepest, ++_depth);
        if (_depth > 1000)
        {
            throw new FormatException("nested beyond all reason");
        }

        Say(isMap ? "{" : "[");
        for (int index = 0; index < count * (isMap ? 2 : 1); index++)
        {
            Say(index > 0 ? "," : "");
            Value();
        }

        Say(isMap ? "}" : "]");
        _depth--;
    }

    private void Text(int length)
    {
        ReadOnlySpan<byte> bytes = Take(length);
        _ = new UTF8Encoding(false, throwOnInvalidBytes: true).GetCharCount(bytes);
        Hex("s", bytes);
    }

    private void Extension(int length)
    {
        sbyte code = (sbyte)Take(1)[0];
        Hex($"x{code.ToString(CultureInfo.InvariantCulture)}:", Take(length));
    }

    private readonly void Integer(long value) => Say(value.ToString(CultureInfo.InvariantCulture));

    private readonly void Hex(string kind, ReadOnlySpan<byte> bytes)
    {
        if (_text is not null)
        {
            Say(kind + Convert.ToHexStringLower(bytes));
        }
    }

    private readonly void Say(string part) => _text?.Append(part);

    private int Length(int power) => checked((int)Unsigned(1 << power));

    private ulong Unsigned(int bytes)
    {
        ulong value = 0;
        foreach (byte part in Take(bytes))
        {
            value = (value << 8) | part;
        }

        return value;
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count < 0 || count > _bytes.Length - _position)
        {
            throw new FormatException($"{count} bytes are missing at {_position}");
        }

        ReadOnlySpan<byte> taken = _bytes.Slice(_position, count);
        _position += count;
        return taken;
    }

    /// <summary>Where each REF stands, and the offset that it names.</summary>
    internal static List<(int Offset, int Target)> References(ReadOnlySpan<byte> bytes)
    {
        List<(int, int)> found = [];
        for (int at = 0; at + 2 < bytes.Length; at++)
        {
            if (bytes[at] == 0xd4 && bytes[at + 1] == 1)
            {
                found.Add((at, bytes[at + 2]));
            }
        }

        return found;
    }
}
