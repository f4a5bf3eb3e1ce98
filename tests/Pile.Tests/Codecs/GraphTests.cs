using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;
using System.Numerics;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Graphs put and got back, by reflection and by compiled code. Numbers are those of the codec's list of cases.</summary>
public sealed class GraphTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void ReferencesAndCyclesAreKept_1_2_3_4_5_6_41(string mode)
    {
        using var pile = new GraphPile(mode);
        var node = new GraphTypes.Node { Value = 1 };
        node.Next = node;
        GraphTypes.Node self = pile.Twice(node);
        Assert.Same(self, self.Next);

        var second = new GraphTypes.Node { Value = 2, Next = new GraphTypes.Node { Value = 3 } };
        second.Next.Next = second;
        GraphTypes.Node two = pile.Twice(second);
        Assert.Same(two, two.Next!.Next);
        Assert.Equal(3, two.Next.Value);

        int[] array = [1, 2, 3];
        List<string> list = ["a", "b"];
        GraphTypes.Holder holder = pile.Twice(new GraphTypes.Holder { First = list, Second = list, Third = array, Fourth = array });
        Assert.Same(holder.First, holder.Second);
        Assert.Same(holder.Third, holder.Fourth);
        Assert.Equal(array, holder.Third);
        Assert.Equal(list, holder.First);

        var endless = new GraphTypes.Endless<int> { Value = 1, More = new() { Value = new() { Value = 2 } } };
        Assert.Equal(2, pile.Twice(endless).More!.Value!.Value);

        var arrays = new GraphTypes.EndlessArrays<int> { Value = 1, More = new() { Value = [2] }, Others = [new() { Value = new int[1, 1], More = new() { Value = [new int[2, 2]] } }], Struct = new() { More = [new() { Value = new() { Value = 3 } }] } };
        GraphTypes.EndlessArrays<int> back = pile.Twice(arrays);
        Assert.Equal([2], back.More!.Value!);
        Assert.Equal(4, back.Others![0].More!.Value![0].Length);
        Assert.Equal(3, back.Struct!.Value.More![0].Value.Value);

        // An empty array is an object as others are.
        byte[] empty = GC.AllocateArray<byte>(0);
        object[] empties = pile.Twice(new object[] { empty, empty, GC.AllocateArray<byte>(0) });
        Assert.Same(empties[0], empties[1]);
        Assert.NotSame(empties[0], empties[2]);
        byte[][] rows = pile.Twice(new byte[][] { GC.AllocateArray<byte>(0), GC.AllocateArray<byte>(0) });
        Assert.NotSame(rows[0], rows[1]);

        object[] loop = new object[2];
        loop[0] = loop;
        loop[1] = 5;
        object[] looped = pile.Twice(loop);
        Assert.Same(looped, looped[0]);
        Assert.Equal(5, looped[1]);
    }

    /// <summary>There are thousands of ways to mix eight arrays and eight lists, and as many types.</summary>
    [Fact]
    public void AClassThatGrowsByArraysAndByGenericTypesMakesHundredsOfTypesAndNoMore()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new GraphTypes.EndlessWays<int> { Value = 1 });
        Assert.InRange(store.Schemas.Count, 100, 1000);
        Assert.Equal(1, new GraphStore(store).Read<GraphTypes.EndlessWays<int>>(bytes).Value);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AMillionNodesFitASmallStack_7_8_11_12_13(string mode)
    {
        using var pile = new GraphPile(mode, PileOptions.Tiny with { MemoryLimitBytes = 256 << 20 });
        GraphTypes.Node first = new() { Value = 0 };
        GraphTypes.Node last = first;
        for (int index = 1; index < 1_000_000; index++)
        {
            last = last.Next = new GraphTypes.Node { Value = index };
        }

        last.Next = first;
        Exception? failure = null;
        GraphTypes.Node? got = null;
        var thread = new System.Threading.Thread(() => failure = Record.Exception(() => got = pile.Once(first)), 128 << 10);
        thread.Start();
        thread.Join();
        Assert.Null(failure);
        GraphTypes.Node at = got!;
        for (int index = 0; index < 1_000_000; index++, at = at.Next!)
        {
            Assert.Equal(index, at.Value);
        }

        Assert.Same(got, at);
        List<object> deep = [];
        for (int index = 0; index < 100_000; index++)
        {
            deep = [deep];
        }

        object back = pile.Once<object>(deep);
        int depth = 0;
        for (; back is List<object> { Count: 1 } list; back = list[0])
        {
            depth++;
        }

        Assert.Equal(100_000, depth);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void CollectionsComeBack_24_62_63_64_65_66(string mode)
    {
        using var pile = new GraphPile(mode);
        Dictionary<string, int> removed = new(StringComparer.OrdinalIgnoreCase) { ["a"] = 1, ["b"] = 2, ["c"] = 3 };
        removed.Remove("b");
        removed["d"] = 4;
        Dictionary<string, int> dictionary = pile.Twice(removed);
        Assert.Equal(removed.ToArray(), dictionary.ToArray());
        Assert.Equal(1, dictionary["A"]);

        void Same<T>(T value)
            where T : class, IEnumerable
        {
            T got = pile.Twice(value);
            Assert.Equal(value.Cast<object>(), got.Cast<object>());
            Assert.Equal(value.GetType(), got.GetType());
        }

        Same(new Stack<int>([1, 2, 3]));
        Same(new Queue<string>(["x", "y"]));
        Same(new LinkedList<int>([3, 1, 2]));
        Same(new HashSet<Guid> { Guid.NewGuid(), Guid.Empty });
        Same(new SortedSet<string>(["b", "a"], StringComparer.Ordinal));
        Same(new SortedDictionary<int, string> { [2] = "b", [1] = "a" });
        Same(new SortedList<int, string> { [2] = "b", [1] = "a" });
        Same(new OrderedDictionary<string, int> { ["z"] = 1, ["a"] = 2 });
        Same(new ConcurrentQueue<int>([1, 2]));
        Same(new ConcurrentStack<int>([1, 2]));
        Same(new ConcurrentBag<int>([1, 2]));
        Same(new ConcurrentDictionary<int, string> { [1] = "a" });
        Same(new ArrayList { 1, "two", null });
        Same(new Collection<int> { 1, 2 });
        Same(new ObservableCollection<int> { 1, 2 });
        Same(new ReadOnlyCollection<int>([1, 2]));
        Same(ImmutableList.Create(1, 2, 3));
        Same(ImmutableStack.Create(1, 2, 3));
        Same(ImmutableQueue.Create(1, 2, 3));
        Same(ImmutableSortedSet.Create(3, 1, 2));
        Same(ImmutableHashSet.Create("a", "b"));
        Same(ImmutableDictionary<string, int>.Empty.Add("k", 1));
        Same(ImmutableSortedDictionary<string, int>.Empty.Add("k", 1));
        Same(new[] { 1, 2, 3 }.ToFrozenSet());
        Same(Enumerable.Range(0, 500).ToFrozenDictionary(static i => $"key {i}", static i => i));
        Same(new Hashtable { [1] = "one", ["two"] = 2 });
        Same(new BitArray([true, false, true]));
        FrozenDictionary<string, int> frozen = pile.Twice(new Dictionary<string, int> { ["Aa"] = 1 }.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase));
        Assert.Equal(1, frozen["aA"]);

        var queue = new PriorityQueue<string, int>();
        queue.EnqueueRange([("c", 3), ("a", 1), ("b", 2), ("d", 4)]);
        PriorityQueue<string, int> queued = pile.Twice(queue);
        Assert.Equal(queue.UnorderedItems, queued.UnorderedItems);
        Assert.Equal("a", queued.Dequeue());

        ImmutableArray<int>[] arrays = pile.Twice<ImmutableArray<int>[]>([default, [], [1, 2]]);
        Assert.True(arrays[0].IsDefault);
        Assert.True(arrays[1].IsEmpty && !arrays[1].IsDefault);
        Assert.Equal(2, arrays[2][1]);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ArraysOfEveryShapeComeBack_25_To_33(string mode)
    {
        using var pile = new GraphPile(mode);
        Assert.Equal(new[,] { { 1, 2 }, { 3, 4 } }, pile.Twice(new[,] { { 1, 2 }, { 3, 4 } }));
        int[][] jagged = pile.Twice<int[][]>([[1], [], null!]);
        Assert.Equal(1, jagged[0][0]);
        Assert.Null(jagged[2]);
        Assert.Equal(5, pile.Twice(new int[0, 5]).GetLength(1));
        Array bounded = Array.CreateInstance(typeof(int), [2], [5]);
        bounded.SetValue(7, 6);
        var boundedBack = (Array)pile.Twice<object>(bounded);
        Assert.Equal(bounded.GetType(), boundedBack.GetType());
        Assert.Equal(5, boundedBack.GetLowerBound(0));
        Assert.Equal(7, boundedBack.GetValue(6));
        object[] strings = pile.Twice<object[]>(new string[] { "a" });
        Assert.IsType<string[]>(strings);
        var holder = new GraphTypes.Holder { Third = (int[])(object)new uint[] { 5, 6 } };
        Assert.Equal(typeof(uint[]), pile.Twice(holder).Third!.GetType());
        DayOfWeek[] days = (DayOfWeek[])pile.Twice<object>(new[] { DayOfWeek.Friday });
        Assert.Equal(DayOfWeek.Friday, days[0]);
        Assert.Equal(new string?[] { null, "x" }, pile.Twice(new string?[] { null, "x" }));
        object[] mixed = pile.Twice<object[]>([new int[1000], new double[70], new byte[300], Array.Empty<string>(), new bool[65], new char[100]]);
        Assert.Equal(1000, ((int[])mixed[0]).Length);
        Assert.Equal(typeof(double[]), mixed[1].GetType());
        Assert.Equal(typeof(byte[]), mixed[2].GetType());
        Assert.Equal(typeof(string[]), mixed[3].GetType());
        Assert.Equal(typeof(bool[]), mixed[4].GetType());
        Assert.Equal(typeof(char[]), mixed[5].GetType());
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void BoxesKeepTypeAndIdentity_35_36_37_38_40(string mode)
    {
        using var pile = new GraphPile(mode);
        object[] boxes = [(byte)1, (short)2, 3u, 4L, 'c', 1.5f, 2.5, true, DayOfWeek.Monday, 5m, Guid.Empty, new DateTime(5), (Half)2, Int128.MaxValue, new BigInteger(7), (nuint?)null!, TimeSpan.FromDays(1), new Index(3, true), new DateOnly(2020, 1, 2)];
        object[] got = pile.Twice(boxes);
        Assert.Equal(boxes, got);
        Assert.Equal(boxes.Select(static b => b?.GetType()), got.Select(static b => b?.GetType()));

        object box = new KeyValuePair<int, string>(1, "x");
        object[] shared = pile.Twice<object[]>([box, box]);
        Assert.Same(shared[0], shared[1]);
        object[] inner = new object[1];
        object loop = new KeyValuePair<int, object>(1, inner);
        inner[0] = loop;
        object looped = pile.Twice(loop);
        Assert.Same(looped, ((object[])((KeyValuePair<int, object>)looped).Value)[0]);
        Assert.Equal((5, null, "t"), pile.Twice<(int?, int?, string)>((5, null, "t")));
        Assert.Equal((1, 2, 3, 4, 5, 6, 7, "8", 9), pile.Twice((1, 2, 3, 4, 5, 6, 7, "8", 9)));
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void KeysAreHashedWhenTheyAreComplete_14_To_22(string mode)
    {
        using var pile = new GraphPile(mode);
        var map = new Dictionary<GraphTypes.Key, string>();
        var key = new GraphTypes.Key { Name = "n", Owner = map };
        map[key] = "v";
        Dictionary<GraphTypes.Key, string> got = pile.Twice(map);
        Assert.Equal("v", got[got.Keys.First()]);
        Assert.Same(got, got.Keys.First().Owner);

        HashSet<int> set = [1, 2, 3];
        var inner = new Dictionary<GraphTypes.SetKey, string> { [new GraphTypes.SetKey { Set = set }] = "s" };
        object[] both = pile.Twice<object[]>([set, inner]);
        var map2 = (Dictionary<GraphTypes.SetKey, string>)both[1];
        Assert.Same(both[0], map2.Keys.First().Set);
        Assert.Equal("s", map2[new GraphTypes.SetKey { Set = [1, 2, 3] }]);
        object[] reversed = pile.Twice<object[]>([inner, set]);
        Assert.Equal("s", ((Dictionary<GraphTypes.SetKey, string>)reversed[0])[new GraphTypes.SetKey { Set = [1, 2, 3] }]);

        HashSet<object> own = new(ReferenceEqualityComparer.Instance);
        own.Add(own);
        HashSet<object> owned = pile.Twice(own);
        Assert.Contains(owned, owned);
        Assert.Same(ReferenceEqualityComparer.Instance, owned.Comparer);
        var culture = StringComparer.Create(System.Globalization.CultureInfo.GetCultureInfo("de-DE"), System.Globalization.CompareOptions.IgnoreCase);
        Assert.Equal(1, pile.Twice(new SortedDictionary<string, int>(culture) { ["a"] = 1 })["A"]);
        var modulo = new GraphTypes.Modulo { Base = 10 };
        Dictionary<int, string> modular = pile.Twice(new Dictionary<int, string>(modulo) { [3] = "three" });
        Assert.Equal("three", modular[13]);
        Exception refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new SortedSet<int>(Comparer<int>.Create(static (a, b) => b - a)) { 1 }));
        Assert.Contains("Comparer", refused.Message, StringComparison.Ordinal);
    }
}
