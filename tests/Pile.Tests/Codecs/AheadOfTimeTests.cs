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

    [Fact]
    public void WhatCantBeDoneWithoutCodeNamesTheTypeAndTheWayOut()
    {
        PileRefusedException refused = AheadOfTime.NoWrite(typeof(Version));

        Assert.Equal("System.Version", refused.GraphPath);
        Assert.Contains("System.Version can't be stored", refused.Message, StringComparison.Ordinal);
        Assert.Contains("PileOptions.Codecs", refused.Message, StringComparison.Ordinal);
        Assert.Contains("ToJson", AheadOfTime.NoRead(typeof(Version)).Message, StringComparison.Ordinal);
    }
}
