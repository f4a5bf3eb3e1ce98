// Reads protobuf's wire format from one span: what the public encoding document says, and what generated parsers accept. It knows no
// message; those who do ask it field by field. Compiled into the server and into the client: no library of its own.
using System;
using System.Buffers.Binary;
using System.IO;

namespace Pile.Wire;

/// <summary>A reader of fields. Bytes that are no message end in an <see cref="InvalidDataException"/>, never in a read beyond them.</summary>
internal ref struct WireReader(ReadOnlySpan<byte> bytes)
{
    internal const int Varint = 0;
    internal const int Fixed64 = 1;
    internal const int Length = 2;
    internal const int GroupBegin = 3;
    internal const int GroupEnd = 4;
    internal const int Fixed32 = 5;

    // As deep as generated parsers go.
    private const int GroupDepthMax = 100;

    private readonly ReadOnlySpan<byte> _bytes = bytes;

    /// <summary>How far it has read.</summary>
    internal int At { get; private set; }

    internal readonly bool IsAtEnd => At == _bytes.Length;

    /// <summary>The next field's number and form; a number of 0 is refused.</summary>
    internal uint Tag()
    {
        uint tag = (uint)Number();
        return tag >> 3 == 0 ? throw Malformed("a field has the number 0") : tag;
    }

    internal ulong Number()
    {
        ulong value = 0;
        for (int shift = 0; shift < 70; shift += 7)
        {
            if (At == _bytes.Length)
            {
                throw Malformed("it ends within a number");
            }

            byte part = _bytes[At++];
            value |= shift < 64 ? (ulong)(part & 0x7F) << shift : 0;
            if (part < 0x80)
            {
                return value;
            }
        }

        throw Malformed("a number has more than ten bytes");
    }

    internal ulong EightBytes() => BinaryPrimitives.ReadUInt64LittleEndian(Take(sizeof(ulong)));

    /// <summary>The bytes of a field that has a length.</summary>
    internal ReadOnlySpan<byte> Bytes()
    {
        ulong length = Number();
        return length > (ulong)(_bytes.Length - At) ? throw Malformed("a field reaches beyond its end") : Take((int)length);
    }

    /// <summary>Passes over the value of a field that the message does not have.</summary>
    internal void Skip(uint tag) => Skip(tag, depth: 0);

    private void Skip(uint tag, int depth)
    {
        switch (tag & 7)
        {
            case Varint:
                _ = Number();
                break;
            case Fixed64:
                _ = Take(sizeof(ulong));
                break;
            case Length:
                _ = Bytes();
                break;
            case GroupBegin when depth < GroupDepthMax:
                uint inner = Tag();
                while ((inner & 7) != GroupEnd)
                {
                    Skip(inner, depth + 1);
                    inner = Tag();
                }

                if (inner >> 3 != tag >> 3)
                {
                    throw Malformed("a group ends as another one");
                }

                break;
            case Fixed32:
                _ = Take(sizeof(uint));
                break;
            default:
                throw Malformed("a field has a form that there is not");
        }
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count > _bytes.Length - At)
        {
            throw Malformed("it ends within a field");
        }

        ReadOnlySpan<byte> taken = _bytes.Slice(At, count);
        At += count;
        return taken;
    }

    private static InvalidDataException Malformed(string why) => new($"The message is no protobuf message: {why}.");
}
