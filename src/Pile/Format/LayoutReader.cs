// Reads what LayoutWriter wrote: the fields of a stored layout one after another, little-endian.
// It judges no value: each layout says itself what is possible.
using System;
using System.Buffers.Binary;

namespace Pile.Format;

/// <summary>Cursor over the source of a layout.</summary>
internal ref struct LayoutReader(ReadOnlySpan<byte> source)
{
    private ReadOnlySpan<byte> _rest = source;

    /// <summary>Bytes that are left.</summary>
    internal readonly int Left => _rest.Length;

    internal ulong ULong()
    {
        ulong value = BinaryPrimitives.ReadUInt64LittleEndian(_rest);
        _rest = _rest[sizeof(ulong)..];
        return value;
    }

    internal long Long() => (long)ULong();

    internal uint UInt()
    {
        uint value = BinaryPrimitives.ReadUInt32LittleEndian(_rest);
        _rest = _rest[sizeof(uint)..];
        return value;
    }

    internal int Int() => (int)UInt();

    internal byte Byte()
    {
        byte value = _rest[0];
        _rest = _rest[1..];
        return value;
    }

    /// <summary>The 16 bytes of an id, in the order in which its text shows them.</summary>
    internal Guid Id()
    {
        var value = new Guid(_rest[..16], bigEndian: true);
        _rest = _rest[16..];
        return value;
    }
}
