// Arrays of primitives: short ones element by element, as any MessagePack reader expects; longer ones as one block of bytes
// with an element code, which is a copy to write and to read.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of an array of a primitive type.</summary>
internal sealed class PrimitiveArrayPlan<T> : Plan
    where T : unmanaged
{
    private readonly Formatter<T> _formatter = Formatters.Of<T>();
    private readonly PlanMember[] _members;

    public PrimitiveArrayPlan()
        : base(typeof(T[]), PlanKind.Array, isPlain: true) => _members = [new("", "item", _formatter)];

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool CanDefer => false;

    internal override int Count(object value) => RawValue.As<T[]>(value).Length;

    internal override void WritePlain(GraphWriter writer, object value, bool isExact)
    {
        T[] items = RawValue.As<T[]>(value);
        if (items.Length >= CodecLimits.BlockElementsMin)
        {
            writer.WriteBlock((byte)_formatter.Kind, MemoryMarshal.AsBytes(items.AsSpan()));
        }
        else if (isExact)
        {
            writer.WriteUntagged(this, items);
        }
        else
        {
            writer.WriteTagged(this, items);
        }
    }

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        foreach (T item in RawValue.As<T[]>(value))
        {
            _formatter.Write(writer, item);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Context.Charge((long)count * Unsafe.SizeOf<T>(), offset);
        var items = new T[count];
        reader.Register(offset, items);
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = _formatter.Read(ref reader);
        }

        return items;
    }
}
