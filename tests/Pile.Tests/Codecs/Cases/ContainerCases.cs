using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 62 to 68: the framework's containers.</summary>
public sealed class ContainerCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case062_ImmutableOnesDefaultEmptyAndCyclic(string plan)
    {
        using var pile = new CasePile(plan);
        ImmutableArray<string>[] arrays = pile.Back<ImmutableArray<string>[]>([default, [], ["a"]]);
        Assert.True(arrays[0].IsDefault && arrays[1].IsEmpty && !arrays[1].IsDefault);
        pile.Back(new object[] { ImmutableList<int>.Empty, ImmutableHashSet<string>.Empty, ImmutableSortedSet<int>.Empty, ImmutableDictionary<string, int>.Empty, ImmutableSortedDictionary<int, int>.Empty, ImmutableQueue<int>.Empty, ImmutableStack<int>.Empty });
        pile.Back(ImmutableHashSet.Create<string>(StringComparer.OrdinalIgnoreCase, "a", "b"));
        pile.Back(ImmutableDictionary.Create<string, string>(StringComparer.OrdinalIgnoreCase, StringComparer.Ordinal).Add("Key", "v"));
        pile.Back(ImmutableSortedDictionary.Create<string, int>(StringComparer.Ordinal).Add("b", 1).Add("B", 2));
        pile.Back(ImmutableSortedSet.Create<string>(StringComparer.OrdinalIgnoreCase, "b", "a"));
        pile.Back(ImmutableList.CreateRange(Enumerable.Range(0, 1000)));
        pile.Back(ImmutableDictionary.CreateRange(Enumerable.Range(0, 1000).Select(static n => KeyValuePair.Create($"key {n}", n))));

        var holder = new CaseTypes.Pair();
        foreach (object cyclic in new object[]
        {
            ImmutableList.Create<object>(holder, "x"), ImmutableArray.Create<object>(holder, "x"), ImmutableQueue.Create<object>(holder), ImmutableStack.Create<object>(holder, "x"),
            ImmutableDictionary<string, object>.Empty.Add("a", holder), ImmutableSortedDictionary<string, object>.Empty.Add("a", holder), ImmutableHashSet.Create<object>(holder),
        })
        {
            holder.First = cyclic;
            holder.Second = holder;
            pile.Back(holder);
            pile.Back(cyclic);
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case063_FrozenOnesSmallLargeAndIgnoringCase(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (int count in new[] { 0, 1, 3, 10, 500 })
        {
            pile.Back(Enumerable.Range(0, count).ToFrozenSet());
            pile.Back(Enumerable.Range(0, count).ToFrozenDictionary(static n => n, static n => $"{n}"));
            pile.Back(Enumerable.Range(0, count).ToFrozenDictionary(static n => $"key {n}", static n => (object)n));
            FrozenDictionary<string, int> ignoring = pile.Back(Enumerable.Range(0, count).ToFrozenDictionary(static n => $"key {n}", static n => n, StringComparer.OrdinalIgnoreCase));
            Assert.True(count == 0 || ignoring.ContainsKey("KEY 0"));
            pile.Back(Enumerable.Range(0, count).Select(static n => $"key {n}").ToFrozenSet(StringComparer.OrdinalIgnoreCase));
            pile.Back(Enumerable.Range(0, count).ToFrozenDictionary(static n => new CaseTypes.PlainKey { Number = n }));
        }

        // Keys that are dense but don't begin at zero: a class of its own, which keeps its values twice.
        foreach (int[] keys in new int[][] { [1], [5, 9], [1, 2, 4], [-3, -1] })
        {
            pile.Back(keys.ToFrozenDictionary(static key => key, static key => (object)$"{key}"));
            pile.Back(keys.ToFrozenDictionary(static key => (CaseTypes.Small)(byte)key, static key => (long)key));
            pile.Back(keys.ToFrozenDictionary(static key => (short)key, static key => new CaseTypes.Node { Value = key }));
            pile.Back(keys.ToFrozenDictionary(static key => (ulong)(key + 10), static key => new CaseTypes.Fixed(key, "v")));
        }

        var holder = new CaseTypes.Pair();
        holder.First = new Dictionary<string, object> { ["holder"] = holder }.ToFrozenDictionary();
        pile.Back(holder);
        pile.Back((FrozenDictionary<string, object>)holder.First);
        FrozenSet<string> set = new[] { "a", "b" }.ToFrozenSet();
        object[] shared = pile.Back(new object[] { set, set });
        Assert.Same(shared[0], shared[1]);
        pile.Back(new CaseTypes.Box<FrozenSet<string>> { Value = set });
        pile.Back(new CaseTypes.Box<IReadOnlyDictionary<string, int>> { Value = new Dictionary<string, int> { ["a"] = 1 }.ToFrozenDictionary() });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case064_ConcurrentOnes(string plan)
    {
        using var pile = new CasePile(plan);
        pile.Back(new ConcurrentQueue<string>(["a", "b"]));
        pile.Back(new ConcurrentStack<int>([1, 2, 3]));
        pile.Back(new ConcurrentBag<int>([1, 2, 3]));
        pile.Back(new ConcurrentDictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["a"] = 1 });
        pile.Back(new ConcurrentDictionary<int, object>(Enumerable.Range(0, 300).Select(static n => KeyValuePair.Create(n, (object)$"{n}"))));
        Assert.True(pile.Back(new ConcurrentQueue<string>(["a", "b"])).TryDequeue(out string? first) && first == "a");
        Assert.True(pile.Back(new ConcurrentStack<int>([1, 2])).TryPop(out int top) && top == 2);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case065_APriorityQueue(string plan)
    {
        using var pile = new CasePile(plan);
        var queue = new PriorityQueue<string, (int, string)>();
        for (int index = 0; index < 100; index++)
        {
            queue.Enqueue($"item {index}", (index * 37 % 10, $"{index}"));
        }

        PriorityQueue<string, (int, string)> got = pile.Back(queue);
        while (queue.TryDequeue(out string? item, out _))
        {
            Assert.Equal(item, got.Dequeue());
        }

        PriorityQueue<int, string> ordinal = pile.Back(new PriorityQueue<int, string>([(1, "b"), (2, "A"), (3, "a")], StringComparer.Ordinal));
        Assert.Equal(2, ordinal.Dequeue());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case066_TheOrderOfALinkedList(string plan)
    {
        using var pile = new CasePile(plan);
        LinkedList<string> list = new(["c", "a", "b"]);
        list.AddBefore(list.Last!, "x");
        LinkedList<string> got = pile.Back(list);
        Assert.Equal(["c", "a", "x", "b"], got);
        Assert.Equal("a", got.First!.Next!.Value);
        Assert.Same(got, got.First.List);
        got.AddLast("y");
        Assert.Equal(5, got.Count);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case067_MemoryOverAnArrayAndOverAString(string plan)
    {
        using var pile = new CasePile(plan);
        int[] array = [1, 2, 3, 4, 5];
        string text = new('t', 70);
        object[] got = pile.Back(new object[] { array, array.AsMemory(1, 3), (ReadOnlyMemory<int>)array.AsMemory(2), text, text.AsMemory(3, 5), default(Memory<string>), new ArraySegment<int>(array, 1, 1), "short".AsMemory() });
        ((Memory<int>)got[1]).Span[0] = 77;
        Assert.Equal(77, ((int[])got[0])[1]);
        pile.Back(new CaseTypes.Twin<Memory<byte>, ReadOnlyMemory<char>> { First = new byte[300].AsMemory(7, 9), Second = "chars".AsMemory(1) });
        pile.Back(new CaseTypes.Box<Memory<CaseTypes.Node>> { Value = new CaseTypes.Node[] { new(), new() } });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case068_AReadOnlyCollectionOverASharedList(string plan)
    {
        using var pile = new CasePile(plan);
        List<int> list = [1];
        object[] got = pile.Back(new object[] { list, list.AsReadOnly(), new Collection<int>(list), new ReadOnlyDictionary<int, int>(new Dictionary<int, int> { [1] = 2 }) });
        ((List<int>)got[0]).Add(2);
        Assert.Equal(2, ((IReadOnlyList<int>)got[1]).Count);
        Assert.Equal(2, ((Collection<int>)got[2]).Count);
        ObservableCollection<int> observed = [1, 2];
        observed.CollectionChanged += static (_, _) => { };
        ObservableCollection<int> gotObserved = pile.Back(observed);
        gotObserved.Add(3);
        Assert.Equal(3, gotObserved.Count);
        object[] both = pile.Back(new object[] { gotObserved, new ReadOnlyObservableCollection<int>(gotObserved) });
        ((ObservableCollection<int>)both[0]).Add(4);
        Assert.Equal(4, ((ReadOnlyObservableCollection<int>)both[1])[3]);
    }
}
