// The value of an entry that stands elsewhere: an object of the pile. Either it was too large for the log and the entry owns it, from
// before the entry was there until after; or the program put it, and entries share it (SharedObjects).
using System;
using System.Buffers.Binary;
using Pile.Format;

namespace Pile.Cache.Entries;

/// <summary>A value that stands elsewhere.</summary>
/// <param name="Pointer">The object.</param>
/// <param name="Bytes">Its payload's length; of one that is shared, when the entry was stored.</param>
/// <param name="IsShared">Whether other entries may lead to it too.</param>
internal readonly record struct LinkedValue(ulong Pointer, int Bytes, bool IsShared)
{
    /// <summary>Reads it from an entry's value.</summary>
    /// <param name="value">The value.</param>
    /// <param name="a">Word A of the entry's head.</param>
    internal static LinkedValue Read(ReadOnlySpan<byte> value, ulong a) =>
        new(BinaryPrimitives.ReadUInt64LittleEndian(value), BinaryPrimitives.ReadInt32LittleEndian(value[8..]), KeyedHead.IsShared(a));

    /// <summary>Writes it as an entry's value.</summary>
    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, Pointer);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], Bytes);
    }
}
