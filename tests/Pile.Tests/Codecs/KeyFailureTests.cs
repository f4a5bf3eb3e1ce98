using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Keys that can't be hashed or compared when their collection is filled, and frozen collections that could not find theirs.</summary>
public sealed class KeyFailureTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void AKeyThatNeedsWhatIsNotThereYetIsATypedError(string mode)
    {
        using var pile = new GraphPile(mode);
        var own = new Heard("own");
        own.Set.Add(own);
        AssertFails<HashSet<Heard>, NullReferenceException>(pile, own, "keep a list");
        own.Set.Clear();
        own.Sorted.Add(own);
        own.Sorted.Add(new Heard("other"));
        AssertFails<SortedSet<Heard>, NullReferenceException>(pile, own, "keep a list");
        own.Sorted.Clear();
        own.Frozen = new[] { new Asking(own) }.ToFrozenSet();
        AssertFails<FrozenSet<Asking>, NullReferenceException>(pile, own, "keep a HashSet or a Dictionary");
        own.Frozen = null;
        own.FrozenMap = new Dictionary<Asking, int> { [new(own)] = 1 }.ToFrozenDictionary();
        AssertFails<FrozenDictionary<Asking, int>, NullReferenceException>(pile, own, "keep a HashSet or a Dictionary");
        own.FrozenMap = null;
        Assert.Equal("own", pile.Twice(own).Name);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AnObjectAroundAFrozenCollectionIsNoKeyOfIt(string mode)
    {
        using var pile = new GraphPile(mode);
        for (int depth = 0; depth < 130; depth += 13)
        {
            var around = new Around { Name = "x" };
            around.Held = [null, new object?[] { new[] { new Around { Name = "y" }, around }.ToFrozenSet() }];
            AssertRefusedOrFound(pile, Deep(around, depth), depth, static got => ((FrozenSet<Around>)((object?[])got.Held[1]!)[0]!).Contains(got));
            around.Held = [new Dictionary<Around, int> { [around] = 1 }.ToFrozenDictionary()];
            AssertRefusedOrFound(pile, Deep(around, depth), depth, static got => ((FrozenDictionary<Around, int>)got.Held[0]!).ContainsKey(got));

            // By reference, or beside it, or in a collection that can wait, or whose key only refers to it.
            around.Held = [new[] { around }.ToFrozenSet<object>(ReferenceEqualityComparer.Instance), new object()];
            Around twice = pile.Twice(around);
            Assert.Contains(twice, (ISet<object>)twice.Held[0]!);
            around.Held = [new HashSet<Around> { around }, new[] { new Plain { Held = around } }.ToFrozenSet()];
            Around got = pile.Once(around);
            Assert.Contains(got, (HashSet<Around>)got.Held[0]!);
            FrozenSet<Plain> plain = (FrozenSet<Plain>)got.Held[1]!;
            Assert.Same(got, plain.Items[0].Held);
            var beside = new Around { Name = "z", Held = [around] };
            object?[] both = pile.Once<object?[]>([beside, new[] { beside, around }.ToFrozenSet()]);
            Assert.Contains((Around)both[0]!, (ISet<Around>)both[1]!);
            var self = new Plain();
            self.Set = new[] { self }.ToFrozenSet();
            Plain alone = pile.Once(self);
            Assert.Contains(alone, (ISet<Plain>)alone.Set!);
        }
    }

    /// <summary>Nobody knows what a comparer of the program's needs of a key that is not read to its end.</summary>
    [Theory]
    [MemberData(nameof(Modes))]
    public void AnObjectAroundAFrozenCollectionIsNoKeyOfItByAComparerOfTheProgram(string mode)
    {
        using var pile = new GraphPile(mode);
        var word = new Plain { Held = 1 };
        var other = new Plain { Held = 2 };
        other.Set = new[] { word, other }.ToFrozenSet(new ByHeld());
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new object[] { word, other }));
        Assert.Contains("KeyFailureTests.Plain", refused.Message.Replace('+', '.'), StringComparison.Ordinal);
        other.Set = new[] { word, other }.ToFrozenSet((IEqualityComparer<Plain>)ReferenceEqualityComparer.Instance);
        Assert.Equal(2, ((Plain)pile.Once(new object[] { word, other })[1]).Set!.Count);
        other.Set = new[] { word, new Plain { Held = 2 } }.ToFrozenSet(new ByHeld());
        Assert.Contains(new Plain { Held = 2 }, (ISet<Plain>)((Plain)pile.Once(new object[] { word, other })[1]).Set!);
    }

    private static object Deep(object value, int depth)
    {
        for (; depth > 0; depth--)
        {
            value = new object[] { value };
        }

        return value;
    }

    /// <summary>What stands deep is put off to the end: with what is around it, or alone, and then that is read before.</summary>
    private static void AssertRefusedOrFound(GraphPile pile, object value, int depth, Predicate<Around> finds)
    {
        PileRefusedException refused;
        try
        {
            object got = pile.Once(value);
            while (got is object[] array)
            {
                got = array[0];
            }

            Assert.True(depth is > 26 and < 100 && finds((Around)got), $"{depth} arrays around it");
            return;
        }
        catch (PileRefusedException failure)
        {
            refused = failure;
        }

        Assert.Contains("KeyFailureTests", refused.Message, StringComparison.Ordinal);
        Assert.Contains("ReferenceEqualityComparer", refused.Message, StringComparison.Ordinal);
        Assert.NotEmpty(refused.GraphPath);
    }

    private static void AssertFails<TCollection, TCause>(GraphPile pile, Heard value, string way)
        where TCause : Exception
    {
        PilePointer pointer = pile.Pile.Put(value);
        PileTypeMismatchException failed = Assert.Throws<PileTypeMismatchException>(() => pile.Pile.Get<Heard>(pointer));
        Assert.IsType<TCause>(failed.InnerException);
        Assert.Contains(typeof(TCollection).Name.Split('`')[0], failed.Message, StringComparison.Ordinal);
        Assert.Contains(way, failed.Message, StringComparison.Ordinal);
    }

    internal sealed class Around
    {
        public string? Name { get; set; }

        public object?[] Held { get; set; } = [];

        public override int GetHashCode() => Name?.GetHashCode(StringComparison.Ordinal) ?? 0;

        public override bool Equals(object? obj) => obj is Around other && other.Name == Name;
    }

    internal sealed class ByHeld : IEqualityComparer<Plain>
    {
        public bool Equals(Plain? x, Plain? y) => Equals(x?.Held, y?.Held);

        public int GetHashCode(Plain obj) => obj.Held?.GetHashCode() ?? 0;
    }

    internal sealed class Plain
    {
        public object? Held { get; set; }

        public FrozenSet<Plain>? Set { get; set; }
    }

    /// <summary>Holds collections that it is itself a key of, which so can't wait for its callback.</summary>
    internal sealed class Heard(string name) : IComparable<Heard>
    {
        [NonSerialized]
        private string? _heard = name;

        public HashSet<Heard> Set { get; } = [];

        public SortedSet<Heard> Sorted { get; } = [];

        public FrozenSet<Asking>? Frozen { get; set; }

        public FrozenDictionary<Asking, int>? FrozenMap { get; set; }

        public string Name { get; } = name;

        public string Text => _heard!.ToUpperInvariant();

        public override int GetHashCode() => Text.Length;

        public override bool Equals(object? obj) => obj is Heard other && other.Text == Text;

        public int CompareTo(Heard? other) => string.CompareOrdinal(Text, other!.Text);

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => _heard = Name;
    }

    internal sealed class Asking(Heard of)
    {
        public Heard Of { get; } = of;

        public override int GetHashCode() => Of.GetHashCode();

        public override bool Equals(object? obj) => obj is Asking other && other.Of == Of;
    }
}
