using System;
using System.Buffers.Binary;
using System.IO;
using System.Text;

namespace Pile.ServerBench.Load;

/// <summary>Requests of pile.v1.Entries as bytes: a message with its head of five bytes, in frames of DATA.</summary>
internal static class Messages
{
    internal const int HeadBytes = 5;
    internal const int KeyBytes = 16;

    /// <summary>The key of a number, as redis-benchmark writes it.</summary>
    internal static byte[] Key(int number) => Encoding.ASCII.GetBytes($"key:{number:D12}");

    /// <summary>The value of every key.</summary>
    internal static byte[] Value(int bytes)
    {
        byte[] value = new byte[bytes];
        new Random(7).NextBytes(value);
        return value;
    }

    /// <summary>A BatchRequest for entries of these keys.</summary>
    /// <param name="id">The batch's.</param>
    /// <param name="keys">The numbers of the keys.</param>
    /// <param name="value">What to store under each, or null for a GetBatch.</param>
    internal static byte[] Batch(ulong id, ReadOnlySpan<int> keys, byte[]? value)
    {
        var batch = new MemoryStream();
        Number(batch, 1 << 3);
        Number(batch, id);
        Lengths(batch, 2, keys.Length, KeyBytes);
        Head(batch, 3, keys.Length * KeyBytes);
        foreach (int key in keys)
        {
            batch.Write(Key(key));
        }

        if (value is not null)
        {
            Lengths(batch, 5, keys.Length, value.Length);
            Head(batch, 6, keys.Length * value.Length);
            for (int count = 0; count < keys.Length; count++)
            {
                batch.Write(value);
            }
        }

        var request = new MemoryStream();
        Head(request, value is null ? 1 : 2, (int)batch.Length);
        batch.WriteTo(request);
        return request.ToArray();
    }

    /// <summary>A GetRequest.</summary>
    internal static byte[] Get(int key)
    {
        var request = new MemoryStream();
        Head(request, 2, KeyBytes);
        request.Write(Key(key));
        return request.ToArray();
    }

    /// <summary>A message with its head.</summary>
    internal static byte[] WithHead(byte[] message)
    {
        byte[] whole = new byte[HeadBytes + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(whole.AsSpan(1), message.Length);
        message.CopyTo(whole, HeadBytes);
        return whole;
    }

    /// <summary>A message in frames of a stream.</summary>
    internal static byte[] Frames(int stream, byte[] message)
    {
        byte[] whole = WithHead(message);
        var frames = new MemoryStream();
        Span<byte> head = stackalloc byte[Http2Link.FrameHeadBytes];
        for (int at = 0; at < whole.Length; at += Http2Link.FramePayloadMax)
        {
            int length = int.Min(Http2Link.FramePayloadMax, whole.Length - at);
            Http2Link.WriteHead(head, length, Http2Link.Data, flags: 0, stream);
            frames.Write(head);
            frames.Write(whole, at, length);
        }

        return frames.ToArray();
    }

    private static void Lengths(MemoryStream target, int field, int count, int length)
    {
        var packed = new MemoryStream();
        for (int index = 0; index < count; index++)
        {
            Number(packed, (ulong)length);
        }

        Head(target, field, (int)packed.Length);
        packed.WriteTo(target);
    }

    private static void Head(MemoryStream target, int field, int bytes)
    {
        Number(target, ((uint)field << 3) | 2);
        Number(target, (ulong)bytes);
    }

    private static void Number(MemoryStream target, ulong value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            target.WriteByte((byte)(value | 0x80));
        }

        target.WriteByte((byte)value);
    }
}
