// The payload of an entry that stands in a slot of the object table: a word that says so, and then what every entry has.
// The word is KeyedPrefix.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Entries;

/// <summary>An entry with its prefix.</summary>
internal readonly ref struct SlotPayload<TEntry>(ulong prefix, TEntry entry) : IPayload
    where TEntry : struct, IPayload, allows ref struct
{
    private readonly TEntry _entry = entry;
    private readonly ulong _prefix = prefix;

    public int Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => KeyedPrefix.Bytes + _entry.Bytes;
    }

    public ReadOnlySpan<byte> Source => default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, _prefix);
        _entry.WriteTo(target[KeyedPrefix.Bytes..]);
    }
}
