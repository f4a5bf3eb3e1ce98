// The value of an entry that is too large for the log: an object of the pile, which the entry owns.
// The object is stored before the entry and deleted after it.
using System;
using System.Buffers.Binary;

namespace Pile.Cache.Entries;

/// <summary>A value that stands elsewhere.</summary>
/// <param name="Pointer">The object.</param>
/// <param name="Bytes">Its payload's length.</param>
internal readonly record struct LinkedValue(ulong Pointer, int Bytes)
{
    /// <summary>Reads it from an entry's value.</summary>
    internal static LinkedValue Read(ReadOnlySpan<byte> value) =>
        new(BinaryPrimitives.ReadUInt64LittleEndian(value), BinaryPrimitives.ReadInt32LittleEndian(value[8..]));

    /// <summary>Writes it as an entry's value.</summary>
    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, Pointer);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], Bytes);
    }
}
