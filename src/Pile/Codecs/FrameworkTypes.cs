// The framework's types that may stand in stored data without the program naming them: single values, containers, what
// Pile keeps by parts, and Pile's own lists. All are data; none does anything by being created.
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;

namespace Pile.Codecs;

/// <summary>Framework types by stored name.</summary>
internal static class FrameworkTypes
{
    /// <summary>The class of an exception's data: any getter of it makes one.</summary>
    private static readonly Type _exceptionData = new TimeoutException().Data.GetType();

    /// <summary>The class of the groups that a query gives.</summary>
    private static readonly Type _group = new[] { 0 }.GroupBy(static one => one).First().GetType().GetGenericTypeDefinition();

    /// <summary>Those by fields that lead to types nested in them: nodes, views, wrappers.</summary>
    private static readonly Type[] _around = [_exceptionData, typeof(ArrayList), typeof(Queue), typeof(Stack), typeof(SortedList)];

    private static readonly Type[] _more =
    [
        typeof(object), typeof(List<>), typeof(Stack<>), typeof(Queue<>), typeof(LinkedList<>), typeof(HashSet<>), typeof(SortedSet<>),
        typeof(Dictionary<,>), typeof(OrderedDictionary<,>), typeof(SortedDictionary<,>), typeof(SortedList<,>), typeof(PriorityQueue<,>),
        typeof(ConcurrentQueue<>), typeof(ConcurrentStack<>), typeof(ConcurrentBag<>), typeof(ConcurrentDictionary<,>),
        typeof(ImmutableArray<>), typeof(ImmutableList<>), typeof(ImmutableStack<>), typeof(ImmutableQueue<>), typeof(ImmutableHashSet<>),
        typeof(ImmutableSortedSet<>), typeof(ImmutableDictionary<,>), typeof(ImmutableSortedDictionary<,>), typeof(FrozenDictionary<,>), typeof(FrozenSet<>),
        typeof(Collection<>), typeof(ObservableCollection<>), typeof(ReadOnlyCollection<>), typeof(ReadOnlyObservableCollection<>), typeof(ReadOnlyDictionary<,>),
        typeof(Hashtable), typeof(ArrayList), typeof(Queue), typeof(Stack), typeof(SortedList), typeof(Comparer), typeof(CaseInsensitiveComparer), typeof(EqualityComparer<>), typeof(Comparer<>),
        typeof(KeyValuePair<,>), typeof(Nullable<>), typeof(Memory<>), typeof(ReadOnlyMemory<>), typeof(ArraySegment<>), typeof(DictionaryEntry),
        typeof(Tuple<>), typeof(Tuple<,>), typeof(Tuple<,,>), typeof(Tuple<,,,>), typeof(Tuple<,,,,>), typeof(Tuple<,,,,,>), typeof(Tuple<,,,,,,>), typeof(Tuple<,,,,,,,>),
        typeof(ValueTuple), typeof(ValueTuple<>), typeof(ValueTuple<,>), typeof(ValueTuple<,,>), typeof(ValueTuple<,,,>), typeof(ValueTuple<,,,,>),
        typeof(ValueTuple<,,,,,>), typeof(ValueTuple<,,,,,,>), typeof(ValueTuple<,,,,,,,>), typeof(Version), typeof(Range), typeof(System.Numerics.Complex),
        typeof(System.Numerics.Vector2), typeof(System.Numerics.Vector3), typeof(System.Numerics.Vector4), typeof(System.Numerics.Quaternion),
        typeof(System.Numerics.Matrix3x2), typeof(System.Numerics.Matrix4x4), typeof(System.Numerics.Plane), typeof(DayOfWeek), typeof(DateTimeKind), typeof(StringComparison), typeof(nint), typeof(nuint),
        typeof(Exception), typeof(AggregateException), typeof(ArgumentException), typeof(ArgumentNullException), typeof(ArgumentOutOfRangeException),
        typeof(InvalidOperationException), typeof(NotSupportedException), typeof(FormatException), typeof(OverflowException), typeof(KeyNotFoundException), typeof(TimeoutException),
        _exceptionData, typeof(IGrouping<,>), _group,
    ];

    private static readonly Dictionary<string, Type> _byName = Make();

    internal static Type? Find(string name) => _byName.GetValueOrDefault(name);

    private static Dictionary<string, Type> Make()
    {
        Dictionary<string, Type> byName = [];
        foreach (Type type in (IEnumerable<Type>)[.. _more, .. CompilersLists.All, .. _around.SelectMany(FrameworkKin.NestedIn), .. LeafFormatter.All.Keys, .. Surrogates.All.Keys])
        {
            byName[TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition)] = type;
        }

        return byName;
    }
}
