using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Collections.Specialized;
using System.Linq;
using System.Runtime.Serialization;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>What the list of cases does not name, and programs have.</summary>
public sealed partial class MoreCases
{
    private const int Deep = 30_000;

    [Theory]
    [ClassData<CasePlans>]
    public void DeepBySetsOfSets(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        HashSet<object> deep = [];
        for (int level = 0; level < Deep; level++)
        {
            deep = [deep];
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void DeepByKeysOfDictionaries(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        var deep = new Dictionary<object, object>();
        for (int level = 0; level < Deep; level++)
        {
            deep = new Dictionary<object, object> { [deep] = level };
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void DeepByObjectsThatSerializeThemselves(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        var deep = new ProtocolCases.Protocol("bottom", []);
        for (int level = 0; level < Deep; level++)
        {
            deep = new ProtocolCases.Protocol("level", [deep]);
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep))));
        Exception inner = new InvalidOperationException("bottom");
        for (int level = 0; level < 500; level++)
        {
            inner = new InvalidOperationException("level", inner);
        }

        pile.Back(inner);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void DeepByImmutableContainers(string plan)
    {
        using var pile = new CasePile(plan, 256L << 20);
        object deep = "bottom";
        for (int level = 0; level < Deep; level++)
        {
            deep = (level % 5) switch
            {
                0 => ImmutableList.Create(deep),
                1 => ImmutableArray.Create(deep),
                2 => ImmutableDictionary<string, object>.Empty.Add("k", deep),
                3 => ImmutableStack.Create(deep),
                _ => ImmutableQueue.Create(deep),
            };
        }

        Assert.Null(GraphComparer.Difference(deep, pile.It.Get<object>(pile.It.Put(deep))));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void ContainersThatProgramsDeriveFrom(string plan)
    {
        using var pile = new CasePile(plan);
        var map = new NamedMap("map") { ["a"] = 1 };
        map.Self = map;
        NamedMap got = pile.Back(map);
        Assert.Same(got, got.Self);
        Assert.Equal(("map", 1), (got.Name, got["A"]));
        pile.Back(new NamedSet { "x", "y" });
        pile.Back(new NamedCollection { "x" });
        Keyed keyed = pile.Back(new Keyed { new CaseTypes.PlainKey { Number = 5 }, new CaseTypes.PlainKey { Number = 6 } });
        Assert.Equal(6, keyed[6].Number);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void OlderContainers(string plan)
    {
        using var pile = new CasePile(plan);
        object[] containers =
        [
            new SortedList { ["b"] = 1, ["a"] = 2 }, new Queue(new object[] { 1, "b" }), new Stack(new object[] { 1, "b" }), new ArrayList { 1 }, new BitArray(0), new BitArray(33, true), new Hashtable(StringComparer.OrdinalIgnoreCase) { ["A"] = 1 },
            new ListDictionary { ["a"] = 1 }, new HybridDictionary { ["a"] = 1 }, new StringCollection { "a" }, new System.Collections.Specialized.OrderedDictionary { ["a"] = 1 },
        ];
        foreach (object container in containers)
        {
            pile.Back(container);
        }

        NameValueCollection values = new() { ["a"] = "1" };
        values.Add("a", "2");
        var got = (NameValueCollection)pile.It.Get<object>(pile.It.Put(values));
        Assert.Equal("1,2", got["A"]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void PartsOfContainersAndWrappers(string plan)
    {
        using var pile = new CasePile(plan);
        Dictionary<string, int> map = new() { ["a"] = 1 };
        object[] got = (object[])pile.It.Get<object>(pile.It.Put(new object[] { map, map.Keys, map.Values, new ReadOnlyDictionary<string, int>(map), new ReadOnlyCollection<string>(["x"]) }));
        ((Dictionary<string, int>)got[0])["b"] = 2;
        Assert.Equal(["a", "b"], (IEnumerable<string>)got[1]);
        Assert.Equal([1, 2], (IEnumerable<int>)got[2]);
        Assert.Equal(2, ((IReadOnlyDictionary<string, int>)got[3]).Count);
        pile.Back(new Dictionary<Type, object> { [typeof(int)] = 1, [typeof(string)] = "s" });
        pile.Back(new Dictionary<object, object> { [1] = "int", ["1"] = "text", [1L] = "long", [CaseTypes.Small.One] = "enum", [(1, "a")] = "tuple", [new Uri("http://a/")] = 1, [typeof(int)] = 2, [1.5m] = 3 });
        pile.Back(new Dictionary<(int, string), List<int>> { [(1, "a")] = [1] });
        pile.Back(new ConcurrentDictionary<Guid, ConcurrentQueue<int>> { [Guid.Empty] = new([1]) });
        ArraySegment<byte>[] segments = [default, new byte[3]];
        pile.Back(segments.Cast<object>().ToArray());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AStructKeyThatRefersToItsDictionary(string plan)
    {
        using var pile = new CasePile(plan);
        var map = new Dictionary<CaseTypes.Link, string>();
        map[new CaseTypes.Link { Next = map, Value = 1 }] = "one";
        Dictionary<CaseTypes.Link, string> got = pile.It.Get<Dictionary<CaseTypes.Link, string>>(pile.It.Put(map));
        Assert.Same(got, got.Keys.Single().Next);
        Assert.Equal("one", got[got.Keys.Single()]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void ACallbackThatPutsAndGets(string plan)
    {
        using var pile = new CasePile(plan);
        Reentrant.Pile = pile.It;
        var value = new Reentrant { Name = "outer", Other = new Reentrant { Name = "inner" } };
        Reentrant got = pile.It.Get<Reentrant>(pile.It.Put(value));
        Reentrant.Pile = null;
        Assert.Equal(("outer", "inner"), (got.Name, got.Other!.Name));
        Assert.Equal("outer", got.Seen!.Name);
        Assert.Equal("inner", got.Other.Seen!.Name);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void ALazyValueIsRefusedOrKept(string plan)
    {
        using var pile = new CasePile(plan);
        PileRefusedException refused = pile.Refused(new CaseTypes.Pair { First = new Lazy<int>(static () => 5) });
        Assert.StartsWith("Pair.First", refused.GraphPath, StringComparison.Ordinal);
    }

    internal sealed class NamedMap(string name) : Dictionary<string, int>(StringComparer.OrdinalIgnoreCase)
    {
        public string Name { get; } = name;

        public NamedMap? Self { get; set; }
    }

    internal sealed class NamedSet : HashSet<string>
    {
        public string Name { get; set; } = "set";
    }

    internal sealed class NamedCollection : Collection<string>
    {
        public string Name { get; set; } = "collection";
    }

    internal sealed class Keyed : KeyedCollection<int, CaseTypes.PlainKey>
    {
        protected override int GetKeyForItem(CaseTypes.PlainKey item) => item.Number;
    }

    [PileObject]
    internal sealed partial class Reentrant
    {
        [ThreadStatic]
        internal static ObjectPile? Pile;

        public string? Name { get; set; }

        public Reentrant? Other { get; set; }

        [field: NonSerialized]
        public CaseTypes.Box<string>? Copy { get; set; }

        [field: NonSerialized]
        public CaseTypes.Person? Seen { get; set; }

        [OnSerializing]
        private void Serializing(StreamingContext context) => Copy = Again(new CaseTypes.Box<string> { Value = Name });

        [OnDeserialized]
        private void Deserialized(StreamingContext context) => Seen = Again(new CaseTypes.Person(Name!, "", default, default, 0, 0, false));

        private static T Again<T>(T value)
            where T : notnull => Pile!.Get<T>(Pile!.Put(value));
    }
}
