using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;

namespace Pile.Tests.Fuzz.Graphs;

/// <summary>Builds the framework's containers of given items.</summary>
internal sealed class MadeContainers(Random random)
{
    private static readonly MethodInfo _one = typeof(MadeContainers).GetMethod(nameof(MakeOne), BindingFlags.NonPublic | BindingFlags.Static)!;
    private static readonly MethodInfo _two = typeof(MadeContainers).GetMethod(nameof(MakeTwo), BindingFlags.NonPublic | BindingFlags.Static)!;

    private static readonly MethodInfo _unfoundIn = typeof(MadeContainers).GetMethod(nameof(UnfoundIn), BindingFlags.NonPublic | BindingFlags.Static)!;
    private static readonly Dictionary<Type, MethodInfo?> _unfound = [];

    /// <summary>Whether a frozen one got a comparer that is no framework's.</summary>
    internal bool HasFrozenComparers { get; private set; }

    /// <summary>Whether items are compared.</summary>
    internal static bool IsKeyed(Type type) =>
        type.Name.Contains("Set", StringComparison.Ordinal) || type.GetGenericArguments().Length == 2;

    /// <summary>Which argument is compared.</summary>
    internal static int KeyColumn(Type type) => type.Name == "PriorityQueue`2" ? 1 : 0;

    /// <summary>Builds one.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="columns">Its items, or its keys and values.</param>
    /// <param name="comparer">Its comparer, if it takes one.</param>
    internal object Make(Type type, object?[][] columns, object? comparer)
    {
        bool isOrdered = type.Name.Contains("Sorted", StringComparison.Ordinal) || type.Name.StartsWith("Priority", StringComparison.Ordinal);
        comparer = isOrdered && comparer is ReferenceEqualityComparer ? null : comparer;
        HasFrozenComparers |= comparer is not null && type.Name.StartsWith("Frozen", StringComparison.Ordinal);
        object? text = columns[0][0] is string && comparer is null && random.Next(3) == 0 ? StringComparer.OrdinalIgnoreCase : comparer;
        Type[] arguments = type.GetGenericArguments();
        return columns.Length == 1
            ? _one.MakeGenericMethod(arguments).Invoke(null, BindingFlags.DoNotWrapExceptions, null, [type.Name, columns[0], text], null)!
            : _two.MakeGenericMethod(arguments).Invoke(null, BindingFlags.DoNotWrapExceptions, null, [type.Name, columns[0], columns[1], text], null)!;
    }

    private static object MakeOne<T>(string name, object?[] given, object? comparer)
    {
        T[] items = [.. given.Cast<T>()];
        var equality = comparer as IEqualityComparer<T>;
        var order = comparer as IComparer<T>;
        return name switch
        {
            "List`1" => new List<T>(items),
            "HashSet`1" => new HashSet<T>(items, equality),
            "FrozenSet`1" => items.ToFrozenSet(equality),
            "SortedSet`1" => new SortedSet<T>(items, order),
            "ImmutableList`1" => items.ToImmutableList(),
            "ImmutableArray`1" => items.ToImmutableArray(),
            "ImmutableHashSet`1" => items.ToImmutableHashSet(equality),
            "ImmutableSortedSet`1" => items.ToImmutableSortedSet(order),
            "Queue`1" => new Queue<T>(items),
            "Stack`1" => new Stack<T>(items),
            "LinkedList`1" => new LinkedList<T>(items),
            _ => throw new NotSupportedException(name),
        };
    }

    private static object MakeTwo<TKey, TValue>(string name, object?[] keys, object?[] values, object? comparer)
        where TKey : notnull
    {
        var equality = comparer as IEqualityComparer<TKey>;
        var order = comparer as IComparer<TKey>;
        if (name == "PriorityQueue`2")
        {
            return MakeQueue(keys, values, comparer as IComparer<TValue>);
        }

        var map = new Dictionary<TKey, TValue>(equality);
        for (int index = 0; index < keys.Length; index++)
        {
            _ = map.TryAdd((TKey)keys[index]!, (TValue)values[index]!);
        }

        return name switch
        {
            "Dictionary`2" => map,
            "FrozenDictionary`2" => map.ToFrozenDictionary(equality),
            "SortedDictionary`2" => new SortedDictionary<TKey, TValue>(map, order),
            "SortedList`2" => new SortedList<TKey, TValue>(map, order),
            "ImmutableDictionary`2" => map.ToImmutableDictionary(equality),
            "ConcurrentDictionary`2" => new ConcurrentDictionary<TKey, TValue>(map, equality),
            _ => throw new NotSupportedException(name),
        };

        static object MakeQueue(object?[] elements, object?[] priorities, IComparer<TValue>? order)
        {
            var queue = new PriorityQueue<TKey, TValue>(order);
            foreach ((object? element, object? priority) in elements.Zip(priorities))
            {
                queue.Enqueue((TKey)element!, (TValue)priority!);
            }

            return queue;
        }
    }

    /// <summary>How many of the keys of a container it does not find.</summary>
    internal static int Unfound(object container)
    {
        if (container is IDictionary map)
        {
            return map.Keys.Cast<object>().Count(key => !map.Contains(key));
        }

        lock (_unfound)
        {
            Type type = container.GetType();
            if (!_unfound.TryGetValue(type, out MethodInfo? unfound))
            {
                Type? set = Array.Find(type.GetInterfaces(), static each => each.IsGenericType && each.GetGenericTypeDefinition() == typeof(ISet<>));
                unfound = set is null ? null : _unfoundIn.MakeGenericMethod(set.GetGenericArguments());
                _unfound.Add(type, unfound);
            }

            return unfound is null ? 0 : (int)unfound.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [container], null)!;
        }
    }

    private static int UnfoundIn<T>(ISet<T> set) => set.ToArray().Count(item => !set.Contains(item));
}
