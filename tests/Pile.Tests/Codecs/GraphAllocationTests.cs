using System;
using System.Collections.Generic;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>A Put of types already seen allocates nothing; a Get allocates what building the same graph would, and nothing else.</summary>
public sealed class GraphAllocationTests
{
    private const int Rounds = 50;
    private const int WindowsMax = 400;

    /// <summary>Each builds a graph anew, with nothing left over that the graph does not hold.</summary>
    private static readonly Dictionary<string, Func<object>> _graphs = new()
    {
        ["Person"] = static () => new CaseTypes.Person(New("Ada"), New("ada@example.org"), new DateTime(5), Guid.Empty, 12.5m, 7, true),
        ["Ring of 3"] = static () => CaseTypes.Node.List(3, isRing: true),
        ["Ring of 1000"] = static () => CaseTypes.Node.List(1000, isRing: true),
        ["Typed"] = static () => NewTyped(),
        ["Pairs"] = static () => new CaseTypes.Pair { First = new CaseTypes.Pair { First = New("text"), Second = 5 }, Second = 2.5 },
        ["Array of objects"] = static () => new object[] { new CaseTypes.Node(), New("a"), true, 5L, new CaseTypes.Link { Value = 3 }, 1.5m },
        ["Array of ints"] = static () => new object[] { new int[1000], new int[5], new byte[300], new double[100] },
        ["Array of texts"] = static () => new CaseTypes.Box<string[]> { Value = [New("a"), New("b")] },
        ["Struct of structs"] = static () => new CaseTypes.Twin<CaseTypes.Twin<int?, string>, Guid> { First = new() { First = 5, Second = New("s") } },
        ["List of objects"] = static () => new CaseTypes.Box<List<CaseTypes.Node>> { Value = new List<CaseTypes.Node>(2) { new(), new() } },
        ["List of ints"] = static () => new CaseTypes.Box<List<int>> { Value = new List<int>(3) { 1, 2, 3 } },
        ["Dictionary"] = static () => new CaseTypes.Box<Dictionary<string, int>> { Value = new Dictionary<string, int>(2) { [New("a")] = 1, [New("b")] = 2 } },
        ["Dictionary ignoring case"] = static () => new CaseTypes.Box<Dictionary<string, object>> { Value = new Dictionary<string, object>(1, StringComparer.OrdinalIgnoreCase) { [New("a")] = new CaseTypes.Node() } },
        ["HashSet"] = static () => new CaseTypes.Box<HashSet<int>> { Value = new HashSet<int>(3) { 1, 2, 3 } },
        ["Deep"] = static () => NewDeep(200),
    };

    /// <summary>More that a Put takes without allocating.</summary>
    private static readonly Dictionary<string, Func<object>> _others = new()
    {
        ["Queue"] = static () => new Queue<int>([1, 2]),
        ["Stack"] = static () => new Stack<int>([1, 2]),
        ["SortedSet"] = static () => new SortedSet<string>([New("b"), New("a")], StringComparer.Ordinal),
        ["SortedDictionary"] = static () => new SortedDictionary<int, string> { [2] = New("b"), [1] = New("a") },
        ["SortedList"] = static () => new SortedList<int, string> { [2] = New("b"), [1] = New("a") },
        ["OrderedDictionary"] = static () => new OrderedDictionary<int, string> { [2] = New("b"), [1] = New("a") },
        ["PriorityQueue"] = static () => new PriorityQueue<int, int>([(1, 2), (2, 1)]),
        ["ImmutableList"] = static () => System.Collections.Immutable.ImmutableList.Create(1, 2),
        ["LinkedList"] = static () => new LinkedList<int>([1, 2]),
        ["Two dimensions"] = static () => new int[2, 3],
        ["Enum array"] = static () => new[] { DayOfWeek.Friday },
        ["Nullable array"] = static () => new int?[] { 1, null },
        ["Tuple"] = static () => Tuple.Create(1, "a"),
        ["Values"] = static () => (1, "a", 2L, new DateTime(5)),
        ["BigInteger"] = static () => new CaseTypes.Box<System.Numerics.BigInteger> { Value = System.Numerics.BigInteger.Pow(10, 30) },
        ["Lone surrogate"] = static () => new CaseTypes.Box<string> { Value = "\ud800" },
    };

    public static TheoryData<string> Graphs => [.. _graphs.Keys];

    public static TheoryData<string> PutGraphs => [.. _graphs.Keys, .. _others.Keys];

    [Theory]
    [MemberData(nameof(PutGraphs))]
    public void APutOfTypesAlreadySeenAllocatesNothing(string name)
    {
        using var pile = new CasePile("Emitted", 64 << 20);
        object graph = (_graphs.GetValueOrDefault(name) ?? _others[name])();
        Assert.Equal(0, LeastOf(() =>
        {
            Assert.True(pile.It.Delete(pile.It.Put(graph)));
            return true;
        }));
    }

    [Theory]
    [InlineData(65_536)]
    [InlineData(20_000)]
    public void APutOfALargeGraphAllocatesNothing(int nodes)
    {
        using var pile = new CasePile("Emitted", 64 << 20);
        CaseTypes.Node list = CaseTypes.Node.List(nodes, isRing: true);
        long least = long.MaxValue;
        for (int round = 0; round < 40 && least > 0; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            PilePointer pointer = pile.It.Put(list);
            least = long.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(pile.It.Delete(pointer));
        }

        Assert.Equal(0, least);
    }

    [Theory]
    [MemberData(nameof(Graphs))]
    public void AGetAllocatesTheGraphAndNothingElse(string name)
    {
        using var pile = new CasePile("Emitted", 64 << 20);
        Func<object> build = _graphs[name];
        PilePointer pointer = pile.It.Put(build());
        long built = LeastOf(build);
        long got = LeastOf(() => pile.It.Get<object>(pointer));
        Assert.True(got <= built, $"Get allocates {got:N0} bytes where building the graph takes {built:N0}");
    }

    /// <summary>Bytes that one run allocates, when the runtime has optimised what it does: the least of many windows.</summary>
    private static long LeastOf(Func<object> work)
    {
        long least = long.MaxValue;
        for (int window = 0; window < WindowsMax && least > 0; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < Rounds; round++)
            {
                GC.KeepAlive(work());
            }

            least = long.Min(least, (GC.GetAllocatedBytesForCurrentThread() - before) / Rounds);
        }

        return least;
    }

    private static long LeastOf(Func<bool> work)
    {
        long least = long.MaxValue;
        for (int window = 0; window < WindowsMax && least > 0; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < Rounds; round++)
            {
                Assert.True(work());
            }

            least = long.Min(least, (GC.GetAllocatedBytesForCurrentThread() - before) / Rounds);
        }

        return least;
    }

    private static string New(string text) => new(text.AsSpan());

    private static CaseTypes.Typed NewTyped()
    {
        var node = new CaseTypes.Node();
        int[] array = new int[3];
        List<string> list = new(2) { New("a"), New("b") };
        return new CaseTypes.Typed { First = node, Second = node, Array = array, SameArray = array, List = list, SameList = list };
    }

    private static CaseTypes.Pair NewDeep(int levels)
    {
        var deep = new CaseTypes.Pair();
        for (int level = 0; level < levels; level++)
        {
            deep = new CaseTypes.Pair { First = deep };
        }

        return deep;
    }
}
