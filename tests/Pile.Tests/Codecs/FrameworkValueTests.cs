using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading.Tasks;
using System.Xml;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>The framework's own objects: kept as they are, or refused; never another one without a word.</summary>
public sealed class FrameworkValueTests
{
    [Fact]
    public void EveryTimeZoneOfTheSystemComesBack()
    {
        IReadOnlyList<TimeZoneInfo> zones = TimeZoneInfo.GetSystemTimeZones();
        Assert.NotEmpty(zones);
        using var pile = new GraphPile("Emitted");
        foreach (TimeZoneInfo zone in zones.Append(TimeZoneInfo.Local).Append(TimeZoneInfo.Utc))
        {
            TimeZoneInfo got = pile.Once(zone);
            Assert.True(got.Equals(zone) && got.DisplayName == zone.DisplayName, zone.Id);
        }
    }

    [Fact]
    public void ATimeZoneOfTheProgramsOwnComesBack()
    {
        using var pile = new GraphPile("Emitted");
        var summer = TimeZoneInfo.AdjustmentRule.CreateAdjustmentRule(
            new DateTime(2000, 1, 1), new DateTime(2030, 12, 31), TimeSpan.FromHours(1),
            TimeZoneInfo.TransitionTime.CreateFloatingDateRule(new DateTime(1, 1, 1, 2, 0, 0), 3, 5, DayOfWeek.Sunday),
            TimeZoneInfo.TransitionTime.CreateFloatingDateRule(new DateTime(1, 1, 1, 3, 0, 0), 10, 5, DayOfWeek.Sunday));
        foreach (string id in new[] { "own", "Europe/Berlin", "../own", "" })
        {
            var zone = TimeZoneInfo.CreateCustomTimeZone(id.Length == 0 ? " " : id, TimeSpan.FromHours(3), "shown; so", "standard", "summer", [summer]);
            TimeZoneInfo got = pile.Once(zone);
            Assert.Equal((zone, zone.DisplayName, zone.StandardName, zone.DaylightName), (got, got.DisplayName, got.StandardName, got.DaylightName));
        }
    }

    [Theory]
    [InlineData("../../../dev/zero")]
    [InlineData("/dev/zero")]
    [InlineData("a\0b")]
    [InlineData("")]
    [InlineData("America")]
    [InlineData("Nowhere/City")]
    public void AnIdOfNoTimeZoneIsDamage(string id)
    {
        var store = new GraphStore();
        _ = store.Write(TimeZoneInfo.Utc);
        var writer = new WireWriter();
        writer.WriteTag(2, store.Table.Versions().Single().Schema.Number);
        writer.WriteText(id);
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<TimeZoneInfo>(writer.Written.ToArray())));
    }

    [Fact]
    public void AnEncodingIsKeptWholeOrRefused()
    {
        using var pile = new GraphPile("Emitted");
        Encoding[] kept =
        [
            Encoding.UTF8, new UTF8Encoding(false, true), Encoding.Unicode, Encoding.BigEndianUnicode, Encoding.UTF32, Encoding.ASCII, Encoding.Latin1,
            Encoding.GetEncoding("us-ascii", EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback),
        ];
        foreach (Encoding encoding in kept)
        {
            Assert.Equal(encoding, pile.Once(encoding));
        }

        var star = Encoding.GetEncoding("us-ascii", new EncoderReplacementFallback("*"), DecoderFallback.ReplacementFallback);
        var half = Encoding.GetEncoding("us-ascii", EncoderFallback.ExceptionFallback, DecoderFallback.ReplacementFallback);
        Assert.Throws<PileRefusedException>(() => pile.Pile.Put(star));
        Assert.Throws<PileRefusedException>(() => pile.Pile.Put(half));
    }

    /// <summary>Their fields hold hash codes and identities of this process, by which nothing would be found in another, or in a copy.</summary>
    [Fact]
    public void WhatFindsByHashCodesOfThisProcessIsRefused()
    {
        using var pile = new GraphPile("Emitted");
        var document = new XmlDocument();
        document.LoadXml("<a><b/></a>");
        SortedSet<int> set = [1, 2, 3];
        object[] refused =
        [
            new[] { "a" }.ToLookup(static text => text), ImmutableDictionary.CreateBuilder<string, int>(), ImmutableHashSet.CreateBuilder<string>(), document,
            document.DocumentElement!, new NameTable(), set.GetViewBetween(1, 2),
        ];
        foreach (object value in refused)
        {
            Assert.Equal("Tuple.m_Item1", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(Tuple.Create(value))).GraphPath);
        }

        Assert.Equal(set, pile.Once(set));
        ImmutableSortedDictionary<string, int>.Builder sorted = ImmutableSortedDictionary.CreateBuilder<string, int>();
        sorted.Add("a", 1);
        Assert.Equal(1, pile.Once(sorted)["a"]);
    }

    [Fact]
    public void AStructThatIsRefusedIsRefusedInEveryPlace()
    {
        using var pile = new GraphPile("Emitted");
        Assert.Equal("HandleHolder.Handle", Refused(new HandleHolder()));
        Assert.Equal("Tuple.m_Item1.Item2", Refused(Tuple.Create((1, typeof(int).TypeHandle))));
        Assert.Equal("List[0]", Refused(new List<GCHandle> { default }));
        Assert.Equal("Tuple.m_Item1", Refused(Tuple.Create<object>(new ValueTask<int>(5))));
        Assert.Equal("System.RuntimeTypeHandle[][0]", Refused(new RuntimeTypeHandle[1]));
        Assert.Empty(pile.Once(new Dictionary<int, GCHandle>()));
        Assert.Null(pile.Once(new GCHandle?[1])[0]);

        // By itself, as its own type and not as an object.
        Assert.Equal("ValueTask", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new ValueTask<int>(5))).GraphPath);
        Assert.Equal("ValueTask", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new ValueTask(Task.CompletedTask))).GraphPath);
        Assert.Equal("RuntimeTypeHandle", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(typeof(int).TypeHandle)).GraphPath);

        string Refused(object value) => Assert.Throws<PileRefusedException>(() => pile.Pile.Put(value)).GraphPath;
    }

    [Fact]
    public void WhatTheProgramsOwnCodeThrowsDoesNotHideWhatIsRefused()
    {
        using var pile = new GraphPile("Emitted");
        var holder = new Holder { Handler = static () => { } };
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new Compared { Inner = holder }));
        Assert.Equal("Compared.Inner.Handler", refused.GraphPath);
        refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new Dictionary<Untold, Holder> { [new Untold(1)] = holder }));
        Assert.EndsWith("Untold].Handler", refused.GraphPath, StringComparison.Ordinal);
        refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put(new object[] { new Endless { holder }, holder }));
        Assert.EndsWith("[1].Handler", refused.GraphPath, StringComparison.Ordinal);
    }

    private sealed class Holder
    {
        public Action? Handler { get; set; }
    }

    private sealed class HandleHolder
    {
        public GCHandle Handle { get; set; }
    }

    private sealed class Compared
    {
        public Holder? Inner { get; set; }

        public object Comparer => throw new InvalidOperationException($"not to be asked, {Inner}");
    }

    private readonly record struct Untold(int Number)
    {
        public override string ToString() => throw new InvalidOperationException("not to be told");
    }

    /// <summary>A list whose own enumerator throws.</summary>
    private sealed class Endless : List<Holder>, IEnumerable<Holder>
    {
        IEnumerator<Holder> IEnumerable<Holder>.GetEnumerator() => throw new InvalidOperationException("not to be gone over");

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => throw new InvalidOperationException("not to be gone over");
    }
}
