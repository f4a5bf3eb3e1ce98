using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using Pile.Tests.Memory;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>What an object is made of, for <see cref="GraphComparer"/>: leaf, bytes, container, fields.</summary>
internal static class GraphShapes
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Classes compared as one value; so are all classes derived from them.</summary>
    private static readonly Type[] _leaves =
    [
        typeof(string), typeof(Type), typeof(CultureInfo), typeof(CompareInfo), typeof(TimeZoneInfo), typeof(Encoding), typeof(Regex), typeof(Uri), typeof(IPAddress),
        typeof(StringComparer), typeof(StringBuilder), typeof(DBNull), typeof(Missing), typeof(Lock), typeof(ReferenceEqualityComparer), typeof(Delegate),
    ];

    /// <summary>Leaves of which there may be one for all, or one for each: which, is not part of the graph.</summary>
    private static readonly Type[] _timeless = [typeof(Type), typeof(CultureInfo), typeof(CompareInfo), typeof(Encoding), typeof(StringComparer), typeof(TimeZoneInfo)];

    /// <summary>Framework classes that only wrap: compared by their fields, so that what they wrap keeps its identity.</summary>
    private static readonly Type[] _wrappers = [typeof(Collection<>), typeof(ReadOnlyCollection<>), typeof(ObservableCollection<>), typeof(ReadOnlyObservableCollection<>), typeof(ReadOnlyDictionary<,>)];

    private static readonly string[] _wrapped = ["items", "list", "m_dictionary"];

    private static readonly Type[] _unordered = [typeof(ConcurrentDictionary<,>), typeof(ConcurrentBag<>), typeof(ImmutableDictionary<,>), typeof(ImmutableHashSet<>), typeof(FrozenDictionary<,>), typeof(FrozenSet<>), typeof(Hashtable)];

    private static readonly string[] _comparers = ["Comparer", "KeyComparer", "ValueComparer", "EqualityComparer"];

    private static readonly FieldInfo _exceptionData = typeof(Exception).GetField("_data", Declared)!;

    private static readonly ConditionalWeakTable<Type, TypeFacts> _facts = [];

    /// <summary>The type that counts: of a frozen container its public class, because the real one depends on its content; of what
    /// is kept by name, the class that stands for all of them.</summary>
    internal static Type TypeOf(object value) => FactsOf(value.GetType()).Counted;

    internal static bool IsLeaf(Type type) => FactsOf(type).IsLeaf;

    internal static bool HasIdentity(object value) => FactsOf(value.GetType()).HasIdentity;

    /// <summary>The bytes of a struct whose fields don't tell all: overlapping ones, buffers.</summary>
    internal static byte[]? BytesOf(object value) => FactsOf(value.GetType()).IsOpaque ? StructParts.BytesOf(value) : null;

    /// <summary>The elements of an inline array that holds references.</summary>
    internal static Array? InlineElementsOf(object value) => FactsOf(value.GetType()).IsInlineArray ? StructParts.ElementsOf(value) : null;

    /// <summary>Whether it is one of the framework's containers, or derived from one.</summary>
    internal static bool IsContainer(Type type) => FactsOf(type).Container is not null;

    /// <summary>The items, in the order in which they must be equal.</summary>
    internal static List<object?> ItemsOf(object container)
    {
        if (container is MemoryStream stream)
        {
            return [stream.Position, .. stream.ToArray().Cast<object>()];
        }

        IEnumerable items = container.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(PriorityQueue<,>)
            ? (IEnumerable)type.GetProperty("UnorderedItems")!.GetValue(container)!
            : (IEnumerable)container;
        List<object?> list = [.. items.Cast<object?>()];
        return FactsOf(container.GetType()).IsUnordered ? [.. list.OrderBy(static item => Signature(item, 3), StringComparer.Ordinal)] : list;
    }

    /// <summary>Whether items are boxed anew each time they are taken out.</summary>
    internal static bool HasFreshItems(Type type) => FactsOf(type).HasFreshItems;

    /// <summary>Comparers, by the properties that show them.</summary>
    internal static IEnumerable<(string Name, object? Left, object? Right)> ComparersOf(object left, object right)
    {
        foreach (PropertyInfo property in FactsOf(left.GetType()).Comparers)
        {
            yield return (property.Name, property.GetValue(left), property.GetValue(right));
        }
    }

    /// <summary>What exceptions show: their fields hold addresses of this process.</summary>
    internal static IEnumerable<(string Name, object? Left, object? Right)> PropertyParts(object left, object right)
    {
        if (left is not Exception)
        {
            yield break;
        }

        foreach (PropertyInfo property in left.GetType().GetProperties())
        {
            if (IsFramework(property.DeclaringType!) && property.GetIndexParameters().Length == 0 && property.Name is not (nameof(Exception.TargetSite) or nameof(Exception.Data)))
            {
                yield return (property.Name, property.GetValue(left), property.GetValue(right));
            }
        }

        // By the field: the property makes one where there is none, and comparing must change nothing.
        yield return (nameof(Exception.Data), _exceptionData.GetValue(left), _exceptionData.GetValue(right));
    }

    /// <summary>The fields to compare, base first.</summary>
    internal static FieldInfo[] FieldsOf(Type type) => FactsOf(type).Fields;

    /// <summary>What holds of each object of a type, asked once a type: graphs of a million objects are compared.</summary>
    private static TypeFacts FactsOf(Type type) => _facts.GetValue(type, static type =>
    {
        Type? container = ContainerOf(type);
        bool isInlineArray = type.IsValueType && type.IsDefined(typeof(InlineArrayAttribute), false);
        return new TypeFacts(
            CountedOf(type),
            type.IsPrimitive || type.IsEnum || type == typeof(JsonElement) || type == typeof(BigInteger) || Array.Exists(_leaves, leaf => leaf.IsAssignableFrom(type)),
            !Array.Exists(_timeless, leaf => leaf.IsAssignableFrom(type)),
            isInlineArray || (type.IsValueType && (type.IsExplicitLayout || type.IsDefined(typeof(UnsafeValueTypeAttribute), false))),
            isInlineArray,
            container,
            container is not null && IsAny(container, _unordered),
            MakesItems(type),
            [.. _comparers.Select(name => container?.GetProperty(name, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)).OfType<PropertyInfo>()],
            ComparedOf(type));
    });

    private static Type CountedOf(Type type)
    {
        for (Type? at = type; at is not null; at = at.BaseType)
        {
            if (IsAny(at, typeof(FrozenDictionary<,>), typeof(FrozenSet<>)) || Array.IndexOf(_timeless, at) >= 0 || at == typeof(IPAddress))
            {
                return at;
            }
        }

        return type;
    }

    private static bool MakesItems(Type type) =>
        type == typeof(BitArray) || type == typeof(MemoryStream) || typeof(IDictionary).IsAssignableFrom(type) || IsAny(type, typeof(PriorityQueue<,>))
        || type.GetInterfaces().Any(static at => at.IsGenericType && at.GetGenericTypeDefinition() == typeof(IEnumerable<>) && at.GetGenericArguments()[0].IsValueType);

    private static FieldInfo[] ComparedOf(Type type)
    {
        List<FieldInfo> fields = [];
        for (Type? at = type; at is not null; at = at.BaseType)
        {
            bool isShown = at == typeof(Exception) || (IsFramework(at) && (typeof(Exception).IsAssignableFrom(at) || ContainerOf(at) is not null));
            if (!isShown)
            {
                FieldInfo[] declared = at.GetFields(Declared);
                fields.InsertRange(0, declared.Where(field => !field.IsDefined(typeof(NonSerializedAttribute), false) && (!IsAny(at, _wrappers) || Array.IndexOf(_wrapped, field.Name) >= 0)));
            }
        }

        return [.. fields];
    }

    private static Type? ContainerOf(Type type)
    {
        for (Type? at = type; at is not null && !at.IsArray && !at.IsValueType; at = at.BaseType)
        {
            if (IsFramework(at) && !IsAny(at, _wrappers) && (at == typeof(MemoryStream) || IsAny(at, typeof(PriorityQueue<,>)) || (typeof(IEnumerable).IsAssignableFrom(at) && at.Namespace!.StartsWith("System.Collections", StringComparison.Ordinal))))
            {
                return at;
            }
        }

        return null;
    }

    private static bool IsFramework(Type type) => type.Assembly.GetName().Name is { } name && (name == "System" || name.StartsWith("System.", StringComparison.Ordinal));

    private static bool IsAny(Type type, params Type[] definitions) => Array.IndexOf(definitions, type.IsGenericType ? type.GetGenericTypeDefinition() : type) >= 0
        || (type.BaseType is { } above && IsFramework(type) && !type.IsPublic && IsAny(above, definitions));

    /// <summary>What an item is, as far as a few steps show: items without an order are brought into this one.</summary>
    private static string Signature(object? value, int depth)
    {
        if (value is null || depth == 0)
        {
            return value is null ? "null" : "...";
        }

        Type type = value.GetType();
        return value is string text ? text
            : IsLeaf(type) ? GraphText.Of(value)
            : value is Array or ICollection ? $"{type.Name} of {((ICollection)value).Count}"
            : string.Join(' ', FieldsOf(type).Select(field => Signature(field.GetValue(value), depth - 1)));
    }

    private sealed record TypeFacts(
        Type Counted,
        bool IsLeaf,
        bool HasIdentity,
        bool IsOpaque,
        bool IsInlineArray,
        Type? Container,
        bool IsUnordered,
        bool HasFreshItems,
        PropertyInfo[] Comparers,
        FieldInfo[] Fields);
}
