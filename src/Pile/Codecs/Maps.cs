// The framework's collections of keys and values, by the ways in which each is gone over and built.
// A priority queue is one of elements and priorities: in the order of its heap, which comes back the same.
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Pile.Codecs;

/// <summary>Plans of maps from TKey to TValue.</summary>
internal static class Maps<TKey, TValue>
    where TKey : notnull
{
    public static Plan Dictionary(Type type)
    {
        var ways = new Collection<Dictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
            static c => c.Count,
            static c => c,
            static (c, comparers, items) =>
            {
                Collection.Construct(c, [typeof(int), typeof(IEqualityComparer<TKey>)], items.Length, comparers[0]);
                AddAll(c, items);
            },
            static c => Comparers.OrNull(c.Comparer))
        {
            Make = static (items, comparer) => new Dictionary<TKey, TValue>(items, (IEqualityComparer<TKey>?)comparer),
            Add = static (c, item) => item.Key is not null && c.TryAdd(item.Key, item.Value),
        };
        return type == typeof(Dictionary<TKey, TValue>) ? new DictionaryPlan<TKey, TValue>(ways) : Make(type, ways);
    }

    public static Plan OrderedDictionary(Type type) => Make(type, new Collection<OrderedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IEqualityComparer<TKey>)], items.Length, comparers[0]);
            AddAll(c, items);
        },
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan SortedDictionary(Type type) => Make(type, new Collection<SortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(IComparer<TKey>)], comparers[0]);
            AddAll(c, items);
        },
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan SortedList(Type type) => Make(type, new Collection<SortedList<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IComparer<TKey>)], items.Length, comparers[0]);
            AddAll(c, items);
        },
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan ConcurrentDictionary(Type type) => Make(type, new Collection<ConcurrentDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(IEqualityComparer<TKey>)], comparers[0]);
            AddAll(c, items);
        },
        static c => Comparers.OrNull(c.Comparer))
    { IsConcurrent = true });

    public static Plan ImmutableDictionary(Type type) => Make(type, new Collection<ImmutableDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) => Collection.TakeOver(c, items.ToImmutableDictionary((IEqualityComparer<TKey>?)comparers[0], (IEqualityComparer<TValue>?)comparers[1])),
        static c => Comparers.OrNull(c.KeyComparer),
        static c => Comparers.OrNull(c.ValueComparer)));

    public static Plan ImmutableSortedDictionary(Type type) => Make(type, new Collection<ImmutableSortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c,
        static (c, comparers, items) => Collection.TakeOver(c, items.ToImmutableSortedDictionary((IComparer<TKey>?)comparers[0], (IEqualityComparer<TValue>?)comparers[1])),
        static c => Comparers.OrNull(c.KeyComparer),
        static c => Comparers.OrNull(c.ValueComparer)));

    public static Plan PriorityQueue(Type type) => new CollectionPlan<PriorityQueue<TKey, TValue>, KeyValuePair<TKey, TValue>>(type, new Collection<PriorityQueue<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static c => c.UnorderedItems.Select(static item => new KeyValuePair<TKey, TValue>(item.Element, item.Priority)),
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IComparer<TValue>)], items.Length, comparers[0]);
            c.EnqueueRange(items.Select(static item => (item.Key, item.Value)));
        },
        static c => Comparers.OrNull(c.Comparer)), new PairForm<TKey, TValue>(isOrderedByValue: true));

    /// <summary>The map without type arguments.</summary>
    public static Plan Hashtable(Type type) => new CollectionPlan<Hashtable, KeyValuePair<object, object?>>(
        type,
        new Collection<Hashtable, KeyValuePair<object, object?>>(
            static c => c.Count,
            static c => c.Cast<DictionaryEntry>().Select(static entry => new KeyValuePair<object, object?>(entry.Key, entry.Value)),
            static (c, comparers, items) =>
            {
                Collection.Construct(c, [typeof(int), typeof(IEqualityComparer)], items.Length, comparers[0]);
                foreach (KeyValuePair<object, object?> item in items)
                {
                    c.Add(item.Key, item.Value);
                }
            },
            static c => Comparers.OfHashtable(c)),
        new PairForm<object, object?>());

    private static CollectionPlan<TCollection, KeyValuePair<TKey, TValue>> Make<TCollection>(Type type, Collection<TCollection, KeyValuePair<TKey, TValue>> ways)
        where TCollection : class => new(type, ways, new PairForm<TKey, TValue>());

    private static void AddAll(IDictionary<TKey, TValue> target, KeyValuePair<TKey, TValue>[] items)
    {
        foreach (KeyValuePair<TKey, TValue> item in items)
        {
            target.Add(item.Key, item.Value);
        }
    }
}
