// Arrays in a contract, of any items but bytes, which are one value.
// Of the array's own type alone: an array of a derived type would come back as another.
using System;

namespace Pile.Codecs;

/// <summary>A formatter of arrays.</summary>
internal sealed class ContractArray<T> : ContractItems<T[], T>
{
    protected override Span<T> SpanOf(T[] items) => items.GetType() == typeof(T[]) ? items : throw ContractObject.Derived(typeof(T[]), items);

    protected override T[] Make(int count) => new T[count];
}
