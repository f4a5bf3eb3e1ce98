using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 1 to 13: identity, cycles, depth.</summary>
public sealed class ReferenceCases
{
    private const int Million = 1_000_000;
    private const int SmallStackBytes = 128 << 10;

    [Theory]
    [ClassData<CasePlans>]
    public void Case001_AnObjectThatRefersToItself(string plan)
    {
        using var pile = new CasePile(plan);
        CaseTypes.Node got = pile.Back(CaseTypes.Node.List(1, isRing: true));
        Assert.Same(got, got.Next);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case002_ACycleOfTwo(string plan)
    {
        using var pile = new CasePile(plan);
        CaseTypes.Node got = pile.Back(CaseTypes.Node.List(2, isRing: true));
        Assert.Same(got, got.Next!.Next);
        Assert.NotSame(got, got.Next);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case003_AnObjectInTwoFields(string plan)
    {
        using var pile = new CasePile(plan);
        var node = new CaseTypes.Node { Value = 5 };
        CaseTypes.Typed typed = pile.Back(new CaseTypes.Typed { First = node, Second = node });
        Assert.Same(typed.First, typed.Second);
        CaseTypes.Pair pair = pile.Back(new CaseTypes.Pair { First = node, Second = node });
        Assert.Same(pair.First, pair.Second);
        CaseTypes.Typed apart = pile.Back(new CaseTypes.Typed { First = node, Second = new CaseTypes.Node { Value = 5 } });
        Assert.NotSame(apart.First, apart.Second);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case004_AnArrayInTwoFields(string plan)
    {
        using var pile = new CasePile(plan);
        int[] array = new int[100];
        CaseTypes.Typed typed = pile.Back(new CaseTypes.Typed { Array = array, SameArray = array });
        Assert.Same(typed.Array, typed.SameArray);
        CaseTypes.Pair pair = pile.Back(new CaseTypes.Pair { First = array, Second = array });
        Assert.Same(pair.First, pair.Second);
        byte[] bytes = [1, 2];
        pair = pile.Back(new CaseTypes.Pair { First = bytes, Second = bytes });
        Assert.Same(pair.First, pair.Second);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case005_AListInTwoFields(string plan)
    {
        using var pile = new CasePile(plan);
        List<string> list = ["a", "b"];
        CaseTypes.Typed typed = pile.Back(new CaseTypes.Typed { List = list, SameList = list });
        Assert.Same(typed.List, typed.SameList);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case006_AnArrayOfObjectsThatHoldsItself(string plan)
    {
        using var pile = new CasePile(plan);
        object[] loop = new object[3];
        loop[0] = loop;
        loop[2] = loop;
        object[] got = pile.Back(loop);
        Assert.Same(got, got[0]);
        Assert.Same(got, got[2]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case007_AListOfAMillionNodes(string plan)
    {
        using var pile = new CasePile(plan, 512L << 20);
        CaseTypes.Node list = CaseTypes.Node.List(Million);
        Assert.Null(GraphComparer.Difference(list, pile.It.Get<CaseTypes.Node>(pile.It.Put(list))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case008_AMillionListsInsideEachOther(string plan)
    {
        using var pile = new CasePile(plan, 512L << 20);
        List<object> deep = [];
        for (int level = 1; level < Million; level++)
        {
            deep = [deep];
        }

        // Level by level: to compare what each list holds takes many times as long as to store it.
        object read = pile.It.Get<object>(pile.It.Put(deep));
        int levels = 1;
        for (; read is List<object> { Count: 1 } list && levels < Million; levels++)
        {
            read = list[0];
        }

        Assert.Equal(Million, levels);
        Assert.Empty(Assert.IsType<List<object>>(read));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case009_DeepByTheValuesOfDictionaries(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        Dictionary<string, object> deep = [];
        for (int level = 0; level < 100_000; level++)
        {
            deep = new Dictionary<string, object> { ["down"] = deep, ["level"] = level };
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case010_DeepByBoxedStructs(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        object? deep = null;
        for (int level = 0; level < 200_000; level++)
        {
            deep = new CaseTypes.Link { Next = deep, Value = level };
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep!))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case011_AMillionNodesOnAStackOf128KiB(string plan)
    {
        using var pile = new CasePile(plan, 512L << 20);
        CaseTypes.Node list = CaseTypes.Node.List(Million, isRing: true);
        CaseTypes.Node? got = null;
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(() => got = pile.It.Get<CaseTypes.Node>(pile.It.Put(list))), SmallStackBytes);
        thread.Start();
        thread.Join();
        Assert.Null(failure);
        Assert.Null(GraphComparer.Difference(list, got));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case012_AReferenceBackAcrossTheCut(string plan)
    {
        using var pile = new CasePile(plan);
        for (int depth = 50; depth < 75; depth++)
        {
            var shared = new CaseTypes.Pair { First = "shared" };
            object deep = shared;
            for (int level = 0; level < depth; level++)
            {
                deep = new CaseTypes.Pair { First = deep };
            }

            // Met first at the top and again below the cut; and the other way round.
            object[] got = (object[])pile.Back<object>(new object[] { shared, deep, shared });
            Assert.Same(got[0], got[2]);
            got = (object[])pile.Back<object>(new object[] { deep, shared });
            object bottom = got[0];
            for (int level = 0; level < depth; level++)
            {
                bottom = ((CaseTypes.Pair)bottom).First!;
            }

            Assert.Same(got[1], bottom);
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case013_ACycleAcrossTheCut(string plan)
    {
        using var pile = new CasePile(plan);
        for (int nodes = 50; nodes < 140; nodes += 3)
        {
            pile.Back(CaseTypes.Node.List(nodes, isRing: true));
            var bottom = new CaseTypes.Pair();
            CaseTypes.Pair top = bottom;
            for (int level = 0; level < nodes; level++)
            {
                top = new CaseTypes.Pair { First = top, Second = level % 7 == 0 ? bottom : null };
            }

            bottom.First = top;
            pile.Back(top);
        }
    }
}
