using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>Compares two object graphs without knowing the codec: every field, private and inherited ones too, arrays by shape,
/// numbers by bits, containers by content and by what their comparers do, and identity: what is one object on one side is one
/// object on the other. It keeps a stack of its own, so that graphs may be of any depth.</summary>
/// <remarks>Not compared: the identity of strings under 64 chars, which the codec's specification gives up; fields marked
/// [NonSerialized]; tables and capacities behind the framework's containers; the listeners of an ObservableCollection.</remarks>
internal sealed class GraphComparer
{
    private const int TrackedStringChars = 64;
    private readonly Dictionary<object, object> _rightOf = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<object, object> _leftOf = new(ReferenceEqualityComparer.Instance);
    private readonly Stack<Pair> _open = new();
    private readonly List<(object Left, object Right, GraphStep Step)> _keyed = [];

    private GraphComparer()
    {
    }

    /// <summary>The first difference found, with the path to it; null when the graphs are equal.</summary>
    internal static string? Difference(object? left, object? right) => new GraphComparer().Compare(left, right);

    private string? Compare(object? left, object? right)
    {
        _open.Push(new Pair(left, right, new GraphStep(null, left?.GetType().Name ?? "null"), HasIdentity: true));
        while (_open.TryPop(out Pair pair))
        {
            if (Visit(pair) is { } difference)
            {
                return $"{pair.Step}: {difference}";
            }
        }

        // Lookups last: hash codes of keys are taken by the keys' own code, over graphs that are known to be equal.
        foreach ((object leftContainer, object rightContainer, GraphStep step) in _keyed)
        {
            if (GraphLookups.Difference(leftContainer, rightContainer) is { } difference)
            {
                return $"{step}: {difference}";
            }
        }

        return null;
    }

    private string? Visit(Pair pair)
    {
        (object? left, object? right, GraphStep step, bool hasIdentity) = pair;
        if (left is null || right is null)
        {
            return left is null && right is null ? null : $"{GraphText.Of(left)} became {GraphText.Of(right)}";
        }

        if (GraphShapes.TypeOf(left) != GraphShapes.TypeOf(right))
        {
            return $"a {left.GetType()} became a {right.GetType()}";
        }

        bool isLeaf = GraphShapes.IsLeaf(left.GetType());
        if (hasIdentity && GraphShapes.HasIdentity(left) && (left is not string text || text.Length >= TrackedStringChars))
        {
            bool known = _rightOf.TryGetValue(left, out object? before);
            if (known)
            {
                return ReferenceEquals(before, right) ? null : "one object became two";
            }

            if (_leftOf.TryGetValue(right, out _))
            {
                return "two objects became one";
            }

            _rightOf.Add(left, right);
            _leftOf.TryAdd(right, left);
        }

        return isLeaf ? GraphText.LeafDifference(left, right)
            : left is Array array ? VisitArray(array, (Array)right, step)
            : VisitObject(left, right, step);
    }

    private string? VisitArray(Array left, Array right, GraphStep step)
    {
        for (int dimension = 0; dimension < left.Rank; dimension++)
        {
            if (left.GetLength(dimension) != right.GetLength(dimension))
            {
                return $"length {left.GetLength(dimension)} became {right.GetLength(dimension)} in dimension {dimension}";
            }

            if (left.GetLowerBound(dimension) != right.GetLowerBound(dimension))
            {
                return $"lower bound {left.GetLowerBound(dimension)} became {right.GetLowerBound(dimension)} in dimension {dimension}";
            }
        }

        bool hasIdentity = !left.GetType().GetElementType()!.IsValueType;
        IEnumerator others = right.GetEnumerator();
        int index = 0;
        foreach (object? item in left)
        {
            _ = others.MoveNext();
            Push(item, others.Current, step, index++, hasIdentity);
        }

        return null;
    }

    private string? VisitObject(object left, object right, GraphStep step)
    {
        Type type = left.GetType();
        if (type.IsValueType && GraphShapes.BytesOf(left) is { } leftBytes)
        {
            byte[] rightBytes = GraphShapes.BytesOf(right)!;
            return leftBytes.AsSpan().SequenceEqual(rightBytes) ? null : $"bytes {Convert.ToHexString(leftBytes)} became {Convert.ToHexString(rightBytes)}";
        }

        if (GraphShapes.InlineElementsOf(left) is { } elements)
        {
            return VisitArray(elements, GraphShapes.InlineElementsOf(right)!, step);
        }

        if (GraphShapes.IsContainer(type))
        {
            string? difference = VisitContainer(left, right, step);
            if (difference is not null)
            {
                return difference;
            }
        }

        foreach ((string name, object? leftPart, object? rightPart) in GraphShapes.PropertyParts(left, right))
        {
            Push(leftPart, rightPart, step, name, leftPart is not ValueType);
        }

        foreach (FieldInfo field in GraphShapes.FieldsOf(type))
        {
            Push(field.GetValue(left), field.GetValue(right), step, field.Name, !field.FieldType.IsValueType);
        }

        return null;
    }

    private string? VisitContainer(object left, object right, GraphStep step)
    {
        List<object?> leftItems = GraphShapes.ItemsOf(left);
        List<object?> rightItems = GraphShapes.ItemsOf(right);
        if (leftItems.Count != rightItems.Count)
        {
            return $"{leftItems.Count} items became {rightItems.Count}";
        }

        bool hasIdentity = !GraphShapes.HasFreshItems(left.GetType());
        for (int index = 0; index < leftItems.Count; index++)
        {
            Push(leftItems[index], rightItems[index], step, index, hasIdentity);
        }

        foreach ((string name, object? leftComparer, object? rightComparer) in GraphShapes.ComparersOf(left, right))
        {
            Push(leftComparer, rightComparer, step, name, hasIdentity: true);
        }

        _keyed.Add((left, right, step));
        return null;
    }

    private void Push(object? left, object? right, GraphStep from, object part, bool hasIdentity)
    {
        // What is equal at a glance needs no step of its own.
        if ((left is null && right is null) || (left is int number && right is int other && number == other && !hasIdentity))
        {
            return;
        }

        _open.Push(new Pair(left, right, new GraphStep(from, part), hasIdentity));
    }

    private readonly record struct Pair(object? Left, object? Right, GraphStep Step, bool HasIdentity);
}
