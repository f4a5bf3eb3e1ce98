using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>Whether containers find what they hold: a table that was filled before its keys were complete has the right items
/// and finds none of them.</summary>
internal static class GraphLookups
{
    /// <summary>What differs in the lookups of two containers of equal content, or null.</summary>
    internal static string? Difference(object left, object right)
    {
        if (FinderOf(left) is not { } leftFinds || FinderOf(right) is not { } rightFinds)
        {
            return null;
        }

        object?[] leftKeys = [.. KeysOf(left)];
        object?[] rightKeys = [.. KeysOf(right)];
        for (int index = 0; index < leftKeys.Length; index++)
        {
            string leftFound = Find(leftFinds, leftKeys[index]);
            string rightFound = Find(rightFinds, rightKeys[index]);
            if (leftFound != rightFound)
            {
                return $"a lookup of item {index} said {leftFound} and says {rightFound}";
            }
        }

        return null;
    }

    private static IEnumerable<object?> KeysOf(object container) =>
        GraphShapes.ItemsOf(container).Select(static item => item is DictionaryEntry entry ? entry.Key
            : item is not null && item.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>)
                ? type.GetProperty("Key")!.GetValue(item)
                : item);

    private static Func<object?, bool>? FinderOf(object container)
    {
        if (container is IDictionary dictionary)
        {
            return key => dictionary.Contains(key!);
        }

        Type? set = container.GetType().GetInterfaces().FirstOrDefault(static at => at.IsGenericType && at.GetGenericTypeDefinition() == typeof(IReadOnlySet<>));
        MethodInfo? contains = set?.GetMethod("Contains");
        return contains is null ? null : key => (bool)contains.Invoke(container, BindingFlags.DoNotWrapExceptions, null, [key], null)!;
    }

    private static string Find(Func<object?, bool> finds, object? key)
    {
        try
        {
            return finds(key) ? "found" : "not found";
        }
        catch (Exception failure)
        {
            return failure.GetType().Name;
        }
    }
}
