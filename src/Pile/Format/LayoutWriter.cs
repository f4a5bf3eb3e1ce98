// Writes the fields of a stored layout one after another, so that the order of the calls is the layout.
// Little-endian throughout. It knows no layout itself, and does not clear what it was not asked to write.
using System;
using System.Buffers.Binary;

namespace Pile.Format;

/// <summary>Cursor over the target of a layout.</summary>
internal ref struct LayoutWriter(Span<byte> target)
{
    private Span<byte> _rest = target;

    /// <summary>Bytes that are left.</summary>
    internal readonly int Left => _rest.Length;

    internal void Long(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_rest, value);
        _rest = _rest[sizeof(ulong)..];
    }

    internal void Long(long value) => Long((ulong)value);

    internal void Int(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_rest, value);
        _rest = _rest[sizeof(uint)..];
    }

    internal void Int(int value) => Int((uint)value);

    internal void Byte(byte value)
    {
        _rest[0] = value;
        _rest = _rest[1..];
    }

    internal void Flag(bool value) => Byte(value ? (byte)1 : (byte)0);

    /// <summary>The 16 bytes of an id, in the order in which its text shows them.</summary>
    internal void Id(Guid value)
    {
        _ = value.TryWriteBytes(_rest, bigEndian: true, out int written);
        _rest = _rest[written..];
    }
}
