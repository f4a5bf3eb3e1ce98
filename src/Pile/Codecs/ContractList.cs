// Lists in a contract, read into and written from their arrays.
// Of List itself alone: what a derived class adds has no place here.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Pile.Codecs;

/// <summary>A formatter of lists.</summary>
internal sealed class ContractList<T> : ContractItems<List<T>, T>
{
    protected override Span<T> SpanOf(List<T> items) => items.GetType() == typeof(List<T>) ? CollectionsMarshal.AsSpan(items) : throw ContractObject.Derived(typeof(List<T>), items);

    protected override List<T> Make(int count)
    {
        var list = new List<T>(count);
        CollectionsMarshal.SetCount(list, count);
        return list;
    }
}
