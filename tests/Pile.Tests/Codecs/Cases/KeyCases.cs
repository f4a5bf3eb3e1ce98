using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 14 to 24: keys and comparers.</summary>
public sealed class KeyCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case014_ADictionaryWhoseKeyRefersToIt(string plan)
    {
        using var pile = new CasePile(plan);
        var map = new Dictionary<CaseTypes.StrictKey, string>();
        var key = new CaseTypes.StrictKey("name") { Owner = map };
        map[key] = "value";
        Dictionary<CaseTypes.StrictKey, string> got = pile.Back(map);
        Assert.Equal("value", got[got.Keys.Single()]);
        Assert.Same(got, got.Keys.Single().Owner);

        // From the key's side.
        CaseTypes.StrictKey gotKey = pile.Back(key);
        Assert.Equal("value", ((Dictionary<CaseTypes.StrictKey, string>)gotKey.Owner!)[gotKey]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case015_AKeyThatHashesWhatWasWrittenBefore(string plan)
    {
        using var pile = new CasePile(plan);
        HashSet<int> set = [1, 2, 3];
        var map = new Dictionary<CaseTypes.SetKey, string> { [new CaseTypes.SetKey(set)] = "value" };
        object[] got = pile.Back(new object[] { set, map });
        Assert.Equal("value", ((Dictionary<CaseTypes.SetKey, string>)got[1])[new CaseTypes.SetKey([3, 2, 1])]);
        object[] reversed = pile.Back(new object[] { map, set });
        Assert.Equal("value", ((Dictionary<CaseTypes.SetKey, string>)reversed[0])[new CaseTypes.SetKey([3, 2, 1])]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case016_AKeyThatHashesWhatWasPutOff(string plan)
    {
        using var pile = new CasePile(plan);
        for (int depth = 52; depth < 70; depth++)
        {
            // Sets of sets: none has a hash code before those inside are filled, and some stand behind the cut.
            HashSet<int> set = [1, 2, 3];
            object deep = set;
            for (int level = 0; level < depth; level++)
            {
                deep = new CaseTypes.Pair { First = deep };
            }

            var map = new Dictionary<CaseTypes.SetKey, string> { [new CaseTypes.SetKey(set)] = "value" };
            object[] got = pile.Back(new object[] { deep, map });
            Assert.Equal("value", ((Dictionary<CaseTypes.SetKey, string>)got[1])[new CaseTypes.SetKey([3, 2, 1])]);
            object mapDeep = map;
            for (int level = 0; level < depth; level++)
            {
                mapDeep = new CaseTypes.Pair { First = mapDeep };
            }

            pile.Back(new object[] { mapDeep, deep });
            pile.Back(new object[] { deep, mapDeep, set });
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case017_ASetThatHoldsItself(string plan)
    {
        using var pile = new CasePile(plan);
        HashSet<object> set = new(ReferenceEqualityComparer.Instance);
        set.Add(set);
        set.Add("other");
        HashSet<object> got = pile.Back(set);
        Assert.Contains(got, got);
        HashSet<object> byDefault = [];
        byDefault.Add(byDefault);
        HashSet<object> gotByDefault = pile.Back(byDefault);
        Assert.Contains(gotByDefault, gotByDefault);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case018_AKeyThatIsFoundByReference(string plan)
    {
        using var pile = new CasePile(plan);
        Dictionary<CaseTypes.PlainKey, int> map = Enumerable.Range(0, 50).ToDictionary(static number => new CaseTypes.PlainKey { Number = number });
        Dictionary<CaseTypes.PlainKey, int> got = pile.Back(map);
        Assert.All(got, pair => Assert.Equal(pair.Key.Number, got[pair.Key]));
        Assert.False(got.ContainsKey(map.Keys.First()));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case019_AKeyWhoseHashCodeThrowsOnNulls(string plan)
    {
        using var pile = new CasePile(plan);
        var inner = new Dictionary<CaseTypes.StrictKey, object> { [new CaseTypes.StrictKey("inner")] = 1 };
        var outer = new ConcurrentDictionary<CaseTypes.StrictKey, object>();
        outer[new CaseTypes.StrictKey("outer") { Owner = inner }] = inner;
        ConcurrentDictionary<CaseTypes.StrictKey, object> got = pile.Back(outer);
        Assert.Same(got.Values.Single(), got.Keys.Single().Owner);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case020_ADictionaryThatIgnoresCase(string plan)
    {
        using var pile = new CasePile(plan);
        Dictionary<string, int> got = pile.Back(new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["Key"] = 1 });
        Assert.Equal(1, got["kEY"]);
        Assert.Contains("KEY", pile.Back(new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "key" }));
        Assert.DoesNotContain("KEY", pile.Back(new HashSet<string>(StringComparer.Ordinal) { "key" }));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case021_AComparerOfACulture(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (string name in new[] { "de-DE", "tr-TR", "sv-SE", "" })
        {
            foreach (CompareOptions options in new[] { CompareOptions.None, CompareOptions.IgnoreCase, CompareOptions.IgnoreNonSpace | CompareOptions.IgnoreCase, CompareOptions.StringSort })
            {
                StringComparer comparer = StringComparer.Create(CultureInfo.GetCultureInfo(name), options);
                pile.Back(new SortedDictionary<string, int>(comparer) { ["a"] = 1, ["\u00e4"] = 2, ["i"] = 3 }.Keys.ToHashSet(comparer));
                pile.Back(new SortedSet<string>(comparer) { "z", "\u00f6", "o", "co-op", "coop" });
            }
        }

        Dictionary<string, int> turkish = pile.Back(new Dictionary<string, int>(StringComparer.Create(CultureInfo.GetCultureInfo("tr-TR"), true)) { ["i"] = 1 });
        Assert.True(turkish.ContainsKey("\u0130"));
        Assert.False(turkish.ContainsKey("I"));
        pile.Back(new Dictionary<string, int>(StringComparer.InvariantCultureIgnoreCase) { ["a"] = 1 });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case022_AComparerOfTheUserThatHoldsState(string plan)
    {
        using var pile = new CasePile(plan);
        var modulo = new CaseTypes.ModuloComparer(10);
        object[] got = pile.Back(new object[] { new Dictionary<int, string>(modulo) { [3] = "three" }, modulo, new SortedSet<int>(modulo) { 1, 5, 3 }, new PriorityQueue<string, int>(modulo) });
        Assert.Equal("three", ((Dictionary<int, string>)got[0])[13]);
        Assert.Same(got[1], ((Dictionary<int, string>)got[0]).Comparer);
        Assert.Equal([5, 3, 1], (SortedSet<int>)got[2]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case023_AComparerMadeFromADelegateIsRefused(string plan)
    {
        using var pile = new CasePile(plan);
        PileRefusedException refused = pile.Refused(new CaseTypes.Pair { First = new SortedSet<int>(Comparer<int>.Create(static (left, right) => right - left)) { 1 } });
        Assert.StartsWith("Pair.First", refused.GraphPath, StringComparison.Ordinal);
        refused = pile.Refused(new object[] { new HashSet<int>(EqualityComparer<int>.Create(static (left, right) => left == right, static value => value)) });
        Assert.Contains("[0]", refused.GraphPath, StringComparison.Ordinal);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case024_TheOrderOfADictionaryAfterRemovals(string plan)
    {
        using var pile = new CasePile(plan);
        Dictionary<int, string> map = Enumerable.Range(0, 100).ToDictionary(static n => n, static n => $"{n}");
        for (int key = 0; key < 100; key += 3)
        {
            map.Remove(key);
        }

        map[1000] = "new";
        map[1001] = "newer";
        Assert.Equal(map.ToArray(), pile.Back(map).ToArray());
        HashSet<int> set = [.. map.Keys];
        set.Remove(1);
        set.Add(2000);
        Assert.Equal(set.ToArray(), pile.Back(set).ToArray());
    }
}
