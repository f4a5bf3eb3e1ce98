// The head of a frame: 24 bits of length, 8 of kind, 8 of flags, one reserved and 31 of the stream's number; big-endian. RFC 9113, section 4.1.
// It knows nothing of what frames mean.
using System;
using System.Buffers.Binary;

namespace Pile.Client.Http2;

/// <summary>The head of a frame.</summary>
internal readonly record struct Frame(FrameKind Kind, byte Flags, int Stream, int Length)
{
    internal const int HeadBytes = 9;

    /// <summary>Of DATA and HEADERS: nothing follows on the stream.</summary>
    internal const byte EndStream = 0x1;

    /// <summary>Of SETTINGS and PING: it answers one.</summary>
    internal const byte Ack = 0x1;

    /// <summary>Of HEADERS and CONTINUATION: the block is whole.</summary>
    internal const byte EndHeaders = 0x4;

    /// <summary>Of DATA and HEADERS: the first byte says how many stand unused at the end.</summary>
    internal const byte Padded = 0x8;

    /// <summary>Of HEADERS: five bytes of priority come first.</summary>
    internal const byte Priority = 0x20;

    internal bool Has(byte flag) => (Flags & flag) != 0;

    /// <summary>Reads one from at least <see cref="HeadBytes"/>.</summary>
    internal static Frame Read(ReadOnlySpan<byte> head) => new(
        (FrameKind)head[3], head[4], BinaryPrimitives.ReadInt32BigEndian(head[5..]) & int.MaxValue, (int)(BinaryPrimitives.ReadUInt32BigEndian(head) >> 8));

    /// <summary>Writes it to at least <see cref="HeadBytes"/>.</summary>
    internal void Write(Span<byte> head)
    {
        BinaryPrimitives.WriteUInt32BigEndian(head, ((uint)Length << 8) | (byte)Kind);
        head[4] = Flags;
        BinaryPrimitives.WriteInt32BigEndian(head[5..], Stream);
    }
}
