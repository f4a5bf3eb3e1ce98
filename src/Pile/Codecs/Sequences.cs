// The framework's collections of single items, by the ways in which each is gone over and built.
// Order is kept where the collection has one; a stack is written from the bottom.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Pile.Codecs;

/// <summary>Plans of sequences of T.</summary>
internal static class Sequences<T>
{
    public static Plan List(Type type)
    {
        var ways = new Collection<List<T>, T>(static c => c.Count, static (c, items) => Collection.Copy(c.GetEnumerator(), items), static (c, _, items) =>
        {
            Collection.Construct(c, [typeof(int)], items.Length);
            c.AddRange(items);
        });
        return type == typeof(List<T>) ? new ListPlan<T>(ways) : Make(type, ways);
    }

    public static Plan Stack(Type type) => Make(type, new Collection<Stack<T>, T>(
        static c => c.Count,
        static (c, items) =>
        {
            bool isWhole = Collection.Copy(c.GetEnumerator(), items);
            items.Reverse();
            return isWhole;
        },
        static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan Queue(Type type) => Make(type, new Collection<Queue<T>, T>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan LinkedList(Type type) => Make(type, new Collection<LinkedList<T>, T>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan HashSet(Type type) => Make(type, new Collection<HashSet<T>, T>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IEqualityComparer<T>)], items.Length, comparers[0]);
            foreach (T item in items)
            {
                _ = c.Add(item);
            }
        },
        static c => Comparers.OrNull(c.Comparer))
    {
        IsHashed = true,
        Make = static (items, comparer) => new HashSet<T>(items, (IEqualityComparer<T>?)comparer),
        Add = static (c, item) =>
        {
            // A set that another thread changes while it is copied may show an item twice: what was stored is a snapshot of that.
            _ = c.Add(item);
            return true;
        },
    });

    public static Plan SortedSet(Type type) => Make(type, new Collection<SortedSet<T>, T>(
        static c => c.Count,
        static (c, items) => TreeItems<T>.Copy(c, items),
        static (c, comparers, items) => Collection.Construct(c, [typeof(IEnumerable<T>), typeof(IComparer<T>)], items, comparers[0]),
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan ConcurrentQueue(Type type) => Make(type, new Collection<ConcurrentQueue<T>, T>(
        static c => c.ToArray(), static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan ConcurrentStack(Type type) => Make(type, new Collection<ConcurrentStack<T>, T>(
        static c => Reversed(c.ToArray()), static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan ConcurrentBag(Type type) => Make(type, new Collection<ConcurrentBag<T>, T>(
        static c => Reversed(c.ToArray()), static (c, _, items) => Collection.Construct(c, [typeof(IEnumerable<T>)], [items])));

    public static Plan ImmutableList(Type type) => Make(type, new Collection<ImmutableList<T>, T>(
        static c => c.Count, static (c, items) => Collection.Copy(c.GetEnumerator(), items), static (c, _, items) => Collection.TakeOver(c, items.ToImmutableList())));

    public static Plan ImmutableStack(Type type) => Make(type, new Collection<ImmutableStack<T>, T>(
        static c => [.. c.Reverse()], static (c, _, items) => Collection.TakeOver(c, System.Collections.Immutable.ImmutableStack.CreateRange(items))));

    public static Plan ImmutableQueue(Type type) => Make(type, new Collection<ImmutableQueue<T>, T>(
        static c => [.. c], static (c, _, items) => Collection.TakeOver(c, System.Collections.Immutable.ImmutableQueue.CreateRange(items))));

    public static Plan ImmutableHashSet(Type type) => Make(type, new Collection<ImmutableHashSet<T>, T>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) => Collection.TakeOver(c, items.ToImmutableHashSet((IEqualityComparer<T>?)comparers[0])),
        static c => Comparers.OrNull(c.KeyComparer))
    {
        IsHashed = true,
    });

    public static Plan ImmutableSortedSet(Type type) => Make(type, new Collection<ImmutableSortedSet<T>, T>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) => Collection.TakeOver(c, items.ToImmutableSortedSet((IComparer<T>?)comparers[0])),
        static c => Comparers.OrNull(c.KeyComparer)));

    private static T[] Reversed(T[] items)
    {
        Array.Reverse(items);
        return items;
    }

    private static CollectionPlan<TCollection, T> Make<TCollection>(Type type, Collection<TCollection, T> ways)
        where TCollection : class => new(type, ways, new SingleForm<T>());
}
