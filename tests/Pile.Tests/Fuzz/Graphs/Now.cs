using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;

namespace Pile.Tests.Fuzz.Graphs;

/// <summary>What has become of <see cref="Then"/>: fields went, came, moved to a base class and took wider numbers.</summary>
internal static partial class Now
{
    internal class Based
    {
        public object? Thing { get; set; }

        public Node? Next { get; set; }

        public HashSet<Key>? Keys { get; set; }
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Node")]
    internal class Node : Based
    {
        public string? NewText { get; set; }

        public int Id { get; set; }

        public Key? Key { get; set; }

        public HashSet<Node>? Friends { get; set; }

        public FrozenSet<Key>? Frozen { get; set; }

        public Dictionary<Key, object?>? Map { get; set; }

        public Part Part { get; set; }

        public Part? MaybePart { get; set; }

        public (Key? Key, Node? Node) Pair { get; set; }

        public Node?[]? Nodes { get; set; }

        public object?[,]? Grid { get; set; }

        public long Number { get; set; }

        public FrozenSet<Key>? NewFrozen { get; set; }
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Leaf")]
    internal sealed class Leaf : Node
    {
        public object? More { get; set; }

        public HashSet<(Key Key, Node? Node)>? Pairs { get; set; }
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Key")]
    internal sealed class Key : IComparable<Key>, IEquatable<Key>
    {
        public object? Thing { get; set; }

        public int Id { get; set; }

        public HashSet<Key>? Own { get; set; }

        public object? More { get; set; }

        public bool Equals(Key? other) => other is not null && other.Id == Id;

        public override bool Equals(object? obj) => Equals(obj as Key);

        public override int GetHashCode() => (Id * 7) + 3;

        public int CompareTo(Key? other) => other is null ? 1 : Id.CompareTo(other.Id);
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Name")]
    internal sealed record Name(int Id, string Text, Node? Other)
    {
        public Key? Key { get; init; }

        public object? NewThing { get; init; }
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Part")]
    internal struct Part
    {
        public int Number { get; set; }

        public object? Thing { get; set; }

        public Key? Key { get; set; }
    }

    /// <summary>Needs what it holds.</summary>
    [PileName("Pile.Tests.Fuzz.Graphs.Then+ByKey")]
    internal sealed class ByKey : IEqualityComparer<Key>, IComparer<Key>
    {
        public int Id { get; set; }

        public object? Around { get; set; }

        public bool Equals(Key? x, Key? y) => x?.Id == y?.Id;

        public int GetHashCode(Key obj) => obj.Id ^ (Id > 0 ? Id : throw new InvalidOperationException("hollow"));

        public int Compare(Key? x, Key? y) => y!.Id.CompareTo(x!.Id) * (Id > 0 ? 1 : throw new InvalidOperationException("hollow"));
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Things")]
    internal sealed class Things : List<object?>
    {
        public int Id { get; set; }

        public object? Thing { get; set; }
    }

    [PileName("Pile.Tests.Fuzz.Graphs.Then+Holder")]
    internal sealed class Holder
    {
        public int Id { get; set; }

        public object? Thing { get; set; }

        public FrozenSet<Key>? FrozenKeys { get; set; }

        public FrozenDictionary<Key, object?>? FrozenMap { get; set; }

        public FrozenSet<object>? FrozenThings { get; set; }

        public FrozenDictionary<string, Node?>? FrozenTexts { get; set; }

        public SortedSet<Key>? SortedKeys { get; set; }

        public SortedDictionary<Key, object?>? SortedMap { get; set; }

        public SortedList<Key, object?>? SortedItems { get; set; }

        public ImmutableList<Node?>? Immutables { get; set; }

        public ImmutableArray<Node?> Plain { get; set; }

        public ImmutableHashSet<Key>? ImmutableKeys { get; set; }

        public ImmutableDictionary<Key, object?>? ImmutableMap { get; set; }

        public ImmutableSortedSet<Key>? ImmutableSorted { get; set; }

        public ConcurrentDictionary<Key, object?>? Concurrent { get; set; }

        public Queue<Node?>? Queue { get; set; }

        public Stack<Node?>? Stack { get; set; }

        public LinkedList<Key?>? Linked { get; set; }

        public PriorityQueue<Node?, Key>? Urgent { get; set; }

        public HashSet<Name>? Names { get; set; }

        public Dictionary<(Key Key, int Number), Node?>? Numbered { get; set; }

        public HashSet<object>? Mixed { get; set; }

        public Dictionary<string, Key?>? Texts { get; set; }

        public KeyValuePair<Key?, object?> Entry { get; set; }
    }

    [PileObject]
    [PileName("Pile.Tests.Fuzz.Graphs.Then+Made")]
    internal sealed partial class Made
    {
        public int Id { get; set; }

        public object? Thing { get; set; }

        public List<Key>? Keys { get; set; }

        public Made? Next { get; set; }

        public HashSet<Made>? Others { get; set; }

        public FrozenSet<Key>? Frozen { get; set; }

        public Part Part { get; set; }

        public int? Maybe { get; set; }
    }
}
