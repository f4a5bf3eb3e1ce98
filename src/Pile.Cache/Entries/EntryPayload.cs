// The payload of a keyed record: head, key, value, written in one go.
// The value is whatever its lane writes.
using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Cache.Entries;

/// <summary>An entry to be appended.</summary>
internal readonly ref struct EntryPayload<TValue, TFormat> : IPayload
    where TValue : struct, IPayload, allows ref struct
    where TFormat : struct, IRecordFormat
{
    private readonly ReadOnlySpan<byte> _key;
    private readonly TValue _value;
    private readonly ulong _a;
    private readonly ulong _b;
    private readonly EntryTerms _terms;

    internal EntryPayload(ulong a, ulong b, in EntryTerms terms, ReadOnlySpan<byte> key, TValue value)
    {
        _key = key;
        _value = value;
        _a = a;
        _b = b;
        _terms = terms;
    }

    public int Bytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => KeyedHead.KeyOffset(_a) + _key.Length + _value.Bytes + _terms.TailBytes;
    }

    public ReadOnlySpan<byte> Source => default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, _a);
        BinaryPrimitives.WriteUInt64LittleEndian(target[8..], _b);
        int offset = KeyedHead.WordsBytes;
        if (KeyedHead.IsTimed(_a))
        {
            offset = WriteEnds(target);
        }

        RawValue.Copy(_key, target[offset..]);
        _value.WriteTo(target.Slice(offset + _key.Length, _value.Bytes));
        _terms.Note?.WriteTail(target[(offset + _key.Length + _value.Bytes)..]);
    }

    private int WriteEnds(Span<byte> target)
    {
        int offset = KeyedHead.WordsBytes;
        if ((_a & KeyedHead.ExpiresBit) != 0)
        {
            BinaryPrimitives.WriteInt64LittleEndian(target[offset..], _terms.ExpiresTicks);
            offset += KeyedHead.ExpiryBytes;
        }

        if ((_a & KeyedHead.SlidesBit) != 0)
        {
            BinaryPrimitives.WriteInt64LittleEndian(target[offset..], _terms.SlidingTicks);
            BinaryPrimitives.WriteUInt64LittleEndian(target[(offset + 8)..], TouchWord.Pack<TFormat>(_terms.NowTicks, KeyedHead.CreatedMs(_b)));
            offset += KeyedHead.SlidingBytes;
        }

        if (_terms.Note is { } note)
        {
            note.WriteHead(target[offset..]);
            offset += KeyedHead.NoteBytes;
        }

        return offset;
    }
}
