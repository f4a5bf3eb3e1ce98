using System;
using System.Collections;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Text;
using System.Text.RegularExpressions;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Values of every treatment, whose bytes are the same in every process: no order of theirs comes from a hash code of a
/// string or of an object.</summary>
internal static class Corpus
{
    private static readonly Dictionary<string, Func<object>> _all = new()
    {
        ["Text"] = static () => "text \u20ac \ud83d\ude00",
        ["Number"] = static () => 7,
        ["Numbers"] = static () => new object[] { sbyte.MinValue, byte.MaxValue, short.MinValue, ushort.MaxValue, int.MinValue, int.MaxValue, uint.MaxValue, long.MinValue, long.MaxValue, ulong.MaxValue, 0, -1, -32, -33, 127, 128, 255, 256, 65535, 65536, 'c', '\uffff', true, false },
        ["Floats"] = static () => new object[] { 1.5f, 0.1f, float.NaN, float.NegativeInfinity, -0.0f, 0.1, 1e300, double.NaN, -0.0, double.Epsilon, double.PositiveInfinity, 3.0, (Half)1.5 },
        ["Exact"] = static () => new object[] { 1.00m, decimal.MaxValue, new decimal(0, 0, 0, true, 1), Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"), new DateTime(2026, 11, 21, 1, 2, 3, DateTimeKind.Utc), DateTime.MaxValue, new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(-14)), BigInteger.Pow(10, 40), BigInteger.MinusOne, Int128.MinValue, UInt128.MaxValue, TimeSpan.FromDays(1), new DateOnly(2026, 1, 2), new TimeOnly(3, 4), new Rune('r'), ^5 },
        ["Texts"] = static () => new[] { "", "\0", "\ud800", "a\udc00b", new string('x', 31), new string('x', 32), new string('\u00e9', 16), new string('\u20ac', 85), new string('x', 255), new string('x', 256), new string('x', 65536), null },
        ["Person"] = static () => new CaseTypes.Person("Ada", "ada@example.org", new DateTime(1815, 12, 10), Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"), 12.50m, 7, true),
        ["Ring"] = static () => CaseTypes.Node.List(3, isRing: true),
        ["List"] = static () => CaseTypes.Node.List(500, isRing: true),
        ["Shared"] = Shared,
        ["Deep"] = Deep,
        ["Arrays"] = static () => new object[] { new int[1000], new int[3], new byte[300], new double[70], new bool[100], new char[65], new[] { CaseTypes.Small.Last }, new int[2, 3], new int[0, 5], Array.CreateInstance(typeof(int), [2], [5]), new[] { new[] { 1 }, [], null }, new string?[] { null, "a" }, Array.Empty<string>(), new CaseTypes.Fixed[] { new(1, "a"), default }, new decimal[] { 1.0m }, new DateTime[3], new Guid[2] },
        ["Lists"] = static () => new object[] { new List<int> { 1, 2 }, new Stack<int>([1, 2]), new Queue<string>(["a"]), new LinkedList<int>([3, 1]), new SortedSet<int> { 2, 1 }, new HashSet<int> { 5, 4 }, new ArrayList { 1, "b" }, new Collection<int> { 1 }, new ReadOnlyCollection<int>([1]), new BitArray(9, true), new ObservableCollection<int> { 4 }, new PriorityQueue<string, int>([("b", 2), ("a", 1)]) },
        ["Maps"] = static () => new object[] { new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["a"] = 1, ["b"] = 2 }, new SortedDictionary<string, object>(StringComparer.Ordinal) { ["x"] = 1 }, new SortedList<int, string> { [1] = "a" }, new OrderedDictionary<string, int> { ["z"] = 1 }, new Hashtable { [1] = "one" }, new Dictionary<int, string>(new CaseTypes.ModuloComparer(10)) { [3] = "c" } },
        ["Immutable"] = static () => new object[] { ImmutableArray.Create(1, 2), default(ImmutableArray<int>), ImmutableList.Create("a"), ImmutableStack.Create(1, 2), ImmutableQueue.Create(1, 2), ImmutableSortedSet.Create(2, 1), ImmutableHashSet.Create(1), ImmutableSortedDictionary<int, string>.Empty.Add(1, "a"), ImmutableDictionary<int, string>.Empty.Add(1, "a"), new[] { 1 }.ToFrozenSet(), new Dictionary<int, string> { [1] = "a" }.ToFrozenDictionary() },
        ["Keys"] = Keys,
        ["Framework"] = static () => new object[] { typeof(List<int>), typeof(CaseTypes.Node), CultureInfo.GetCultureInfo("de-DE"), new Regex("a+", RegexOptions.IgnoreCase), new Uri("http://example.org/"), DBNull.Value, new Version(1, 2), Encoding.UTF8, StringComparer.Ordinal, new StringBuilder("sb"), new Complex(1, 2), Vector3.One, Tuple.Create(1, "t"), (1, "v", 2L), new KeyValuePair<string, int>("k", 1), 1..^2, new object() },
        ["Memory"] = Memories,
        ["Layouts"] = LayoutsOf,
        ["Boxes"] = Boxes,
        ["Exception"] = static () => new InvalidOperationException("outer", new ArgumentException("inner", "name")),
    };

    /// <summary>The names.</summary>
    internal static IEnumerable<string> Names => _all.Keys;

    /// <summary>A new value.</summary>
    internal static object Make(string name) => _all[name]();

    /// <summary>All names, for theories.</summary>
    public sealed class Data : TheoryData<string>
    {
        public Data() => AddRange(Names.ToArray());
    }

    private static object[] Shared()
    {
        int[] array = [1, 2, 3];
        List<string> list = ["a", new string('s', 64)];
        CaseTypes.Node node = CaseTypes.Node.List(2);
        return new object[] { new CaseTypes.Typed { First = node, Second = node, Array = array, SameArray = array, List = list, SameList = list }, array, list, node, list[1] };
    }

    private static object[] Deep()
    {
        var shared = new CaseTypes.Pair { First = "shared" };
        object deep = shared;
        for (int level = 0; level < 150; level++)
        {
            deep = (level % 4) switch
            {
                0 => new List<object> { deep, level },
                1 => new CaseTypes.Pair { First = deep, Second = level == 61 ? shared : null },
                2 => new Dictionary<int, object> { [level] = deep },
                _ => new object[] { level, deep, new int[70] },
            };
        }

        return new object[] { deep, shared };
    }

    private static object[] Keys()
    {
        HashSet<int> set = [1, 2, 3];
        var map = new Dictionary<CaseTypes.SetKey, object> { [new CaseTypes.SetKey(set)] = "value" };
        var owner = new Dictionary<CaseTypes.StrictKey, string>();
        var key = new CaseTypes.StrictKey("strict") { Owner = owner };
        owner[key] = "own";
        return new object[] { set, map, owner };
    }

    private static object[] Memories()
    {
        int[] array = [1, 2, 3, 4];
        return new object[] { array, new Memory<int>(array, 1, 2), "memory".AsMemory(1, 3), new ArraySegment<int>(array, 2, 1), default(ReadOnlyMemory<byte>) };
    }

    private static CaseTypes.Layouts LayoutsOf()
    {
        var layouts = new CaseTypes.Layouts { Union = new CaseTypes.Union { Real = 1.5, After = 3 }, Flags = CaseTypes.Wide.Top | CaseTypes.Wide.One };
        layouts.Ints[2] = 5;
        layouts.Texts[1] = "inline";
        return layouts;
    }

    private static object[] Boxes()
    {
        object box = new CaseTypes.Link { Value = 5 };
        object number = 1234567;
        object[] inner = new object[2];
        object loop = new CaseTypes.Link { Next = inner };
        inner[0] = loop;
        return new object[] { box, box, number, number, loop, CaseTypes.Small.One, (byte)1, new CaseTypes.Twin<int?, CaseTypes.Twin<string, double>> { First = 5 } };
    }
}
