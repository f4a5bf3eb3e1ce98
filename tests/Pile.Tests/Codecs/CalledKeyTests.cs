using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Keys and comparers that can't hash or compare before their callback has run.</summary>
public sealed class CalledKeyTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void CollectionsAreFilledAfterTheCallbacksOfTheirKeys(string mode)
    {
        using var pile = new GraphPile(mode);
        Name[] names = [new("b"), new("a"), new("c")];
        Assert.Equal(["a", "b", "c"], pile.Twice(new SortedSet<Name>(names)).Select(static name => name.Text));
        Assert.Equal(["a", "b", "c"], pile.Twice(new SortedDictionary<Name, int>(names.ToDictionary(static name => name, static _ => 1))).Keys.Select(static name => name.Text));
        Assert.Equal(["a", "b", "c"], pile.Twice(names.ToImmutableSortedSet()).Select(static name => name.Text));
        AssertFinds(names, pile.Twice(names.ToHashSet()).Contains);
        AssertFinds(names, pile.Twice(names.ToImmutableHashSet()).Contains);
        AssertFinds(names, pile.Twice(names.ToDictionary(static name => name, static _ => 1)).ContainsKey);
        AssertFinds(names, pile.Twice(new ConcurrentDictionary<Name, int>(names.ToDictionary(static name => name, static _ => 1))).ContainsKey);
        AssertFinds(names, pile.Twice(new Hashtable(names.ToDictionary(static name => name, static _ => 1))).ContainsKey);
        AssertFinds(names, pile.Twice(names.ToFrozenSet()).Contains);
        AssertFinds(names, pile.Twice(names.ToFrozenDictionary(static name => name, static _ => 1)).ContainsKey);
        Assert.All(names, name => Assert.Contains((name, 1), pile.Twice(names.Select(static each => (each, 1)).ToHashSet())));
        PriorityQueue<int, Name> queue = pile.Twice(new PriorityQueue<int, Name>(names.Select(static (name, index) => (index, name))));
        Assert.Equal([1, 0, 2], new[] { queue.Dequeue(), queue.Dequeue(), queue.Dequeue() });
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void CollectionsAreFilledAfterTheirComparersWereCalled(string mode)
    {
        using var pile = new GraphPile(mode);
        Assert.Equal(2, pile.Twice(new SortedDictionary<string, int>(new Culture()) { ["b"] = 1, ["A"] = 2 })["a"]);
        Assert.Contains("a", pile.Twice(new HashSet<string>(new Culture()) { "b", "A" }));
        Assert.Contains("a", (ISet<string>)pile.Twice(new[] { "b", "A" }.ToFrozenSet(new Culture())));
        Assert.Equal(2, pile.Twice(new Dictionary<string, int>(new Culture()) { ["b"] = 1, ["A"] = 2 })["a"]);

        // Comparers that lead to the collections, which are so filled while the others are.
        var owner = new Owner();
        var comparer = new Culture { Owner = owner };
        owner.Sets = [new(comparer) { "b", "A" }, new(comparer) { "c" }, new(new Culture { Owner = owner }) { "D" }];
        Owner got = pile.Twice(owner);
        Assert.Equal([2, 1, 1], got.Sets!.Select(static set => set.Count));
        Assert.Contains("a", got.Sets![0]);
        Assert.Contains("C", got.Sets[1]);
        Assert.Contains("d", got.Sets[2]);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void EachIsCalledOnceAndInnerOnesFirst(string mode)
    {
        using var pile = new GraphPile(mode);
        foreach (int depth in new[] { 0, 1, 57, 58, 59, 60, 61, 62, 63, 64, 100 })
        {
            var name = new Name("x");
            var outer = new Outer { Inner = name };
            object deep = new object[] { outer, new HashSet<Outer> { outer, new() { Inner = new Name("y") } }, new HashSet<Name> { name } };
            for (int level = 0; level < depth; level++)
            {
                deep = new object[] { deep };
            }

            object got = pile.Once(deep);
            for (int level = 0; level < depth; level++)
            {
                got = ((object[])got)[0];
            }

            Outer called = (Outer)((object[])got)[0];
            Assert.Equal((1, 1, 1), (called.Calls, called.Notes, called.Inner!.Calls));
            Assert.Contains(called, (HashSet<Outer>)((object[])got)[1]);
            Assert.Contains(called.Inner, (HashSet<Name>)((object[])got)[2]);
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AKeyThatLeadsBackToTheOwnerOfItsCollectionIsCalledBeforeAndTheOwnerAfter(string mode)
    {
        using var pile = new GraphPile(mode);
        var order = new Order();
        order.Lines = new Dictionary<Line, int> { [new Line(order, "a")] = 1, [new Line(order, "b")] = 2 };
        Order got = pile.Twice(order);
        Assert.Equal(2, got.Count);
        Assert.Equal((1, 2), (got.Lines![new Line(got, "a")], got.Lines[new Line(got, "b")]));
    }

    /// <summary>A tree whose parents are keys themselves, and know their children when they are called.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void AParentIsCalledWhenItHasItsChildren(string mode)
    {
        using var pile = new GraphPile(mode);
        var root = new Part("root", null);
        for (int index = 0; index < 5; index++)
        {
            var middle = new Part($"{index}", root);
            middle.Parts.UnionWith(Enumerable.Range(0, 5).Select(number => new Part($"{index}.{number}", middle)));
            root.Parts.Add(middle);
        }

        Part got = pile.Once(root);
        Assert.Equal(5, got.Count);
        Assert.All(got.Parts, static part => Assert.Equal(5, part.Count));
        Assert.All(got.Parts.SelectMany(static part => part.Parts), part => Assert.Equal(0, part.Count));
        Assert.All(got.Parts, part => Assert.Contains(part, got.Parts));
    }

    [Fact]
    public void KeysOfThousandsOfValuesThatAllLeadToOneObjectAreNoReasonToGoOverItForEach()
    {
        var order = new Order { Text = [.. Enumerable.Range(0, 400_000).Select(static number => $"{number}")] };
        order.Lines = Enumerable.Range(0, 50_000).ToDictionary(number => new Line(order, $"{number}"), static number => number);
        var store = new GraphStore();
        Order got = store.Read<Order>(store.Write(order));
        Assert.Equal(50_000, got.Count);
        Assert.Equal(49_999, got.Lines![new Line(got, "49999")]);
    }

    private static void AssertFinds(Name[] names, Predicate<Name> find) => Assert.All(names, name => Assert.True(find(name), name.Text));

    internal sealed class Name(string text) : IComparable<Name>, IComparable
    {
        [NonSerialized]
        private string _sort = text;

        [NonSerialized]
        private int _hash = text.GetHashCode(StringComparison.Ordinal);

        public string Text { get; } = text;

        [field: NonSerialized]
        public int Calls { get; private set; }

        public override int GetHashCode() => _hash;

        public override bool Equals(object? obj) => obj is Name other && other.Text == Text;

        public int CompareTo(Name? other) => string.CompareOrdinal(_sort, other?._sort);

        public int CompareTo(object? obj) => CompareTo(obj as Name);

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context)
        {
            (_sort, _hash) = (Text, Text.GetHashCode(StringComparison.Ordinal));
            Calls++;
        }
    }

    internal sealed class Outer : IDeserializationCallback
    {
        [NonSerialized]
        private int _hash;

        public Name? Inner { get; init; }

        [field: NonSerialized]
        public int Calls { get; private set; }

        [field: NonSerialized]
        public int Notes { get; private set; }

        public override int GetHashCode() => _hash == 0 ? Inner!.GetHashCode() : _hash;

        public override bool Equals(object? obj) => obj is Outer other && other.Inner!.Equals(Inner);

        void IDeserializationCallback.OnDeserialization(object? sender)
        {
            Notes++;
            _hash = Inner!.GetHashCode();
        }

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => Calls += Inner!.Calls;
    }

    internal sealed class Culture : IComparer<string>, IEqualityComparer<string>
    {
        [NonSerialized]
        private CompareInfo _info = CultureInfo.InvariantCulture.CompareInfo;

        public Owner? Owner { get; init; }

        public int Compare(string? x, string? y) => _info.Compare(x, y, CompareOptions.IgnoreCase);

        public bool Equals(string? x, string? y) => Compare(x, y) == 0;

        public int GetHashCode(string obj) => _info.GetHashCode(obj, CompareOptions.IgnoreCase);

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => _info = CultureInfo.InvariantCulture.CompareInfo;
    }

    internal sealed class Owner
    {
        public HashSet<string>[]? Sets { get; set; }
    }

    internal sealed class Order
    {
        public Dictionary<Line, int>? Lines { get; set; }

        public string[]? Text { get; set; }

        [field: NonSerialized]
        public int Count { get; private set; }

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => Count = Lines!.Count;
    }

    internal sealed class Line(Order order, string text)
    {
        [NonSerialized]
        private int _hash = text.GetHashCode(StringComparison.Ordinal);

        public Order Order { get; } = order;

        public string Text { get; } = text;

        public override int GetHashCode() => _hash;

        public override bool Equals(object? obj) => obj is Line other && other.Text == Text && other.Order == Order;

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => _hash = Text.GetHashCode(StringComparison.Ordinal);
    }

    internal sealed class Part(string name, Part? parent)
    {
        public string Name { get; } = name;

        public Part? Parent { get; } = parent;

        public HashSet<Part> Parts { get; } = [];

        [field: NonSerialized]
        public int Count { get; private set; }

        public override int GetHashCode() => Name.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Part other && other.Name == Name;

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => Count = Parts.Count;
    }
}
