using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>The comparer that judges the codec is judged here: each planted difference must be found, and equal graphs, built
/// apart from each other, must be equal.</summary>
public sealed class GraphComparerTests
{
    private static readonly Dictionary<string, Func<(object? Left, object? Right)>> _planted = new()
    {
        ["a field"] = static () => (CaseTypes.Node.List(2), new CaseTypes.Node { Next = new CaseTypes.Node { Value = 2 } }),
        ["a private readonly field"] = static () => (new CaseTypes.FixedHolder(new(1, "a")), new CaseTypes.FixedHolder(new(1, "b"))),
        ["a private field of a base"] = static () => (new CaseTypes.Circle("base", "own"), new CaseTypes.Circle("other", "own")),
        ["a private field of the same name below"] = static () => (new CaseTypes.Circle("base", "own"), new CaseTypes.Circle("base", "other")),
        ["null for an object"] = static () => (new CaseTypes.Pair { First = new object() }, new CaseTypes.Pair()),
        ["another type of equal content"] = static () => (new CaseTypes.Pair { First = 5 }, new CaseTypes.Pair { First = 5L }),
        ["an enum for its number"] = static () => (new object[] { CaseTypes.Small.One }, new object[] { (byte)1 }),
        ["a type behind an interface"] = static () => (new List<int> { 1 }, new[] { 1 }),
        ["uint[] for int[]"] = static () => (new CaseTypes.Typed { Array = [1] }, new CaseTypes.Typed { Array = (int[])(object)new uint[] { 1 } }),
        ["string[] for object[]"] = static () => (new object[] { "a" }, new string[] { "a" }),
        ["an element"] = static () => (new[] { 1, 2, 3 }, new[] { 1, 2, 4 }),
        ["a length"] = static () => (new[] { 1, 2 }, new[] { 1, 2, 0 }),
        ["the shape of an empty array"] = static () => (new int[0, 5], new int[5, 0]),
        ["the shape of a full array"] = static () => (new int[2, 3], new int[3, 2]),
        ["a lower bound"] = static () => (Array.CreateInstance(typeof(int), [2], [5]), Array.CreateInstance(typeof(int), [2], [4])),
        ["int[*] for int[]"] = static () => (Array.CreateInstance(typeof(int), [2], [1]), new int[2]),
        ["a copy for a shared object"] = static () => (Twice(new CaseTypes.Node()), new object[] { new CaseTypes.Node(), new CaseTypes.Node() }),
        ["one object for two"] = static () => (new object[] { new CaseTypes.Node(), new CaseTypes.Node() }, Twice(new CaseTypes.Node())),
        ["a copy for a shared box"] = static () => (Twice(new CaseTypes.Link()), new object[] { new CaseTypes.Link(), new CaseTypes.Link() }),
        ["a copy for a shared array"] = static () => (Twice(new int[1]), new object[] { new int[1], new int[1] }),
        ["a copy for a shared long text"] = static () => (Twice(new string('x', 64)), new object[] { new string('x', 64), new string('x', 64) }),
        ["a cycle cut open"] = static () => (CaseTypes.Node.List(3, isRing: true), CaseTypes.Node.List(3)),
        ["a cycle of another length"] = static () => (Ring(2), Ring(4)),
        ["a cycle into another node"] = static () => (Lasso(0), Lasso(1)),
        ["-0.0"] = static () => (0.0, -0.0),
        ["the payload of a NaN"] = static () => (new[] { double.NaN }, new[] { BitConverter.UInt64BitsToDouble(0xFFF8_0000_0000_0001) }),
        ["a signalling NaN of float"] = static () => (Single("7F800001"), Single("7FC00001")),
        ["1.0m for 1.00m"] = static () => (new CaseTypes.Pair { First = 1.00m }, new CaseTypes.Pair { First = 1.0m }),
        ["-0m"] = static () => (0m, new decimal(0, 0, 0, true, 0)),
        ["the kind of a DateTime"] = static () => (new DateTime(5, DateTimeKind.Utc), new DateTime(5, DateTimeKind.Local)),
        ["the daylight bit of a DateTime"] = static () => (Raw(0xC8D0_0000_0000_0000), Raw(0x88D0_0000_0000_0000)),
        ["the offset of a DateTimeOffset"] = static () => (new DateTimeOffset(2020, 1, 1, 2, 0, 0, TimeSpan.FromHours(2)), new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero)),
        ["a lone surrogate"] = static () => ("a\ud800", "a\ufffd"),
        ["\"\" for null"] = static () => (new string?[] { null }, new[] { "" }),
        ["an item of a list"] = static () => (new List<string> { "a" }, new List<string> { "b" }),
        ["a missing key"] = static () => (new Dictionary<string, int> { ["a"] = 1 }, new Dictionary<string, int> { ["b"] = 1 }),
        ["a value of a dictionary"] = static () => (new Dictionary<string, object> { ["a"] = 1 }, new Dictionary<string, object> { ["a"] = 2 }),
        ["the order of a dictionary"] = static () => (new Dictionary<int, int> { [1] = 1, [2] = 2 }, new Dictionary<int, int> { [2] = 2, [1] = 1 }),
        ["the comparer of a dictionary"] = static () => (new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase), new Dictionary<string, int>(StringComparer.Ordinal)),
        ["the culture of a comparer"] = static () => (new HashSet<string>(StringComparer.Create(new("tr-TR"), true)), new HashSet<string>(StringComparer.Create(new("en-US"), true))),
        ["the state of a comparer"] = static () => (new HashSet<int>(new CaseTypes.ModuloComparer(10)), new HashSet<int>(new CaseTypes.ModuloComparer(11))),
        ["the comparer of a frozen set"] = static () => (new[] { "a" }.ToFrozenSet(StringComparer.OrdinalIgnoreCase), new[] { "a" }.ToFrozenSet()),
        ["a table that finds nothing"] = static () => (Stale(0), Stale(1)),
        ["an unordered container's value"] = static () => (new ConcurrentDictionary<string, int> { ["a"] = 1, ["b"] = 2 }, new ConcurrentDictionary<string, int> { ["a"] = 1, ["b"] = 3 }),
        ["default for an empty array"] = static () => (default(ImmutableArray<int>), ImmutableArray<int>.Empty),
        ["a copy of a wrapped list"] = static () => (Wrapped(false), Wrapped(true)),
        ["a copy of an array behind a Memory"] = static () => (Sliced(false), Sliced(true)),
        ["an inline element"] = static () => (Inline("a"), Inline("b")),
        ["a byte of a union"] = static () => (new CaseTypes.Union { Bits = 1 }, new CaseTypes.Union { Bits = 2 }),
        ["null for a nullable value"] = static () => (new CaseTypes.Box<int?> { Value = 0 }, new CaseTypes.Box<int?>()),
        ["the last of a hundred thousand nodes"] = static () => (CaseTypes.Node.List(100_000), Changed(CaseTypes.Node.List(100_000))),
        ["an inner exception"] = static () => (new InvalidOperationException("a", new FormatException("b")), new InvalidOperationException("a", new FormatException("c"))),
        ["the order of a priority queue"] = static () => (new PriorityQueue<int, int>([(1, 1), (2, 2)]), new PriorityQueue<int, int>([(1, 1), (2, 3)])),
    };

    public static TheoryData<string> Planted => [.. _planted.Keys];

    [Theory]
    [MemberData(nameof(Planted))]
    public void APlantedDifferenceIsFound(string name)
    {
        (object? left, object? right) = _planted[name]();
        Assert.NotNull(GraphComparer.Difference(left, right));
        Assert.NotNull(GraphComparer.Difference(right, left));
        Assert.NotNull(GraphComparer.Difference(new CaseTypes.Pair { Second = left }, new CaseTypes.Pair { Second = right }));
        Assert.NotNull(GraphComparer.Difference(new List<object?> { 1, left }, new List<object?> { 1, right }));
    }

    [Theory]
    [ClassData<Corpus.Data>]
    public void EqualGraphsBuiltApartAreEqual(string name) => Assert.Null(GraphComparer.Difference(Corpus.Make(name), Corpus.Make(name)));

    [Fact]
    public void ADifferenceIsToldWithItsPath()
    {
        string? difference = GraphComparer.Difference(new CaseTypes.Pair { First = new[] { 1, 2 } }, new CaseTypes.Pair { First = new[] { 1, 3 } });
        Assert.Contains("[1]", difference, StringComparison.Ordinal);
        Assert.Contains("First", difference, StringComparison.Ordinal);
    }

    private static object[] Twice(object value) => [value, value];

    private static CaseTypes.Node Ring(int nodes)
    {
        CaseTypes.Node ring = CaseTypes.Node.List(nodes, isRing: true);
        for (CaseTypes.Node? at = ring.Next; !ReferenceEquals(at, ring); at = at!.Next)
        {
            at!.Value = 0;
        }

        return ring;
    }

    private static CaseTypes.Node Lasso(int back)
    {
        CaseTypes.Node[] nodes = [new(), new(), new()];
        (nodes[0].Next, nodes[1].Next, nodes[2].Next) = (nodes[1], nodes[2], nodes[back]);
        return nodes[0];
    }

    private static Dictionary<CaseTypes.SetKey, int> Stale(int added)
    {
        HashSet<int> set = [1];
        var map = new Dictionary<CaseTypes.SetKey, int> { [new CaseTypes.SetKey(set)] = 1 };
        set.Add(2);
        return added == 0 ? new Dictionary<CaseTypes.SetKey, int> { [new CaseTypes.SetKey([1, 2])] = 1 } : map;
    }

    private static object[] Wrapped(bool isCopy)
    {
        List<int> list = [1];
        return [list, (isCopy ? [1] : list).AsReadOnly()];
    }

    private static object[] Sliced(bool isCopy)
    {
        int[] array = [1, 2];
        return [array, (isCopy ? [1, 2] : array).AsMemory(1)];
    }

    private static CaseTypes.ThreeTexts Inline(string text)
    {
        var texts = default(CaseTypes.ThreeTexts);
        texts[2] = text;
        return texts;
    }

    private static CaseTypes.Node Changed(CaseTypes.Node list)
    {
        CaseTypes.Node last = list;
        while (last.Next is { } next)
        {
            last = next;
        }

        last.Value++;
        return list;
    }

    /// <summary>From text, because the compiler makes constant signalling NaNs quiet ones.</summary>
    private static float Single(string bits) => BitConverter.UInt32BitsToSingle(uint.Parse(bits, System.Globalization.NumberStyles.HexNumber, System.Globalization.CultureInfo.InvariantCulture));

    private static DateTime Raw(ulong bits) => System.Runtime.InteropServices.MemoryMarshal.Cast<ulong, DateTime>(new ReadOnlySpan<ulong>(in bits))[0];
}
