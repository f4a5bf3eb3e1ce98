using System;
using System.Buffers.Binary;
using System.IO;

namespace Pile.ServerBench.Load;

/// <summary>Puts messages together from frames, and sees that each is the reply to a batch: all values there and of the right length, or all
/// items stored. Counts them.</summary>
internal struct ReplyCheck(LoadOptions options) : IFrameSink
{
    private const int ReplyBytesMax = 1 << 20;
    private readonly byte[] _buffer = new byte[ReplyBytesMax];
    private int _length;

    /// <summary>Replies so far.</summary>
    internal long Replies { get; private set; }

    public void Data(int stream, ReadOnlySpan<byte> bytes)
    {
        // Most frames have whole messages: those are looked at where they are.
        if (_length == 0)
        {
            bytes = bytes[Take(bytes)..];
        }

        if (bytes.IsEmpty)
        {
            return;
        }

        bytes.CopyTo(_buffer.AsSpan(_length));
        _length += bytes.Length;
        int taken = Take(_buffer.AsSpan(0, _length));
        _buffer.AsSpan(taken, _length - taken).CopyTo(_buffer);
        _length -= taken;
    }

    public readonly void Ended(int stream) => throw new IOException("The server has ended the stream.");

    private int Take(ReadOnlySpan<byte> bytes)
    {
        int taken = 0;
        while (bytes.Length - taken >= Messages.HeadBytes)
        {
            int length = BinaryPrimitives.ReadInt32BigEndian(bytes[(taken + 1)..]);
            if (bytes.Length - taken - Messages.HeadBytes < length)
            {
                break;
            }

            Check(bytes.Slice(taken + Messages.HeadBytes, length));
            taken += Messages.HeadBytes + length;
            Replies++;
        }

        return taken;
    }

    private readonly void Check(ReadOnlySpan<byte> reply)
    {
        bool isGet = options.Kind == "get";
        bool isGood = reply[0] == (isGet ? 0x0A : 0x12);
        Skip(ref reply);
        isGood &= reply[0] == 0x08;
        Skip(ref reply);
        isGood &= reply[0] == 0x12;
        int items = Skip(ref reply);
        if (isGet)
        {
            // Each length is the value's and one; the bytes of all values follow.
            int lengthBytes = options.ValueBytes + 1 < 0x80 ? 1 : 2;
            isGood &= items == options.Batch * lengthBytes && (lengthBytes > 1 || !reply[..items].ContainsAnyExcept((byte)(options.ValueBytes + 1)));
            reply = reply[items..];
            isGood &= reply[0] == 0x1A;
            isGood &= Skip(ref reply) == options.Batch * options.ValueBytes && reply.Length == options.Batch * options.ValueBytes;
        }
        else
        {
            isGood &= items == options.Batch && !reply.ContainsAnyExceptInRange((byte)0, (byte)1);
        }

        if (!isGood)
        {
            throw new InvalidDataException($"A reply is not what was asked for; what is left of it: {Convert.ToHexString(reply[..int.Min(100, reply.Length)])}.");
        }
    }

    /// <summary>Passes over a tag and the number behind it.</summary>
    private static int Skip(ref ReadOnlySpan<byte> bytes)
    {
        bytes = bytes[1..];
        int value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte part = bytes[0];
            bytes = bytes[1..];
            value |= (part & 0x7F) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
    }
}
