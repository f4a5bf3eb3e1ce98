// The payload of a large value in files: a word that says that an entry owns it, and then the value.
// In memory piles nobody looks for values without an entry, and the value stands alone.
using System;
using System.Buffers.Binary;
using Pile.Cache.Files;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Entries;

/// <summary>A value with its owner's mark.</summary>
internal readonly ref struct OwnedPayload<TValue>(TValue value, int table) : IPayload
    where TValue : struct, IPayload, allows ref struct
{
    private readonly TValue _value = value;

    public int Bytes => SlotWalk.ValuePrefixBytes + _value.Bytes;

    public ReadOnlySpan<byte> Source => default;

    public void WriteTo(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, (byte)ExtendedKind.CacheValue | ((ulong)(uint)table << 32));
        _value.WriteTo(target[SlotWalk.ValuePrefixBytes..]);
    }
}
