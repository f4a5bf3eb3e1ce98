using System;
using System.Buffers.Binary;

namespace Pile.Server.Tests.Hostile;

/// <summary>A frame of HTTP/2, well-formed or not: what it is made of is written as it is.</summary>
internal readonly record struct RawFrame(FrameKind Kind, byte Flags, uint Stream, byte[] Payload)
{
    internal const int HeadBytes = 9;
    internal const byte EndStream = 1;
    internal const byte Ack = 1;
    internal const byte EndHeaders = 4;
    internal const byte Padded = 8;
    internal const byte HasPriority = 0x20;

    /// <summary>Its bytes.</summary>
    internal byte[] Bytes()
    {
        byte[] bytes = new byte[HeadBytes + Payload.Length];
        bytes[0] = (byte)(Payload.Length >> 16);
        BinaryPrimitives.WriteUInt16BigEndian(bytes.AsSpan(1), (ushort)Payload.Length);
        bytes[3] = (byte)Kind;
        bytes[4] = Flags;
        BinaryPrimitives.WriteUInt32BigEndian(bytes.AsSpan(5), Stream);
        Payload.CopyTo(bytes, HeadBytes);
        return bytes;
    }

    internal static byte[] Of(FrameKind kind, uint stream, byte flags = 0, params byte[] payload) => new RawFrame(kind, flags, stream, payload).Bytes();

    /// <summary>A frame whose payload is one number of 32 bits.</summary>
    internal static byte[] Number(FrameKind kind, uint stream, uint number)
    {
        byte[] payload = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(payload, number);
        return Of(kind, stream, 0, payload);
    }

    /// <summary>One setting.</summary>
    internal static byte[] Setting(ushort name, uint value)
    {
        byte[] payload = new byte[6];
        BinaryPrimitives.WriteUInt16BigEndian(payload, name);
        BinaryPrimitives.WriteUInt32BigEndian(payload.AsSpan(2), value);
        return Of(FrameKind.Settings, 0, 0, payload);
    }
}
