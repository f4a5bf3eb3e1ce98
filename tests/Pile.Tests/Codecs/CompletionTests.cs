using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What is filled last, and after what.</summary>
public sealed class CompletionTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Fact]
    public void KeysThatAllReferToOneLargeObjectAreNoReasonToGoOverItForEach()
    {
        // 100,000 times over 400,000 values: this would end, but not today.
        const int Keys = 100_000;
        var settings = new Settings { Lines = [.. Enumerable.Repeat("x", 400_000)] };
        var store = new GraphStore();
        byte[] bytes = store.Write(new Root { Settings = settings, Items = [.. Enumerable.Range(0, Keys).Select(number => new Item(settings, number))] });
        Root got = store.Read<Root>(bytes);
        Assert.Equal(Keys, got.Items!.Count);
        Assert.Contains(new Item(got.Settings!, Keys - 1), got.Items);
        Assert.Equal(400_000, got.Settings!.Lines!.Length);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AComparerThatLooksIntoAnotherCollectionFindsItFilled(string mode)
    {
        using var pile = new GraphPile(mode);
        foreach (int depth in new[] { 0, 1, 55, 57, 59, 61, 63, 65, 100 })
        {
            var ranked = new Ranked();
            ranked.Ranks.Add(new Name("a"), 2);
            ranked.Ranks.Add(new Name("b"), 1);
            ranked.Sorted = new SortedSet<string>(new ByRank { Owner = ranked }) { "a", "b" };
            ranked.SortedLast = new SortedDictionary<string, int>(ranked.Sorted.Comparer) { ["b"] = 5, ["a"] = 6 };
            object deep = ranked;
            for (int level = 0; level < depth; level++)
            {
                deep = new object[] { deep };
            }

            object got = pile.Twice(deep);
            for (int level = 0; level < depth; level++)
            {
                got = ((object[])got)[0];
            }

            Assert.Equal(["b", "a"], ((Ranked)got).Sorted!);
            Assert.Equal([5, 6], ((Ranked)got).SortedLast!.Values);
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AComparerOfAFrozenCollectionThatLooksIntoAnotherFindsItFilled(string mode)
    {
        using var pile = new GraphPile(mode);
        var odd = new OddOnes();
        odd.Names.UnionWith(Enumerable.Range(0, 50).Where(static number => number % 2 == 1).Select(static number => new Name($"{number}")));
        FrozenSet<int> set = pile.Twice(Enumerable.Range(0, 50).ToFrozenSet(odd));
        FrozenDictionary<int, string> map = pile.Twice(Enumerable.Range(0, 50).ToFrozenDictionary(static number => number, static number => $"{number}", odd));
        for (int number = 0; number < 50; number++)
        {
            Assert.Contains(number, (IReadOnlySet<int>)set);
            Assert.Equal($"{number}", map[number]);
        }
    }

    [Fact]
    public void ThousandsOfComparersThatReferToTheRootAreFollowedOnce()
    {
        using var pile = new GraphPile("Emitted");
        var ranked = new Ranked();
        ranked.Ranks.Add(new Name("a"), 2);
        ranked.Ranks.Add(new Name("b"), 1);
        ranked.Many.AddRange(Enumerable.Range(0, 20_000).Select(_ => new SortedSet<string>(new ByRank { Owner = ranked }) { "a", "b" }));
        Ranked got = pile.Once(ranked);
        Assert.Equal(20_000, got.Many.Count);
        Assert.All(got.Many, static sorted => Assert.Equal("b", sorted.Min));
    }

    [Fact]
    public void FrozenSetsThatAllReferToOneLargeObjectAreNoReasonToGoOverItForEach()
    {
        // 20,000 times over 400,000 values, and over the sets before, which wait.
        const int Sets = 20_000;
        var settings = new Settings { Lines = [.. Enumerable.Repeat("x", 400_000)] };
        var store = new GraphStore();
        byte[] bytes = store.Write(new FrozenRoot
        {
            Settings = settings,
            Items = [new Item(settings, 0)],
            Sets = [.. Enumerable.Range(0, Sets).Select(number => new[] { new Item(settings, number) }.ToFrozenSet())],
        });
        FrozenRoot got = store.Read<FrozenRoot>(bytes);
        Assert.Equal(Sets, got.Sets!.Length);
        Assert.All(got.Sets, (set, number) => Assert.Contains(new Item(got.Settings!, number), (ISet<Item>)set));
        Assert.Contains(new Item(got.Settings!, 0), got.Items!);
    }

    /// <summary>Keys are compared by what they refer to, which must be whole by then, the more so when an earlier set's key led there before it was.</summary>
    [Fact]
    public void AFrozenSetWhoseKeysReferToWhatIsStillBeingReadIsFilledByThatWhenItIs()
    {
        var around = new Around { Early = [] };
        around.First = new[] { new AroundKey(around, 1) }.ToFrozenSet();
        around.Late = ["a", "b"];
        around.Second = new[] { new AroundKey(new Around { Late = around.Late }, 2) }.ToFrozenSet();
        var store = new GraphStore();
        Around got = store.Read<Around>(store.Write(around));
        Assert.Contains(got.Second!.Items[0], (ISet<AroundKey>)got.Second);
        Assert.Equal(2, got.Second.Items[0].Target.Late!.Count);
        Assert.Same(got, got.First!.Items[0].Target);
    }

    internal sealed class FrozenRoot
    {
        public Settings? Settings { get; set; }

        public HashSet<Item>? Items { get; set; }

        public FrozenSet<Item>[]? Sets { get; set; }
    }

    internal sealed class Around
    {
        public HashSet<string>? Early { get; set; }

        public FrozenSet<AroundKey>? First { get; set; }

        public HashSet<string>? Late { get; set; }

        public FrozenSet<AroundKey>? Second { get; set; }
    }

    internal sealed class AroundKey(Around target, int number)
    {
        public Around Target { get; } = target;

        public int Number { get; } = number;

        public override bool Equals(object? obj) => obj is AroundKey other && other.Number == Number;

        public override int GetHashCode() => Number + (Number == 2 ? Target.Late!.Count : 0);
    }

    internal sealed class Settings
    {
        public string[]? Lines { get; set; }
    }

    internal sealed record Item(Settings Settings, int Number);

    internal sealed class Root
    {
        public Settings? Settings { get; set; }

        public HashSet<Item>? Items { get; set; }
    }

    internal sealed record Name(string Text);

    internal sealed class Ranked
    {
        public SortedSet<string>? Sorted { get; set; }

        public List<SortedSet<string>> Many { get; } = [];

        public Dictionary<Name, int> Ranks { get; } = [];

        public SortedDictionary<string, int>? SortedLast { get; set; }
    }

    internal sealed class ByRank : IComparer<string>
    {
        public Ranked? Owner { get; init; }

        public int Compare(string? x, string? y) => Owner!.Ranks[new Name(x!)].CompareTo(Owner.Ranks[new Name(y!)]);
    }

    /// <summary>Its hash codes depend on a set whose items are no single values.</summary>
    private sealed class OddOnes : IEqualityComparer<int>
    {
        public HashSet<Name> Names { get; } = [];

        public bool Equals(int left, int right) => left == right;

        public int GetHashCode(int number) => Names.Contains(new Name($"{number}")) ? number + 1000 : number;
    }
}
