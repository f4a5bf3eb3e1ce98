using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;

namespace Pile.Tests.Codecs;

/// <summary>Types whose collections lead back to them.</summary>
internal static class RingTypes
{
    internal sealed class Person(string name)
    {
        public string Name { get; } = name;

        public HashSet<Person> Friends { get; } = [];

        public override int GetHashCode() => Name.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Person other && other.Name == Name;
    }

    internal sealed class Node(int number)
    {
        public Node? Parent { get; init; }

        public HashSet<Node> Children { get; } = [];

        public int Number { get; } = number;

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is Node other && other.Number == Number && (other.Parent is null) == (Parent is null);
    }

    /// <summary>Equal to itself alone, and found by that whatever is there of it.</summary>
    internal sealed class Neighbour
    {
        public HashSet<Neighbour> All { get; } = [];

        public Dictionary<object, int> Numbers { get; } = [];

        [field: NonSerialized]
        public bool HeardWithAll { get; private set; }

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => HeardWithAll = All.All(other => other.All.Contains(this) && other.Numbers.ContainsKey(this));
    }

    internal sealed class SetKey(HashSet<SetKey> set, int number)
    {
        public HashSet<SetKey> Set { get; } = set;

        public int Number { get; } = number;

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is SetKey other && other.Number == Number && other.Set == Set;
    }

    internal sealed class Stage
    {
        public required HashSet<VersionKey> Set { get; init; }

        public Stage? Next { get; set; }
    }

    internal sealed class VersionKey(HashSet<VersionKey>? first, HashSet<VersionKey>? second)
    {
        public HashSet<VersionKey>? First { get; } = first;

        public HashSet<VersionKey>? Second { get; } = second;

        public override int GetHashCode() => (First?.Count ?? 0) + (Second?.Count ?? 0);

        public override bool Equals(object? obj) => ReferenceEquals(obj, this);
    }

    internal sealed class Product(string name)
    {
        [NonSerialized]
        private string? _sort = name;

        public string Name { get; } = name;

        public string Sort => _sort ?? throw new InvalidOperationException("not called yet");

        public override int GetHashCode() => Sort.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Product other && other.Name == Name;

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => _sort = Name;
    }

    internal sealed record Name(string Text);

    internal sealed record ProductKey(Product Product) : IComparable<ProductKey>
    {
        public int CompareTo(ProductKey? other) => string.CompareOrdinal(Product.Sort, other!.Product.Sort);
    }

    internal sealed record Line(Order? Owner, Product Product)
    {
        public bool Equals(Line? other) => ReferenceEquals(other, this);

        public override int GetHashCode() => Product.GetHashCode();
    }

    internal sealed class Order
    {
        public HashSet<Line> Lines { get; } = [];
    }

    internal sealed class Shop
    {
        public List<Product> Products { get; } = [];

        public Order Order { get; } = new();

        public SortedDictionary<ProductKey, string> Names { get; } = [];

        public Dictionary<(Product, int), string> Prices { get; } = [];
    }

    internal sealed class Tag
    {
        public HashSet<object> Items { get; init; } = [];
    }

    internal sealed class Inner
    {
        public FrozenDictionary<object, int>? Frozen { get; set; }
    }

    internal sealed class Owner
    {
        public FrozenSet<object> Frozen { get; set; } = FrozenSet<object>.Empty;

        public Inner Inner { get; set; } = null!;

        public string? Name { get; set; }

        public override int GetHashCode() => Name!.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Owner other && other.Name == Name;
    }

    internal sealed class FrozenOwner
    {
        public HashSet<Name> Names { get; } = [];

        public List<FrozenSet<OwnedKey>> Sets { get; } = [];
    }

    internal sealed class OwnedKey
    {
        internal OwnedKey(FrozenOwner owner, int number, bool counts)
        {
            (Owner, Number, Counts) = (owner, number, counts);
            Own = [this];
        }

        public FrozenOwner Owner { get; }

        public int Number { get; }

        public bool Counts { get; }

        public HashSet<OwnedKey> Own { get; }

        public override int GetHashCode() => Number + (Counts ? Owner.Names.Count : 0);

        public override bool Equals(object? obj) => obj is OwnedKey other && other.Number == Number;
    }

    internal sealed class Company
    {
        public HashSet<Tagged>? ByTags { get; set; }

        public SortedSet<Team>? Sorted { get; set; }

        public HashSet<Team> Teams { get; } = [];

        public List<Team> Listed { get; } = [];
    }

    internal sealed class Team(Company company)
    {
        public Company Company { get; } = company;

        public Team? Other { get; init; }

        public HashSet<Team> Members { get; } = [];

        public override int GetHashCode() => Members.Count;

        public override bool Equals(object? obj) => ReferenceEquals(obj, this);
    }

    /// <summary>Compared by what an object holds that it only refers to.</summary>
    internal sealed class Tagged(Team team)
    {
        public Team Team { get; } = team;

        public override int GetHashCode() => Team.Members.Count;

        public override bool Equals(object? obj) => obj is Tagged other && other.Team == Team;
    }

    internal sealed class ByCount : IComparer<Team>
    {
        public Company? Company { get; init; }

        public int Compare(Team? x, Team? y) => !Company!.Teams.Contains(x!) ? 0 : x!.Members.Count.CompareTo(y!.Members.Count);
    }
}
