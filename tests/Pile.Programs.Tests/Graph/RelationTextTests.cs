using System;
using System.Collections.Generic;
using System.IO;
using PackageGraph.Data;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class RelationTextTests
{
    [Fact]
    public void ParseTellsNameQualifierBoundAndAlternativeApart()
    {
        List<RelationItem> items = RelationText.Parse("libc6 (>= 2.34), python3:any | perl:any (<< 9~), sh");

        Assert.Equal(
            [
                new("libc6", "", "(>= 2.34)", false),
                new("python3", ":any", "", false),
                new("perl", ":any", "(<< 9~)", true),
                new("sh", "", "", false),
            ],
            items);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a")]
    [InlineData("a | b | c (= 1), d:any")]
    [InlineData("libc6 (>= 2.34), python3:any | perl:any (<< 9~)")]
    public void FormatGivesTheTextThatWasParsed(string text)
    {
        Assert.Equal(text, RelationText.Format(RelationText.Parse(text)));
    }

    [Theory]
    [InlineData("a, , b")]
    [InlineData("a (>= 1")]
    [InlineData(" (>= 1)")]
    public void WhatIsNoRelationIsRefusedByItsText(string text)
    {
        Assert.Contains("is no relation", Assert.Throws<InvalidDataException>(() => RelationText.Parse(text)).Message, StringComparison.Ordinal);
    }
}
