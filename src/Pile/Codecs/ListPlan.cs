// List<T> itself, the most common collection: written from and read into its array, without enumerator or copy.
// Lists derived from it take the general way.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of List&lt;T&gt;.</summary>
internal sealed class ListPlan<T>(Collection<List<T>, T> ways) : CollectionPlan<List<T>, T>(typeof(List<T>), ways, new SingleForm<T>())
{
    private readonly Formatter<T> _formatter = Formatters.Of<T>();

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        List<T> list = RawValue.As<List<T>>(value);
        ReadOnlySpan<T> items = CollectionsMarshal.AsSpan(list);
        if (items.Length != count)
        {
            throw Refuse.Changed(Type);
        }

        foreach (T item in items)
        {
            _formatter.Write(writer, item);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is not null)
        {
            return base.ReadContent(ref reader, count, hollow, offset);
        }

        reader.Context.Charge(ReadCost.Places(count, Unsafe.SizeOf<T>()) + ReadCost.Object(64, count), offset);
        var list = new List<T>(count);
        reader.Register(offset, list);
        CollectionsMarshal.SetCount(list, count);
        Span<T> items = CollectionsMarshal.AsSpan(list);
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = _formatter.Read(ref reader);
        }

        return list;
    }
}
