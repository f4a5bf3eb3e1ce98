using System;
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
