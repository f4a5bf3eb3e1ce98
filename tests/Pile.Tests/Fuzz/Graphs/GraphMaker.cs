using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Tests.Fuzz.Graphs;

/// <summary>Random graphs over a family of types (<see cref="Then"/>, <see cref="Now"/>): each property takes whatever its type allows, so that everything is shared, leads
/// back, stands in keys, and is deeper than stored values nest.</summary>
internal sealed class GraphMaker
{
    private const int ChainMax = 400;
    private const int TrackedTextChars = 70;
    private static readonly int[] _sizes = [2, 3, 8, 20, 50];
    private readonly Random _random;
    private readonly Type[] _types;
    private readonly Type _key;
    private readonly MadeContainers _containers;
    private readonly Dictionary<Type, PropertyInfo[]> _properties = [];
    private readonly List<object> _all = [];
    private readonly double _chance;
    private readonly bool _hasComparers;
    private int _lastId;

    /// <param name="seed">Of which the graph follows.</param>
    /// <param name="family">The class that holds the types.</param>
    internal GraphMaker(int seed, Type family)
    {
        _random = new Random(seed);
        _types = [.. family.GetNestedTypes(BindingFlags.NonPublic).Where(static type => type.IsClass && type.GetProperty(nameof(Then.Key.Id)) is not null).OrderBy(static type => type.Name, StringComparer.Ordinal)];
        _key = _types.Single(static type => type.Name == nameof(Then.Key));
        _chance = _random.Next(4) switch { 0 => 0.1, 1 => 0.3, 2 => 0.5, _ => 0.2 };
        _hasComparers = _random.Next(3) == 0;
        _containers = new MadeContainers(_random);
    }

    /// <summary>Whether reading may say that a frozen collection can't be made: a comparer needs what it holds, and may be around it.</summary>
    internal bool HasFrozenComparers => _containers.HasFrozenComparers;

    /// <summary>The root.</summary>
    internal object Make()
    {
        int size = _sizes[_random.Next(_sizes.Length)];
        List<object> work = [New(_key)];
        while (work.Count < size)
        {
            work.Add(New(_types[_random.Next(_types.Length)]));
        }

        object[] order = [.. work];
        _random.Shuffle(order);
        foreach (object each in order)
        {
            Fill(each);
        }

        return _random.Next(4) == 0 ? new[] { Any(false), MakeRoot(), Any(false) } : MakeRoot();
    }

    private bool Chance() => _random.NextDouble() < _chance;

    private object MakeRoot()
    {
        Type node = _types.Single(static type => type.Name == nameof(Then.Node));
        object root = New(node);
        object deep = Any(false) ?? "end";
        int gone = _random.Next(4);
        for (int left = _random.Next(3) == 0 ? _random.Next(ChainMax) : 0; left > 0; left--)
        {
            object next = _random.Next(2) == 0 ? New(_types[_random.Next(_types.Length)]) : New(_random.Next(2) == 0 ? node : _key);
            string name = _random.Next(4) < gone ? nameof(Then.Node.GoneThing) : nameof(Then.Node.Thing);
            if ((next.GetType().GetProperty(name) ?? next.GetType().GetProperty(nameof(Then.Node.Thing))) is not { } link || IsLost(next))
            {
                continue;
            }

            link.SetValue(next, deep);
            deep = next;
            if (_random.Next(6) == 0)
            {
                Fill(next, mayReplace: false);
            }
        }

        Set(root, nameof(Then.Node.GoneThing), _random.Next(2) == 0 ? deep : Any(true));
        Set(root, nameof(Then.Node.Thing), _random.Next(2) == 0 ? deep : Any(false));
        object?[] rest = [.. _all.Where(static each => !IsLost(each))];
        _random.Shuffle(rest);
        object?[,] grid = new object?[1, rest.Length];
        for (int index = 0; index < rest.Length; index++)
        {
            grid[0, index] = _random.Next(3) == 0 ? null : rest[index];
        }

        Set(root, nameof(Then.Node.Grid), grid);
        Fill(root, mayReplace: false);
        return root;
    }

    private static bool IsLost(object value) => value is Then.Lost;

    private static void Set(object target, string name, object? value) => target.GetType().GetProperty(name)?.SetValue(target, value);

    private object New(Type type)
    {
        object made = RuntimeHelpers.GetUninitializedObject(type);
        if (typeof(IEnumerable<object?>).IsAssignableFrom(type))
        {
            made = Activator.CreateInstance(type)!;
        }

        type.GetProperty(nameof(Then.Key.Id))!.SetValue(made, ++_lastId);
        if (type.Name == nameof(Then.Name))
        {
            // Its hash code is that of all it holds: at once, and never again.
            Fill(made, isNew: true);
        }

        _all.Add(made);
        return made;
    }

    private void Fill(object made, bool mayReplace = true, bool isNew = false)
    {
        if (made.GetType().Name == nameof(Then.Name) && !isNew)
        {
            return;
        }

        foreach (PropertyInfo property in PropertiesOf(made.GetType()))
        {
            if (property.Name != nameof(Then.Key.Id) && Chance() && (mayReplace || property.GetValue(made) is null))
            {
                property.SetValue(made, Value(property.PropertyType, isGone: FamilyLines.IsOfOne(property.Name)));
            }
        }

        if (made is List<object?> things)
        {
            things.AddRange(Enumerable.Range(0, _random.Next(4)).Select(_ => Any(false)));
        }
    }

