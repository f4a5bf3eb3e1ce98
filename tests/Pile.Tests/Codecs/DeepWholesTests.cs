using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Frozen collections of objects, which must stand where they are, in graphs that nest deeper than what is stored may.</summary>
public sealed class DeepWholesTests
{
    private const int Nodes = 1000;

    [Theory]
    [InlineData("Reflection", 0)]
    [InlineData("Emitted", 0)]
    [InlineData("Reflection", 3)]
    [InlineData("Emitted", 3)]
    [InlineData("Emitted", 15)]
    public void ADeepListOfNodesWithFrozenCollectionsOfObjectsIsKept(string mode, int inner)
    {
        using var pile = new GraphPile(mode);
        Node? first = null;
        for (int index = 0; index < Nodes; index++)
        {
            first = new Node
            {
                Next = first,
                Keys = new HashSet<Key> { Key.Of(index, inner), Key.Of(-index - 1, inner) }.ToFrozenSet(),
                Map = new Dictionary<Key, object> { [Key.Of(index, inner)] = "value" }.ToFrozenDictionary(),
                Any = new HashSet<object> { Key.Of(index, inner), "text" }.ToFrozenSet(),
            };
        }

        Node? read = pile.Twice(first!);
        for (Node? node = first; node is not null; node = node.Next, read = read.Next)
        {
            Assert.NotNull(read);
            Assert.True(node.Keys.SetEquals(read.Keys));
            Assert.Equal("value", read.Map[node.Map.Keys[0]]);
            Assert.Equal(2, ((FrozenSet<object>)read.Any!).Count);
            Assert.True(((FrozenSet<object>)node.Any!).SetEquals((FrozenSet<object>)read.Any));
        }

        Assert.Null(read);
    }

