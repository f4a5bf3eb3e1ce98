// Writes protobuf's wire format to a buffer writer, piece by piece. Sizes are known before: gRPC sends the length first.
// It knows no message. Compiled into the server and into the client: no library of its own.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;

namespace Pile.Wire;

/// <summary>A writer of fields. <see cref="Flush"/> ends what is written.</summary>
internal ref struct WireWriter(IBufferWriter<byte> target)
{
    private const int NumberBytesMax = 10;

    // Bytes that are handed over with what stands around them: each handing over takes a connection's locks.
    private const int TogetherMax = 512;

    private Span<byte> _span;
    private int _used;

    /// <summary>Bytes of a number.</summary>
    internal static int SizeOf(ulong value) => (BitOperations.Log2(value | 1) / 7) + 1;

    internal void Number(ulong value)
    {
        if (_span.Length - _used < NumberBytesMax)
        {
            Flush();
            _span = target.GetSpan(NumberBytesMax);
        }

        while (value >= 0x80)
        {
            _span[_used++] = (byte)(value | 0x80);
            value >>= 7;
        }

        _span[_used++] = (byte)value;
    }

    internal void EightBytes(ulong value)
    {
        if (_span.Length - _used < sizeof(ulong))
        {
            Flush();
            _span = target.GetSpan(sizeof(ulong));
        }

        BinaryPrimitives.WriteUInt64LittleEndian(_span[_used..], value);
        _used += sizeof(ulong);
    }

    internal void Bytes(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > _span.Length - _used)
        {
            Flush();
            if (bytes.Length > TogetherMax)
            {
                target.Write(bytes);
                return;
            }

            _span = target.GetSpan(bytes.Length);
        }

        bytes.CopyTo(_span[_used..]);
        _used += bytes.Length;
    }

    /// <summary>Hands over what was written.</summary>
    internal void Flush()
    {
        if (_used > 0)
        {
            target.Advance(_used);
        }

        _span = default;
        _used = 0;
    }
}