    private PropertyInfo[] PropertiesOf(Type type)
    {
        if (!_properties.TryGetValue(type, out PropertyInfo[]? found))
        {
            IEnumerable<PropertyInfo> all = type.GetProperties(BindingFlags.Instance | BindingFlags.Public);
            _properties.Add(type, found = [.. all.Where(static property => property.CanWrite && property.GetIndexParameters().Length == 0 && property.DeclaringType!.DeclaringType is not null)]);
        }

        return found;
    }

    private object? Any(bool isGone) => _random.Next(14) switch
    {
        0 => null,
        1 => $"text {_random.Next(5)}",
        2 => _random.Next(100),
        3 => new string('z', TrackedTextChars + _random.Next(3)),
        4 => 3.5,
        5 => Shared(Value(_types[0].DeclaringType!.GetNestedType(nameof(Then.Part), BindingFlags.NonPublic)!, isGone), isGone),
        6 => Shared((Of(_key), _random.Next(9)), isGone),
        _ => _all.Count == 0 ? null : _all[_random.Next(_all.Count)] is var one && (isGone || !IsLost(one)) ? one : null,
    };

    /// <summary>What others may refer to; not what only a field that goes may hold.</summary>
    private object? Shared(object? value, bool isGone)
    {
        if (value is not null && !isGone && _random.Next(3) == 0)
        {
            _all.Add(value);
        }

        return value;
    }

    private object? Of(Type type)
    {
        object[] fitting = [.. _all.Where(type.IsInstanceOfType)];
        return fitting.Length == 0 || _random.Next(6) == 0 ? null : fitting[_random.Next(fitting.Length)];
    }

    private object? Value(Type type, bool isGone)
    {
        if (type == typeof(object))
        {
            return Any(isGone);
        }

        if (type == typeof(string))
        {
            return _random.Next(3) == 0 ? new string('y', TrackedTextChars) : $"word {_random.Next(20)}";
        }

        if (type == typeof(int) || type == typeof(long))
        {
            return Convert.ChangeType(_random.Next(1000), type, null);
        }

        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Value(inner, isGone);
        }

        if (Array.IndexOf(_types, type) >= 0)
        {
            return Of(type);
        }

        if (type.IsValueType && type.DeclaringType is not null && !type.IsGenericType)
        {
            object part = Activator.CreateInstance(type)!;
            Fill(part);
            return part;
        }

        object? known = _random.Next(4) == 0 ? Of(type) : null;
        return known ?? Shared(Container(type, isGone), isGone || type.IsValueType);
    }

    private object Container(Type type, bool isGone)
    {
        if (type.IsArray)
        {
            Type element = type.GetElementType()!;
            var items = Array.CreateInstance(element, [.. Enumerable.Range(0, type.GetArrayRank()).Select(_ => _random.Next(4))]);
            foreach (int at in Enumerable.Range(0, items.Rank == 1 ? items.Length : 0))
            {
                items.SetValue(Value(element, isGone), at);
            }

            for (int at = 0; items.Rank == 2 && at < items.Length; at++)
            {
                items.SetValue(Value(element, isGone), at / items.GetLength(1), at % items.GetLength(1));
            }

            return items;
        }

        Type[] arguments = type.GetGenericArguments();
        if (type.IsValueType && type.Name is not "ImmutableArray`1")
        {
            // A tuple, or a pair.
            return Activator.CreateInstance(type, [.. arguments.Select(argument => Value(argument, isGone))])!;
        }

        int count = _random.Next(1, 5);
        bool isKeyed = MadeContainers.IsKeyed(type);
        object?[][] columns = [.. arguments.Select((argument, column) => Enumerable.Range(0, count)
            .Select(_ => isKeyed && column == MadeContainers.KeyColumn(type) ? KeyOf(argument) : Value(argument, isGone)).ToArray())];
        return _containers.Make(type, columns, _hasComparers && isKeyed && arguments[MadeContainers.KeyColumn(type)] == _key && _random.Next(2) == 0 ? Comparer() : null);
    }

    /// <summary>What a container may be keyed by: known by a number of its own, or by its value.</summary>
    private object KeyOf(Type type)
    {
        if (type == typeof(object))
        {
            object?[] fitting = [.. _all.Where(static each => each.GetType().DeclaringType is not null && !each.GetType().IsValueType && !IsLost(each))];
            return _random.Next(3) == 0 ? $"key {_random.Next(9)}" : fitting[_random.Next(fitting.Length)]!;
        }

        if (type == typeof(string))
        {
            return $"key {_random.Next(9)}";
        }

        if (type.IsValueType)
        {
            Type[] arguments = type.GetGenericArguments();
            return Activator.CreateInstance(type, [KeyOf(arguments[0]), arguments[1] == typeof(int) ? _random.Next(3) : Of(arguments[1])])!;
        }

        object? known = _random.Next(3) == 0 ? null : Of(type);
        if (known is null)
        {
            known = New(type);
            if (!Chance())
            {
                // Nobody else gets it.
                _ = _all.Remove(known);
            }

            foreach (PropertyInfo property in PropertiesOf(type).Where(property => type == _key && property.PropertyType == typeof(object) && Chance()))
            {
                property.SetValue(known, Any(FamilyLines.IsOfOne(property.Name)));
            }
        }

        return known;
    }

    private object Comparer()
    {
        Type type = _types.Single(static type => type.Name == nameof(Then.ByKey));
        return (_random.Next(2) == 0 ? Of(type) : null) ?? (_random.Next(3) == 0 ? ReferenceEqualityComparer.Instance : New(type));
    }
}