    [Fact]
    public void AnItemThatHoldsMoreThanThereAreLevelsIsRefusedWithTheLimitAndTheWayOut()
    {
        using var pile = new GraphPile("Reflection");
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Twice(new HashSet<Key> { Key.Of(1, 100) }.ToFrozenSet()));
        Assert.Contains("64 levels (NestingMax)", refused.Message, System.StringComparison.Ordinal);
        Assert.Contains("HashSet", refused.Message, System.StringComparison.Ordinal);
        Assert.Contains("Nothing was stored", refused.Message, System.StringComparison.Ordinal);
    }

    /// <summary>Wherever a long list is cut, and its rest put off to the end, keys that refer to what stands at the cut are found.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void KeysThatReferToWhatWouldBePutOffAreFound(string mode)
    {
        using var pile = new GraphPile(mode);
        for (int length = 50; length < 130; length++)
        {
            var end = new Name("seven");
            Link? first = null;
            for (int index = 0; index < length; index++)
            {
                first = new Link { Name = index == 0 ? end : null, Next = first };
            }

            Named got = pile.Once(new Named
            {
                First = first,
                Keys = Enumerable.Range(10, 20).Select(static number => new NameKey(new Name(new string('n', number)), null)).Append(new NameKey(end, [end])).ToFrozenSet(),
                Map = new Dictionary<NameKey, int> { [new NameKey(end, null)] = length }.ToFrozenDictionary(),
            });
            Assert.Contains(new NameKey(new Name("seven"), null), (ISet<NameKey>)got.Keys);
            Assert.Equal(length, got.Map[new NameKey(new Name("seven"), null)]);
            Link last = got.First!;
            while (last.Next is { } next)
            {
                last = next;
            }

            NameKey key = got.Map.Keys[0];
            Assert.Same(last.Name, key.Name);
            Assert.All(got.Keys.Where(static each => each.Names is not null), each => Assert.Contains(last.Name!, each.Names!));
        }
    }

    /// <summary>Keys that are compared by reference need nothing of what was put off, wherever the list is cut. The 59th is the first behind the cut.</summary>
    [Fact]
    public void ASetOfTheFirstNodesOfALongListIsKept()
    {
        using var pile = new GraphPile("Emitted");
        for (int many = 30; many <= 58; many++)
        {
            Link? first = null;
            for (int index = 0; index < Nodes; index++)
            {
                first = new Link { Next = first };
            }

            List<Link> links = [];
            for (Link? link = first; links.Count < many; link = link!.Next)
            {
                links.Add(link!);
            }

            (Link got, FrozenSet<Link> set) = pile.Once((first!, links.ToFrozenSet()));
            Assert.Equal(many, set.Count);
            Assert.Contains(got, (ISet<Link>)set);
        }
    }

    /// <summary>A key that was put off itself has no hash code when the collection is made, nor has a comparer what it compares by.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void AKeyOrAComparerThatWouldBePutOffIsFoundOrRefused(string mode)
    {
        using var pile = new GraphPile(mode);
        int kept = 0;
        int refusals = 0;
        for (int length = 40; length < 140; length += 3)
        {
            Numbered? first = null;
            List<Numbered> all = [];
            for (int index = 0; index < length; index++)
            {
                all.Add(first = new Numbered { Next = first, Number = index + 1, Comparer = index == 0 ? new ByNumber { Factor = 3 } : null });
            }

            foreach (Numbered[] keys in (Numbered[][])[[.. all], [.. all.Where(static (_, index) => index % 7 == 3)], [all[^1]]])
            {
                foreach (ByNumber? comparer in (ByNumber?[])[null, new ByNumber { Factor = 5 }, all[0].Comparer])
                {
                    try
                    {
                        (Numbered got, FrozenDictionary<Numbered, int> map, object?[] sets) = pile.Once(
                            (first!, keys.ToFrozenDictionary(static key => key, static key => key.Number, comparer), new object?[] { keys.ToFrozenSet(comparer) }));
                        Assert.Equal(keys.Length, map.Count(static entry => entry.Key.Number == entry.Value));
                        Assert.All(map.Keys, key => Assert.True(map.ContainsKey(key)));
                        Assert.Equal(keys.Length, ((FrozenSet<Numbered>)sets[0]!).Count(((FrozenSet<Numbered>)sets[0]!).Contains));
                        Assert.Equal(length, got.Number);
                        kept++;
                    }
                    catch (PileRefusedException refused)
                    {
                        Assert.Contains("HashSet", refused.Message, System.StringComparison.Ordinal);
                        refusals++;
                    }
                }
            }
        }

        Assert.True(kept > 60 && refusals > 60, $"{kept} kept, {refusals} refused");
    }

    internal sealed class Numbered
    {
        public Numbered? Next { get; init; }

        public int Number { get; init; }

        public ByNumber? Comparer { get; init; }

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is Numbered other && other.Number == Number;
    }

    internal sealed class ByNumber : IEqualityComparer<Numbered>
    {
        public int Factor { get; init; }

        public bool Equals(Numbered? x, Numbered? y) => x?.Number * Factor == y?.Number * Factor;

        public int GetHashCode(Numbered obj) => obj.Number * Factor;
    }

    internal sealed class Named
    {
        public Link? First { get; init; }

        public required FrozenSet<NameKey> Keys { get; init; }

        public required FrozenDictionary<NameKey, int> Map { get; init; }
    }

    internal sealed class Link
    {
        public Name? Name { get; init; }

        public Link? Next { get; init; }
    }

    internal sealed record Name(string Text);

    internal sealed class NameKey(Name name, HashSet<Name>? names)
    {
        public Name Name { get; } = name;

        public HashSet<Name>? Names { get; } = names;

        public override int GetHashCode() => Name.Text?.Length ?? 0;

        public override bool Equals(object? obj) => obj is NameKey other && other.Name == Name;
    }

    internal sealed class Node
    {
        public FrozenSet<Key> Keys { get; init; } = FrozenSet<Key>.Empty;

        public FrozenDictionary<Key, object> Map { get; init; } = FrozenDictionary<Key, object>.Empty;

        public object? Any { get; init; }

        public Node? Next { get; init; }
    }

    internal sealed record Key(int Number, Key? Inner)
    {
        internal static Key Of(int number, int inner) => Enumerable.Range(0, inner).Aggregate(new Key(number, null), static (key, index) => new Key(index, key));
    }
}
