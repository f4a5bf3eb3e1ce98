// How a collection writes one item: as one element, or a key and a value as two.
// The members it names are what schemas say a collection repeats.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The form of items of a collection.</summary>
internal abstract class ItemForm<TItem>
{
    /// <summary>Elements per item.</summary>
    internal abstract int Width { get; }

    /// <summary>What is repeated.</summary>
    internal abstract IReadOnlyList<PlanMember> Members { get; }

    /// <summary>Whether hash code and order of an item are known as soon as it is read.</summary>
    internal abstract bool IsSettled { get; }

    /// <summary>Whether hash code and equality of an item, by default, need nothing of what it holds.</summary>
    internal abstract bool IsIndependent(TItem item);

    /// <summary>Whether an item is what no collection holds.</summary>
    internal virtual bool IsDamage(TItem item) => false;

    /// <summary>Whether the collection compares the second element of an item, and not the first.</summary>
    internal virtual bool IsOrderedByValue => false;

    /// <summary>The form in which an older version wrote items, from a field of its schema on.</summary>
    internal abstract ItemForm<TItem> MapFrom(TypeVersion version, int field);

    internal abstract void Write(GraphWriter writer, TItem item);

    internal abstract TItem Read(ref GraphReader reader);
}
