using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Pile.Tests.Fuzz.Graphs;

/// <summary>A graph over a family of types as lines, an object each, by what a program sees of it: two graphs are one when their lines are, also where one is of
/// <see cref="Then"/> and the other of <see cref="Now"/>. Objects have numbers in the order in which they are met, so that identity is compared too.</summary>
internal sealed class FamilyLines
{
    private static readonly Dictionary<Type, PropertyInfo[]> _properties = [];
    private readonly Dictionary<object, int> _numbers = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<object> _open = new();
    private readonly List<string> _lines = [];
    private readonly StringBuilder _line = new();
    private readonly bool _isCrossed;
    private readonly bool _isRead;

    private FamilyLines(bool isCrossed, bool isRead) => (_isCrossed, _isRead) = (isCrossed, isRead);

    /// <summary>What is wrong with one alone: keys that are not found, values in fields that nobody has stored.</summary>
    internal List<string> Wrong { get; } = [];

    /// <summary>Goes over a graph.</summary>
    /// <param name="root">The root.</param>
    /// <param name="isCrossed">Without what one family alone has.</param>
    /// <param name="isRead">Whether another family wrote it, so that what this one alone has must be empty.</param>
    internal static FamilyLines Of(object root, bool isCrossed, bool isRead = false)
    {
        var lines = new FamilyLines(isCrossed, isRead);
        lines.Add($"{lines.Text(root)}");
        while (lines._open.TryDequeue(out object? next))
        {
            lines.AddObject(next);
        }

        return lines;
    }

    /// <summary>The first difference to another, or null.</summary>
    internal string? Difference(FamilyLines other)
    {
        for (int index = 0; index < int.Min(_lines.Count, other._lines.Count); index++)
        {
            (string left, string right) = (_lines[index], other._lines[index]);
            if (left != right)
            {
                int at = left.Zip(right).TakeWhile(static pair => pair.First == pair.Second).Count();
                return $"line {index} of a {left.Split(' ')[1]}: '{Around(left, at)}' became '{Around(right, at)}'";
            }
        }

        return _lines.Count == other._lines.Count ? null : $"{_lines.Count} objects became {other._lines.Count}";
    }

    /// <summary>Whether one family alone has a property.</summary>
    internal static bool IsOfOne(string name) => name.StartsWith("Gone", StringComparison.Ordinal) || name.StartsWith("New", StringComparison.Ordinal);

    private static string Around(string line, int at) => line[int.Max(0, at - 40)..int.Min(line.Length, at + 60)];

    private static string NameOf(Type type) =>
        type.IsArray ? $"{NameOf(type.GetElementType()!)}[{type.GetArrayRank()}]"
        : type.FullName!.Contains("Frozen", StringComparison.Ordinal) ? "Frozen"
        : type.IsGenericType ? $"{type.Name}({string.Join(',', type.GetGenericArguments().Select(NameOf))})" : type.Name;

    private static bool IsOfFamily(Type type) => type.Namespace == typeof(FamilyLines).Namespace;

    private void Add(string line) => _lines.Add(line);

