// Places of a contract that repeat one kind of item: arrays and lists, as arrays. Null is nil.
// How many items follow is held against the bytes that remain, and their memory charged, before anything is allocated.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>A formatter of items in a row.</summary>
internal abstract class ContractItems<TItems, T> : ContractFormatter<TItems?>
    where TItems : class
{
    private readonly ContractPlace<T> _item = new();

    internal sealed override IEnumerable<Type> Inner => [typeof(T)];

    /// <summary>The items, to be read or filled.</summary>
    protected abstract Span<T> SpanOf(TItems items);

    /// <summary>So many items, to be filled.</summary>
    protected abstract TItems Make(int count);

    internal sealed override void Write(WireWriter writer, TItems? value, int depth)
    {
        if (value is null)
        {
            writer.WriteNil();
            return;
        }

        int inside = Deeper(depth, value);
        Span<T> items = SpanOf(value);
        writer.WriteArrayHeader(items.Length);
        foreach (T item in items)
        {
            _item.Formatter.Write(writer, item, inside);
        }
    }

    internal sealed override TItems? Read(ref ContractReader reader)
    {
        if (reader.Wire.TryReadNil())
        {
            return null;
        }

        int count = reader.Wire.ReadArrayHeader();
        reader.Charge(ReadCost.Places(count, Unsafe.SizeOf<T>()) + ReadCost.Object(64, count));
        reader.Enter();
        TItems items = Make(count);
        foreach (ref T item in SpanOf(items))
        {
            item = _item.Formatter.Read(ref reader);
        }

        reader.Leave();
        return items;
    }
}
