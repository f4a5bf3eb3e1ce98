// The lists that stand for those which a compiler makes of collection expressions, where the program has none of the name any more. The same
// fields, which are read by their names, and the same answers: read-only, as IList too. Made by the codec alone, never by a constructor.
// Stored under their own names once they are put: these may not change.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>A read-only list of a kind of its own.</summary>
internal abstract class ReadOnlyItems<T> : IList<T>, IReadOnlyList<T>, IList
{
    public int Count => Items.Count;

    public bool IsReadOnly => true;

    public bool IsFixedSize => true;

    public bool IsSynchronized => false;

    public object SyncRoot => this;

    /// <summary>The items: an array or a list.</summary>
    protected abstract IList<T> Items { get; }

    private IList Untyped => (IList)Items;

    public T this[int index]
    {
        get => Items is T[] array ? array[index] : Items[index];
        set => throw new NotSupportedException();
    }

    object? IList.this[int index]
    {
        get => this[index];
        set => throw new NotSupportedException();
    }

    public bool Contains(T item) => Items.Contains(item);

    public int IndexOf(T item) => Items.IndexOf(item);

    public void CopyTo(T[] array, int arrayIndex) => Items.CopyTo(array, arrayIndex);

    public IEnumerator<T> GetEnumerator() => Items.GetEnumerator();

    public void Add(T item) => throw new NotSupportedException();

    public void Insert(int index, T item) => throw new NotSupportedException();

    public bool Remove(T item) => throw new NotSupportedException();

    public void RemoveAt(int index) => throw new NotSupportedException();

    public void Clear() => throw new NotSupportedException();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    bool IList.Contains(object? value) => Untyped.Contains(value);

    int IList.IndexOf(object? value) => Untyped.IndexOf(value);

    void ICollection.CopyTo(Array array, int index) => Untyped.CopyTo(array, index);

    int IList.Add(object? value) => throw new NotSupportedException();

    void IList.Insert(int index, object? value) => throw new NotSupportedException();

    void IList.Remove(object? value) => throw new NotSupportedException();

    /// <summary>Of a known number of items.</summary>
    internal sealed class OfArray : ReadOnlyItems<T>
    {
        private readonly T[] _items = [];

        protected override IList<T> Items => _items;
    }

    /// <summary>Of a number that the compiler does not know, as where a sequence is spread.</summary>
    internal sealed class OfList : ReadOnlyItems<T>
    {
        private readonly List<T> _items = [];

        protected override IList<T> Items => _items;
    }

    /// <summary>Of one item.</summary>
    internal sealed class OfOne : ReadOnlyItems<T>
    {
        private readonly T _item = default!;

        protected override IList<T> Items => new[] { _item };
    }
}
