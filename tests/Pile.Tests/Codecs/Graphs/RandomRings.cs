using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>Random graphs of collections whose keys lead anywhere: to what holds them, to each other, deeper than stored values nest.
/// What is called leads to nothing that leads back, which is what is promised to be called before.</summary>
internal sealed class RandomRings
{
    private const int ChainMax = 150;
    private readonly Random _random;
    private readonly List<object> _all = [];
    private readonly List<Hearing> _hearing = [];

    internal RandomRings(int seed) => _random = new Random(seed);

    /// <summary>A graph from its root.</summary>
    internal Joint Make()
    {
        List<Joint> joints = [.. Enumerable.Range(0, _random.Next(1, 12)).Select(static number => new Joint { Name = $"joint {number}" })];
        List<Named> named = [.. Enumerable.Range(0, _random.Next(5)).Select(static number => new Named($"named {number}"))];
        for (int index = _random.Next(5); index > 0; index--)
        {
            _hearing.Add(new Hearing($"hearing {index}") { Other = _hearing.LastOrDefault() });
        }

        _all.AddRange([.. joints, .. named, .. _hearing, "text", 5, new string('x', 100)]);
        joints.ForEach(Connect);
        named.ForEach(each => each.Other = _random.Next(2) == 0 ? Any() : null);

        var root = new Joint { Name = "root" };
        Joint last = root;
        for (int index = _random.Next(3) == 0 ? _random.Next(ChainMax) : 0; index > 0; index--)
        {
            var next = new Joint { Name = $"chain {index}", First = _random.Next(4) == 0 ? Any() : null };
            last = (Joint)(last.Second = next);
        }

        last.Second = joints;
        root.First = _random.Next(2) == 0 ? Any() : null;
        return root;
    }

    private object Any() => _all[_random.Next(_all.Count)];

    private bool Chance() => _random.Next(3) == 0;

    private object[] Keys() => [.. Enumerable.Range(0, _random.Next(1, 4)).Select(number => _random.Next(3) switch
    {
        0 when _hearing.Count > 0 => _hearing[_random.Next(_hearing.Count)],
        1 => new Named($"key {number}") { Other = Any() },
        _ => Any(),
    }).Distinct()];

    private void Connect(Joint joint)
    {
        joint.First = Chance() ? Any() : null;
        joint.Set = Chance() ? [.. Keys()] : null;
        joint.Map = Chance() ? Keys().ToDictionary(static key => key, _ => Chance() ? null : Any()) : null;
        joint.Pairs = Chance() ? [.. Keys().Select(static (key, number) => (key, number))] : null;
        joint.Sorted = Chance() ? new SortedSet<Named>(Keys().OfType<Named>(), new ByName { Other = Any() }) : null;
        joint.Frozen = Chance() ? Keys().Where(static key => key is not Joint).ToFrozenSet() : null;
        joint.Second = Chance() ? Any() : null;
        foreach (object? each in new object?[] { joint.Set, joint.Map, joint.Pairs, joint.Sorted })
        {
            if (each is not null)
            {
                _all.Add(each);
            }
        }
    }

    internal sealed class Joint
    {
        public string? Name { get; init; }

        public object? First { get; set; }

        public HashSet<object>? Set { get; set; }

        public Dictionary<object, object?>? Map { get; set; }

        public HashSet<(object, int)>? Pairs { get; set; }

        public SortedSet<Named>? Sorted { get; set; }

        public FrozenSet<object>? Frozen { get; set; }

        public object? Second { get; set; }
    }

    internal sealed class Named(string name)
    {
        public string Name { get; } = name;

        public object? Other { get; set; }

        public override int GetHashCode() => Name.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Named other && other.Name == Name;
    }

    internal sealed class Hearing(string name)
    {
        [NonSerialized]
        private string? _heard = name;

        public string Name { get; } = name;

        public Hearing? Other { get; init; }

        public override int GetHashCode() => _heard is null ? throw new InvalidOperationException("not called yet") : _heard.GetHashCode(StringComparison.Ordinal);

        public override bool Equals(object? obj) => obj is Hearing other && other._heard == _heard;

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => _heard = Name;
    }

    internal sealed class ByName : IComparer<Named>
    {
        public object? Other { get; init; }

        public int Compare(Named? x, Named? y) => string.CompareOrdinal(x!.Name, y!.Name);
    }
}
