using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Xml.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Trimmed programs keep what makes plans; programs that are compiled whole ahead of time say that there are none.</summary>
public sealed class AheadOfTimeTests
{
    [Fact]
    public void TheLinkerIsToldToKeepAllThatPlansAreMadeOf()
    {
        using Stream stream = typeof(ObjectPile).Assembly.GetManifestResourceStream("ILLink.Descriptors.xml")!;
        XElement assembly = Assert.Single(XDocument.Load(stream).Root!.Elements("assembly"));
        string[] kept = [.. assembly.Elements("namespace").Where(static at => (string?)at.Attribute("preserve") == "all").Select(static at => (string)at.Attribute("fullname")!)];

        Assert.Equal(typeof(ObjectPile).Assembly.GetName().Name, (string?)assembly.Attribute("fullname"));
        Assert.All(typeof(Plan).Assembly.GetTypes().Where(static type => type.IsSubclassOf(typeof(Plan)) || type.IsSubclassOf(typeof(Formatter))), type => Assert.Contains(type.Namespace, kept));
    }

    [Fact]
    public void ThisProgramIsNotOneThatIsCompiledWhole()
    {
        Assert.True(RuntimeFeature.IsDynamicCodeSupported);
        Assert.False(AheadOfTime.IsWhole);
    }

    /// <summary>Fields are hidden there: an array of these was stored as addresses of the GC's heap.</summary>
    [Fact]
    public void ArraysTellWhetherTheirElementsHoldReferences()
    {
        Assert.True(AheadOfTime.HasReferences(typeof(KeyValuePair<string, int>[])));
        Assert.True(AheadOfTime.HasReferences(typeof((int, (byte, object))[])));
        Assert.False(AheadOfTime.HasReferences(typeof(bool[])));
        Assert.False(AheadOfTime.HasReferences(typeof(char[])));
        Assert.False(AheadOfTime.HasReferences(typeof(DayOfWeek?[])));
        Assert.False(AheadOfTime.HasReferences(typeof((char, bool, decimal, DateTimeOffset)[])));
    }

    /// <summary>It wrote an array without elements.</summary>
    [Fact]
    public void ACodecOfAContractIsNotMadeThere()
    {
        AheadOfTime.RefuseContract(typeof(Version), isWhole: false);
        NotSupportedException refused = Assert.Throws<NotSupportedException>(static () => AheadOfTime.RefuseContract(typeof(Version), isWhole: true));
        Assert.Contains("System.Version", refused.Message, StringComparison.Ordinal);
        Assert.Contains("IPileCodec", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>Values and keys of IMemoryCache stand in places of type object: a number there was refused.</summary>
    [Fact]
    public void SingleValuesInBoxesAndArraysOfPrimitivesAreKeptThere()
    {
        object[] kept = [5, 7L, (byte)1, 'a', true, 1.5, 2.5f, 3m, Guid.Empty, DateTime.UnixEpoch, TimeSpan.FromDays(1), DayOfWeek.Friday, Narrow.B, new object(), new[] { 1, 2 }, new long[100], new bool[3]];
        object[] refused = [new Version(1, 2), (1, 2), new List<int>(), new[] { "a" }, new[] { DayOfWeek.Friday }, new int[1, 1], new Uri("a", UriKind.Relative)];
        var store = new GraphStore();
        Assert.All(kept, value => Assert.True(AheadOfTime.CanKeep(value.GetType()) && AheadOfTime.CanRead(store.Table, store.Write(value)), $"{value}"));
        Assert.All(refused, value => Assert.False(AheadOfTime.CanKeep(value.GetType()) || AheadOfTime.CanRead(store.Table, store.Write(value)), $"{value}"));

        // One that nobody knows is told as that.
        byte[] unknown = store.Write(Narrow.B);
        Assert.True(AheadOfTime.CanRead(new GraphStore(store).Table, unknown));
    }

    [Fact]
    public void PlansOfSingleValuesAreWrittenOut()
    {
        Assert.All(LeafFormatter.All.Keys, static type => Assert.Equal(type == typeof(string) ? null : type, LeafFormatter.PlanOf(type)?.Type));
        Assert.Null(LeafFormatter.PlanOf(typeof(Version)));
    }

    [Theory]
    [InlineData(DayOfWeek.Friday)]
    [InlineData(Narrow.A)]
    [InlineData(Narrow.B)]
    [InlineData((Narrow)77)]
    [InlineData(Wide.Last)]
    public void AnEnumIsTheSameBytesThereAndComesBack(object value)
    {
        var usual = new GraphStore();
        var there = new GraphStore();
        byte[] expected = usual.Write(value);
        var plan = new EnumPlan(value.GetType());
        GraphWriter writer = GraphWriter.Rent(there.Table);
        writer.WriteTagged(plan, value);
        byte[] bytes = writer.Written.ToArray();
        writer.Return();
        there.Table.KeepSchemas();

        Assert.Equal(expected, bytes);
        Assert.Equal(usual.Schemas, there.Schemas);
        Assert.Equal(value, there.Read<object>(bytes));
        Assert.Equal(value, usual.Read<object>(bytes));
    }

    [Fact]
    public void WhatCantBeDoneWithoutCodeNamesTheTypeAndTheWayOut()
    {
        PileRefusedException refused = AheadOfTime.NoWrite(typeof(Version));

        Assert.Equal("System.Version", refused.GraphPath);
        Assert.Contains("System.Version can't be stored", refused.Message, StringComparison.Ordinal);
        Assert.Contains("PileOptions.Codecs", refused.Message, StringComparison.Ordinal);
        Assert.Contains("ToJson", AheadOfTime.NoRead(typeof(Version)).Message, StringComparison.Ordinal);
    }

    internal enum Narrow : byte
    {
        A,
        B = 200,
    }

    internal enum Wide : ulong
    {
        None,
        Last = ulong.MaxValue,
    }
}
