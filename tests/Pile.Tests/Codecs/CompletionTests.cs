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
}
