// The payload of the mark that says of an object, in files, that it is a cache's: it goes when no entry leads to it any more.
// A walk over the pile finds marks; the object itself is as the program put it.
using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Entries;

/// <summary>A mark to be stored.</summary>
/// <param name="pointer">The object.</param>
internal readonly ref struct MarkPayload(ulong pointer) : IPayload
{
    /// <summary>Bytes of a mark.</summary>
    internal const int Length = 2 * sizeof(ulong);

    private readonly ulong _pointer = pointer;

    public int Bytes => Length;

    public ReadOnlySpan<byte> Source => default;

    /// <summary>The object that a mark is of.</summary>
    internal static ulong Read(ReadOnlySpan<byte> mark) => BinaryPrimitives.ReadUInt64LittleEndian(mark[sizeof(ulong)..]);

    public void WriteTo(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, (byte)ExtendedKind.CacheMark);
        BinaryPrimitives.WriteUInt64LittleEndian(target[sizeof(ulong)..], _pointer);
    }
}
