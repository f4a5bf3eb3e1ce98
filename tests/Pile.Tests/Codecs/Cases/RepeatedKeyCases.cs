using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Keys that stand twice in what is stored: two that have become equal since they were added, or damage. What Put took, Get
/// gives back: of a key that stands twice, the last value.</summary>
public sealed partial class RepeatedKeyCases
{
    private static readonly ByName _byName = new();

    private static readonly Dictionary<string, Func<KeyValuePair<Label, int>[], IDictionary>> _maps = new()
    {
        ["Dictionary"] = static items => new Dictionary<Label, int>(items),
        ["Dictionary with comparer"] = static items => new Dictionary<Label, int>(items, _byName),
        ["derived Dictionary"] = static items => new Derived(items),
        ["OrderedDictionary"] = static items => new OrderedDictionary<Label, int>(items, _byName),
        ["SortedDictionary"] = static items => new SortedDictionary<Label, int>(items.ToDictionary(), _byName),
        ["SortedList"] = static items => new SortedList<Label, int>(items.ToDictionary()),
        ["ConcurrentDictionary"] = static items => new ConcurrentDictionary<Label, int>(items),
        ["ImmutableDictionary"] = static items => items.ToImmutableDictionary(_byName),
        ["ImmutableSortedDictionary"] = static items => items.ToImmutableSortedDictionary(),
        ["FrozenDictionary"] = static items => (IDictionary)items.ToFrozenDictionary(),
        ["Hashtable"] = static items => new Hashtable(items.ToDictionary()),
    };

    private static readonly Dictionary<string, Func<Label[], IEnumerable<Label>>> _sets = new()
    {
        ["HashSet"] = static items => new HashSet<Label>(items),
        ["HashSet with comparer"] = static items => new HashSet<Label>(items, _byName),
        ["SortedSet"] = static items => new SortedSet<Label>(items, _byName),
        ["ImmutableHashSet"] = static items => items.ToImmutableHashSet(_byName),
        ["ImmutableSortedSet"] = static items => items.ToImmutableSortedSet(),
        ["FrozenSet"] = static items => items.ToFrozenSet(),
    };

    public static TheoryData<string, string> Maps => new(CasePlans.Names.SelectMany(static plan => _maps.Keys.Select(name => (plan, name))));

    public static TheoryData<string, string> Sets => new(CasePlans.Names.SelectMany(static plan => _sets.Keys.Select(name => (plan, name))));

    [Theory]
    [MemberData(nameof(Maps))]
    public void OfKeysThatHaveBecomeEqualTheLastValueComesBack(string plan, string name)
    {
        using var pile = new CasePile(plan);
        Label[] labels = [new("a"), new("b"), new("c")];
        IDictionary map = _maps[name]([.. labels.Select(static (label, index) => new KeyValuePair<Label, int>(label, index + 1))]);
        object before = pile.It.Get<object>(pile.It.Put<object>(map));
        Assert.Equal((map.GetType(), 3), (before.GetType(), ((IDictionary)before).Count));

        labels[1].Name = labels[2].Name = "a";
        int last = map.Cast<object>().Select(static item => item is DictionaryEntry entry ? (int)entry.Value! : ((KeyValuePair<Label, int>)item).Value).Last();
        IDictionary got = (IDictionary)pile.It.Get<object>(pile.It.Put<object>(map));

        Assert.Equal((map.GetType(), 1, last), (got.GetType(), got.Count, (int)got[new Label("a")]!));
    }

    [Theory]
    [MemberData(nameof(Sets))]
    public void OfItemsThatHaveBecomeEqualOneComesBack(string plan, string name)
    {
        using var pile = new CasePile(plan);
        Label[] labels = [new("a"), new("b"), new("c")];
        IEnumerable<Label> set = _sets[name](labels);
        Assert.Equal(3, pile.It.Get<IEnumerable<Label>>(pile.It.Put<object>(set)).Count());

        labels[1].Name = labels[2].Name = "a";
        IEnumerable<Label> got = pile.It.Get<IEnumerable<Label>>(pile.It.Put<object>(set));

        Assert.Equal("a", Assert.Single(got).Name);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void TheSameHoldsForDamagedBytesWhateverTheComparer(string plan)
    {
        foreach (StringComparer? comparer in new[] { null, StringComparer.Ordinal, StringComparer.OrdinalIgnoreCase, StringComparer.InvariantCulture })
        {
            var store = new GraphStore(null, Enum.Parse<PlanMode>(plan));
            byte[] bytes = store.Write(new Dictionary<string, int>(comparer) { ["a"] = 1, ["b"] = 2 });
            int key = bytes.AsSpan().IndexOf([(byte)0xa1, (byte)'b']);
            bytes[key + 1] = (byte)'a';

            Assert.Equal([new("a", 2)], store.Read<Dictionary<string, int>>(bytes));
            Assert.Throws<PileCorruptedException>(() => store.Read<Dictionary<string, int>>([.. bytes[..key], 0xc0, .. bytes[(key + 2)..]]));
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AClassThatMakesTheInterfacesItsOwnIsKeptAllTheSame(string plan)
    {
        using var pile = new CasePile(plan);
        Own map = pile.It.Get<Own>(pile.It.Put(new Own([new(new Label("a"), 1)])));
        Assert.Equal((1, 1), (map.Count, map[new Label("a")]));
        OwnSet set = pile.It.Get<OwnSet>(pile.It.Put(new OwnSet { 1, 2, 3 }));
        Assert.Equal((3, true), (set.Count, set.Contains(2)));
    }

    [PileObject]
    internal sealed partial class Label(string name) : IComparable<Label>, IComparable
    {
        public string Name { get; set; } = name;

        public override bool Equals(object? obj) => obj is Label other && other.Name == Name;

        public override int GetHashCode() => Name.GetHashCode(StringComparison.Ordinal);

        public int CompareTo(Label? other) => string.CompareOrdinal(Name, other?.Name);

        public int CompareTo(object? obj) => CompareTo(obj as Label);
    }

    [PileObject]
    internal sealed partial class ByName : IEqualityComparer<Label>, IComparer<Label>
    {
        public bool Equals(Label? x, Label? y) => x?.Name == y?.Name;

        public int GetHashCode(Label obj) => obj.Name.Length;

        public int Compare(Label? x, Label? y) => string.CompareOrdinal(x?.Name, y?.Name);
    }

    private sealed class Derived(IEnumerable<KeyValuePair<Label, int>> items) : Dictionary<Label, int>(items);

    /// <summary>Shows nothing of its items to those who ask by the interfaces of a map.</summary>
    private sealed class Own(IEnumerable<KeyValuePair<Label, int>> items) : Dictionary<Label, int>(items), IDictionary<Label, int>
    {
        int IDictionary<Label, int>.this[Label key]
        {
            get => throw new InvalidOperationException("asked by an interface");
            set => throw new InvalidOperationException("set by an interface");
        }

        void IDictionary<Label, int>.Add(Label key, int value) => throw new InvalidOperationException("added by an interface");

        IEnumerator<KeyValuePair<Label, int>> IEnumerable<KeyValuePair<Label, int>>.GetEnumerator() => Enumerable.Empty<KeyValuePair<Label, int>>().GetEnumerator();
    }

    private sealed class OwnSet : SortedSet<int>, ICollection<int>
    {
        void ICollection<int>.Add(int item) => throw new InvalidOperationException("added by an interface");

        IEnumerator<int> IEnumerable<int>.GetEnumerator() => Enumerable.Empty<int>().GetEnumerator();
    }
}
