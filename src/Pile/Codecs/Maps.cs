// The framework's collections of keys and values, by the ways in which each is gone over and built.
// A priority queue is one of elements and priorities: in the order of its heap, which comes back the same.
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Plans of maps from TKey to TValue.</summary>
internal static class Maps<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The tree of a sorted dictionary.</summary>
    private static readonly FieldInfo? _tree = typeof(SortedDictionary<TKey, TValue>).GetField("_set", BindingFlags.Instance | BindingFlags.NonPublic);

    public static Plan Dictionary(Type type)
    {
        var ways = new Collection<Dictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
            static c => c.Count,
            static (c, items) => Collection.Copy(c.GetEnumerator(), items),
            static (c, comparers, items) =>
            {
                Collection.Construct(c, [typeof(int), typeof(IEqualityComparer<TKey>)], items.Length, comparers[0]);
                SetAll(c, items, static (c, key, value) => c[key] = value);
            },
            static c => Comparers.OrNull(c.Comparer))
        {
            IsHashed = true,
            Make = static (items, comparer) => new Dictionary<TKey, TValue>(items, (IEqualityComparer<TKey>?)comparer),
            Add = static (c, item) =>
            {
                if (item.Key is null)
                {
                    return false;
                }

                c[item.Key] = item.Value;
                return true;
            },
        };
        return type == typeof(Dictionary<TKey, TValue>) ? new DictionaryPlan<TKey, TValue>(ways) : Make(type, ways);
    }

    public static Plan OrderedDictionary(Type type) => Make(type, new Collection<OrderedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IEqualityComparer<TKey>)], items.Length, comparers[0]);
            SetAll(c, items, static (c, key, value) => c[key] = value);
        },
        static c => Comparers.OrNull(c.Comparer))
    {
        IsHashed = true,
    });

    public static Plan SortedDictionary(Type type) => Make(type, new Collection<SortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) => _tree?.GetValue(c) is SortedSet<KeyValuePair<TKey, TValue>> tree ? TreeItems<KeyValuePair<TKey, TValue>>.Copy(tree, items) : Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(IComparer<TKey>)], comparers[0]);
            SetAll(c, items, static (c, key, value) => c[key] = value);
        },
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan SortedList(Type type) => Make(type, new Collection<SortedList<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) =>
        {
            // Its enumerator is an object.
            for (int index = 0; index < items.Length && index < c.Count; index++)
            {
                items[index] = new KeyValuePair<TKey, TValue>(c.GetKeyAtIndex(index), c.GetValueAtIndex(index));
            }

            return c.Count == items.Length;
        },
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(int), typeof(IComparer<TKey>)], items.Length, comparers[0]);
            SetAll(c, items, static (c, key, value) => c[key] = value);
        },
        static c => Comparers.OrNull(c.Comparer)));

    public static Plan ConcurrentDictionary(Type type) => Make(type, new Collection<ConcurrentDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.ToArray(),
        static (c, comparers, items) =>
        {
            Collection.Construct(c, [typeof(IEqualityComparer<TKey>)], comparers[0]);
            SetAll(c, items, static (c, key, value) => c[key] = value);
        },
        static c => Comparers.OrNull(c.Comparer))
    {
        IsHashed = true,
    });

    public static Plan ImmutableDictionary(Type type) => Make(type, new Collection<ImmutableDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) =>
        {
            ImmutableDictionary<TKey, TValue>.Builder builder = System.Collections.Immutable.ImmutableDictionary.CreateBuilder((IEqualityComparer<TKey>?)comparers[0], (IEqualityComparer<TValue>?)comparers[1]);
            SetAll(builder, items, static (c, key, value) => c[key] = value);
            Collection.TakeOver(c, builder.ToImmutable());
        },
        static c => Comparers.OrNull(c.KeyComparer),
        static c => Comparers.OrNull(c.ValueComparer))
    {
        IsHashed = true,
    });

    public static Plan ImmutableSortedDictionary(Type type) => Make(type, new Collection<ImmutableSortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) => Collection.Copy(c.GetEnumerator(), items),
        static (c, comparers, items) =>
        {
            ImmutableSortedDictionary<TKey, TValue>.Builder builder = System.Collections.Immutable.ImmutableSortedDictionary.CreateBuilder((IComparer<TKey>?)comparers[0], (IEqualityComparer<TValue>?)comparers[1]);
            SetAll(builder, items, static (c, key, value) => c[key] = value);
            Collection.TakeOver(c, builder.ToImmutable());
        },
        static c => Comparers.OrNull(c.KeyComparer),
        static c => Comparers.OrNull(c.ValueComparer)));

    public static Plan PriorityQueue(Type type) => new CollectionPlan<PriorityQueue<TKey, TValue>, KeyValuePair<TKey, TValue>>(type, new Collection<PriorityQueue<TKey, TValue>, KeyValuePair<TKey, TValue>>(
        static c => c.Count,
        static (c, items) =>
        {
            int count = 0;
            foreach ((TKey element, TValue priority) in c.UnorderedItems)
            {
                if (count == items.Length)
                {
                    return false;
                }

                items[count++] = new KeyValuePair<TKey, TValue>(element, priority);
            }

            return count == items.Length;
        },
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
            static (c, items) =>
            {
                int count = 0;
                for (IDictionaryEnumerator each = c.GetEnumerator(); each.MoveNext(); count++)
                {
                    if (count == items.Length)
                    {
                        return false;
                    }

                    items[count] = new KeyValuePair<object, object?>(each.Key, each.Value);
                }

                return count == items.Length;
            },
            static (c, comparers, items) =>
            {
                // Its indexer is virtual: what a derived class makes of it is not for what it held already.
                var built = new Hashtable(items.Length, (IEqualityComparer?)comparers[0]);
                foreach (KeyValuePair<object, object?> item in items)
                {
                    built[item.Key] = item.Value;
                }

                Collection.TakeOver(c, built);
            },
            static c => Comparers.OfHashtable(c))
        {
            IsHashed = true,
        },
        new PairForm<object, object?>());

    private static CollectionPlan<TCollection, KeyValuePair<TKey, TValue>> Make<TCollection>(Type type, Collection<TCollection, KeyValuePair<TKey, TValue>> ways)
        where TCollection : class => new(type, ways, new PairForm<TKey, TValue>());

    /// <summary>Sets each item by the class's own indexer, whatever a derived class makes of its interfaces. Of a key that stands
    /// twice the last value stays: keys may have become equal since they were added, and a map that another thread changed
    /// while it was put may show one twice. What was stored can be read again.</summary>
    private static void SetAll<TCollection>(TCollection target, KeyValuePair<TKey, TValue>[] items, Action<TCollection, TKey, TValue> set)
    {
        foreach (KeyValuePair<TKey, TValue> item in items)
        {
            set(target, item.Key, item.Value);
        }
    }
}