    private string Text(object? value)
    {
        switch (value)
        {
            case null:
                return "~";
            case string text:
                return $"'{text}'";
            case int or long:
                return Convert.ToString(value, CultureInfo.InvariantCulture)!;
            case double number:
                return number.ToString("R", CultureInfo.InvariantCulture) + "d";
        }

        Type type = value.GetType();
        if (!type.IsValueType)
        {
            return $"#{NumberOf(value)}";
        }

        if (type.Name == "ImmutableArray`1")
        {
            object? array = type.GetField("array", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(value);
            return $"plain {(array is null ? "~" : $"[{string.Join(' ', ((IEnumerable)array).Cast<object?>().Select(Text))}]")}";
        }

        return value is ITuple tuple
            ? $"({string.Join(' ', Enumerable.Range(0, tuple.Length).Select(index => Text(tuple[index])))})"
            : $"{NameOf(type)}{{{string.Join(' ', Properties(value))}}}";
    }

    private int NumberOf(object value)
    {
        if (!_numbers.TryGetValue(value, out int number))
        {
            number = _numbers.Count;
            _numbers.Add(value, number);
            _open.Enqueue(value);
        }

        return number;
    }

    private IEnumerable<string> Properties(object value)
    {
        foreach (PropertyInfo property in PropertiesOf(value.GetType()))
        {
            if (!_isCrossed || !IsOfOne(property.Name))
            {
                yield return $"{property.Name}={Text(property.GetValue(value))}";
            }
            else if (_isRead && property.GetValue(value) is { } held && !(held.GetType().IsValueType && Equals(held, Activator.CreateInstance(held.GetType()))))
            {
                Wrong.Add($"{value.GetType().Name}.{property.Name} holds something that nobody has stored");
            }
        }
    }

    private static PropertyInfo[] PropertiesOf(Type type)
    {
        lock (_properties)
        {
            if (!_properties.TryGetValue(type, out PropertyInfo[]? found))
            {
                // By name: a field may stand in a base class now.
                IEnumerable<PropertyInfo> all = type.GetProperties(BindingFlags.Instance | BindingFlags.Public)
                    .Where(static property => property.GetIndexParameters().Length == 0 && (IsOfFamily(property.DeclaringType!) || property.DeclaringType!.IsValueType));
                _properties.Add(type, found = [.. all.OrderBy(static property => property.Name, StringComparer.Ordinal)]);
            }

            return found;
        }
    }

    private void AddObject(object value)
    {
        Type type = value.GetType();
        _ = _line.Clear().Append(CultureInfo.InvariantCulture, $"#{_numbers[value]} {NameOf(type)} ");
        if (IsOfFamily(type))
        {
            _ = _line.AppendJoin(' ', Properties(value));
        }

        foreach (string name in (string[])["Comparer", "KeyComparer"])
        {
            if (!IsOfFamily(type) && type.GetProperty(name)?.GetValue(value) is { } comparer)
            {
                _ = _line.Append(IsOfFamily(comparer.GetType()) ? $"by {Text(comparer)} " : comparer is StringComparer or ReferenceEqualityComparer ? $"by {comparer.GetType().Name} " : "");
            }
        }

        if (value is Array array)
        {
            _ = _line.AppendJoin('x', Enumerable.Range(0, array.Rank).Select(array.GetLength));
        }

        if (!IsOfFamily(type) || value is IList)
        {
            AddItems(value, type);
        }

        Add(_line.ToString());
        if (MadeContainers.Unfound(value) is > 0 and int unfound)
        {
            Wrong.Add($"{unfound} items of {_line} are not found");
        }
    }

    private void AddItems(object container, Type type)
    {
        bool isHashed = NameOf(type) == "Frozen" || type.Name is "HashSet`1" or "Dictionary`2" or "ConcurrentDictionary`2" or "ImmutableHashSet`1" or "ImmutableDictionary`2";
        IEnumerable<object?> items = (type.GetProperty("UnorderedItems")?.GetValue(container) as IEnumerable ?? (IEnumerable)container).Cast<object?>();
        items = isHashed ? items.OrderBy(OrderOf, StringComparer.Ordinal) : items;
        _ = _line.Append(" [").AppendJoin(' ', items.Select(Text)).Append(']');
    }

    /// <summary>What an item of a container without order is known by.</summary>
    private static string OrderOf(object? item)
    {
        Type? type = item?.GetType();
        return item switch
        {
            null => "~",
            ITuple tuple => string.Join('/', Enumerable.Range(0, tuple.Length).Select(index => OrderOf(tuple[index]))),
            string or int => $"{item}",
            _ when type!.Name == "KeyValuePair`2" => OrderOf(type.GetProperty("Key")!.GetValue(item)),
            _ => $"{type.Name} {(int)type.GetProperty(nameof(Then.Key.Id))!.GetValue(item)!:D9}",
        };
    }
}
