using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Tests.Codecs.Graphs;
using Xunit;
using static Pile.Tests.Codecs.RingTypes;

namespace Pile.Tests.Codecs;

/// <summary>Collections whose keys lead back to them, and what stands around such rings.</summary>
public sealed class RingTests
{
    private const int StackBytes = 256 << 10;
    private const int Many = 20_000;
    private const int Seeds = 400;

    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    /// <summary>With a walk for each set, or a frame of the stack for each, this would not end, or not well.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void ThousandsOfPersonsWithMutualFriendsFitASmallStack(string mode)
    {
        Person[] persons = Persons(new Random(7), Many, 3);
        Person[] got = OnceOnASmallStack(mode, persons);
        for (int index = 0; index < Many; index++)
        {
            Assert.Equal(persons[index].Name, got[index].Name);
            Assert.True(persons[index].Friends.Select(static friend => friend.Name).SequenceEqual(got[index].Friends.Select(static friend => friend.Name)));
            Assert.True(got[index].Friends.All(friend => friend.Friends.Contains(got[index])));
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ATreeOfThousandsOfNodesThatKnowTheirParentsFitsASmallStack(string mode)
    {
        List<Node> nodes = [new Node(0)];
        for (int index = 1; index < Many; index++)
        {
            var node = new Node(index) { Parent = nodes[(index - 1) / 3] };
            node.Parent.Children.Add(node);
            nodes.Add(node);
        }

        int count = 0;
        Stack<Node> open = new([OnceOnASmallStack(mode, nodes[0])]);
        for (; open.TryPop(out Node? node); count++)
        {
            foreach (Node child in node.Children)
            {
                Assert.Same(node, child.Parent);
                Assert.Contains(child, node.Children);
                open.Push(child);
            }
        }

        Assert.Equal(Many, count);
    }

    [Fact]
    public void ThousandsOfSetsInARingFitASmallStack()
    {
        HashSet<SetKey>[] sets = [.. Enumerable.Range(0, Many).Select(static _ => new HashSet<SetKey>())];
        for (int index = 0; index < Many; index++)
        {
            sets[index].Add(new SetKey(sets[(index + 1) % Many], 1));
            sets[index].Add(new SetKey(sets[index], 2));
            sets[index].Add(new SetKey(sets[index / 2], 3));
        }

        HashSet<SetKey>[] got = OnceOnASmallStack("Emitted", sets);
        for (int index = 0; index < Many; index++)
        {
            Assert.Contains(new SetKey(got[(index + 1) % Many], 1), got[index]);
            Assert.Contains(new SetKey(got[index], 2), got[index]);
            Assert.Contains(new SetKey(got[index / 2], 3), got[index]);
        }
    }

    /// <summary>Each set's key leads to the two sets before: a way of one step less for each, and so no ring.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AChainOfVersionsWhoseKeysLeadTwoVersionsBackFitsASmallStack(bool isTheLastFirst)
    {
        Stage? first = null, last = null;
        HashSet<VersionKey>? before = null, twoBefore = null;
        for (int index = 0; index < Many; index++)
        {
            var version = new Stage { Set = [isTheLastFirst ? new VersionKey(before, twoBefore) : new VersionKey(twoBefore, before)] };
            (before, twoBefore) = (version.Set, before);
            first ??= version;
            last?.Next = version;
            last = version;
        }

        int count = 0;
        for (Stage? version = OnceOnASmallStack("Emitted", first!); version is not null; version = version.Next, count++)
        {
            Assert.Contains(version.Set.First(), version.Set);
        }

        Assert.Equal(Many, count);
    }

    /// <summary>Whoever holds whom, all of them have their sets when the first is called.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void KeysThatAreEqualToThemselvesAloneWaitForNothing(string mode)
    {
        using var pile = new GraphPile(mode);
        Neighbour[] all = [.. Enumerable.Range(0, 100).Select(static _ => new Neighbour())];
        for (int index = 0; index < all.Length; index++)
        {
            foreach (int other in new[] { 0, index / 2, (index * 7) % 100, 99 })
            {
                all[index].All.Add(all[other]);
                all[other].All.Add(all[index]);
                all[index].Numbers[all[other]] = other;
                all[other].Numbers[all[index]] = index;
            }
        }

        Neighbour[] got = pile.Twice(all);
        Assert.All(got, static each => Assert.True(each.HeardWithAll));
        HashSet<object> mixed = pile.Twice(new HashSet<object> { 5, "text", DayOfWeek.Friday, 2.5m, (1, "pair"), new Name("x"), got[0].All });
        Assert.True(mixed.SetEquals([5, "text", DayOfWeek.Friday, 2.5m, (1, "pair"), new Name("x"), mixed.Last()]));
        Dictionary<object, int> byReference = pile.Twice(new Dictionary<object, int>(ReferenceEqualityComparer.Instance) { [new Name("a")] = 1, [new Name("a")] = 2 });
        Assert.Equal([1, 2], byReference.Keys.Select(key => byReference[key]));
    }

    /// <summary>A line that is written before its order holds it, and so the collection that it is a key of: it is called all the same.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void AKeyIsCalledWhicheverObjectOfItsRingIsTheRoot(string mode)
    {
        using var pile = new GraphPile(mode);
        var order = new CalledKeyTests.Order();
        CalledKeyTests.Line[] lines = [new(order, "a"), new(order, "b")];
        order.Lines = new Dictionary<CalledKeyTests.Line, int> { [lines[0]] = 1, [lines[1]] = 2 };
        foreach (CalledKeyTests.Order got in new[] { pile.Twice(lines[0]).Order, pile.Twice(lines[1]).Order, pile.Twice(order), (CalledKeyTests.Order)pile.Twice<object[]>([lines[1], order])[1] })
        {
            Assert.Equal(2, got.Count);
            Assert.Equal((1, 2), (got.Lines![new(got, "a")], got.Lines[new(got, "b")]));
        }
    }

    /// <summary>What a ring refers to is whole before anything of the ring is, whatever leads there besides.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void KeysThatARingRefersToAreCalledBeforeTheirCollectionsAreFilled(string mode)
    {
        using var pile = new GraphPile(mode);
        foreach (bool leadsBack in new[] { false, true })
        {
            var shop = new Shop();
            foreach (string name in new[] { "c", "a", "b" })
            {
                var product = new Product(name);
                shop.Products.Add(product);
                shop.Order.Lines.Add(new Line(leadsBack ? shop.Order : null, product));
                shop.Names.Add(new ProductKey(product), name);
                shop.Prices.Add((product, 1), name);
            }

            Shop got = pile.Twice(shop);
            Assert.Equal(["a", "b", "c"], got.Names.Values);
            Assert.All(got.Products, product => Assert.Equal(product.Name, got.Prices[(product, 1)]));
            Assert.All(got.Order.Lines, line => Assert.Contains(line.Product, got.Products));
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ASetInAKeyOfAFrozenCollectionIsFilledAgainWhenItsItemsAreThere(string mode)
    {
        using var pile = new GraphPile(mode);
        var owner = new Owner { Name = "x", Inner = new Inner() };
        owner.Frozen = new object[] { new Tag { Items = [owner] } }.ToFrozenSet();
        owner.Inner.Frozen = new Dictionary<object, int> { [new Tag { Items = [owner, "text"] }] = 1 }.ToFrozenDictionary();
        Owner got = pile.Twice(owner);
        HashSet<object> items = ((Tag)got.Frozen.Items[0]).Items;
        Assert.Contains(got, items);
        Assert.Single(items);
        items = ((Tag)got.Inner.Frozen!.Keys[0]).Items;
        Assert.Contains(got, items);
        Assert.Equal(2, items.Count);
        Assert.Contains(got.Frozen.Items[0], (ISet<object>)got.Frozen);
        Assert.Equal(1, got.Inner.Frozen[got.Inner.Frozen.Keys[0]]);
    }

    /// <summary>Each leads to the owner, and so to all that stand before it in the list: 20,000 times over all of these would not end today.</summary>
    [Fact]
    public void ThousandsOfFrozenSetsThatLeadToTheirOwnerAreNoReasonToGoOverItForEach()
    {
        var owner = new FrozenOwner();
        owner.Names.UnionWith([new Name("a"), new Name("b")]);
        owner.Sets.AddRange(Enumerable.Range(0, Many).Select(number => new[] { new OwnedKey(owner, number, counts: number < 10) }.ToFrozenSet()));
        FrozenOwner got = OnceOnASmallStack("Emitted", owner);
        Assert.Equal(Many, got.Sets.Count);
        for (int number = 0; number < Many; number++)
        {
            OwnedKey key = got.Sets[number].Items[0];
            Assert.Contains(key, (ISet<OwnedKey>)got.Sets[number]);
            Assert.True(key.Own.Contains(key) && key.Owner == got, $"key {number}");
        }

        Assert.Contains(new Name("b"), got.Names);
    }

    /// <summary>A key's hash code that comes of what its own set holds: inner sets first, however the object with the set came to be written.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void KeysWhoseHashCodesCountTheirOwnSetsAreFound(string mode)
    {
        using var pile = new GraphPile(mode);
        for (int depth = 0; depth < 130; depth += 13)
        {
            var company = new Company();
            var named = new Team(company);
            for (int index = 0; index < 5; index++)
            {
                var team = new Team(company);
                team.Members.UnionWith(Enumerable.Range(0, index).Select(_ => new Team(company) { Other = named }));
                company.Listed.Add(team);
            }

            // By reference, as they stand in the list; sorted ones ask a comparer that leads to all.
            company.Teams.UnionWith(company.Listed);
            company.ByTags = new HashSet<Tagged>(company.Listed.Select(team => new Tagged(team))) { new(named) };
            company.Sorted = new SortedSet<Team>(company.Listed, new ByCount { Company = company });
            object deep = company;
            for (int level = 0; level < depth; level++)
            {
                deep = new object[] { deep };
            }

            object got = pile.Once(deep);
            while (got is object[] array)
            {
                got = array[0];
            }

            Company read = (Company)got;
            Assert.Equal(5, read.Teams.Count);
            Assert.All(read.Listed, team => Assert.Contains(team, read.Teams));
            Assert.All(read.Listed, team => Assert.Contains(new Tagged(team), read.ByTags!));
            Assert.Equal([0, 1, 2, 3, 4], read.Sorted!.Select(static team => team.Members.Count));
        }
    }

    /// <summary>Random graphs of all of these come back equal, and each collection finds what it holds.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void RandomGraphsFindTheirKeys(string mode)
    {
        using var pile = new GraphPile(mode);
        int kept = 0;
        for (int seed = 0; seed < Seeds; seed++)
        {
            object graph = new RandomRings(seed).Make();
            object got;
            try
            {
                got = pile.Once(graph);
            }
            catch (PileRefusedException)
            {
                continue;
            }

            kept++;
            string? difference = GraphComparer.Difference(graph, got);
            Assert.True(difference is null, $"seed {seed}: {difference}");
        }

        Assert.True(kept > Seeds / 2, $"{kept} graphs were kept");
    }

    private static T OnceOnASmallStack<T>(string mode, T value)
        where T : notnull
    {
        using var pile = new GraphPile(mode, PileOptions.Tiny with { MemoryLimitBytes = 256 << 20 });
        Exception? failure = null;
        T? got = default;
        var thread = new Thread(() => failure = Record.Exception(() => got = pile.Once(value)), StackBytes);
        thread.Start();
        thread.Join();
        Assert.Null(failure);
        return got!;
    }

    private static Person[] Persons(Random random, int count, int friends)
    {
        Person[] persons = [.. Enumerable.Range(0, count).Select(static number => new Person($"person {number}"))];
        foreach (Person person in persons)
        {
            for (int index = 0; index < friends; index++)
            {
                Person friend = persons[random.Next(count)];
                person.Friends.Add(friend);
                friend.Friends.Add(person);
            }
        }

        return persons;
    }
}
