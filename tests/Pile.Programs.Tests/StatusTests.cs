using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Pile.Bench.Goals;
using Xunit;

namespace Pile.Programs.Tests;

/// <summary>docs/STATUS.md shows what the committed results say.</summary>
public sealed class StatusTests
{
    private readonly string _document = RepositoryFiles.Read("docs/STATUS.md");

    [Fact]
    public void TheTablesAreThoseOfTheResultsThatItNames() => Assert.Equal(GoalDocument.Renew(_document, Folder()), _document);

    [Fact]
    public void EachPartHasItsTable()
    {
        List<GoalRow> rows = GoalResults.Read(Folder());
        string[] parts = [.. rows.Select(static row => row.Part).Distinct()];
        Assert.Equal(9, parts.Length);
        Assert.All(parts, part => Assert.Contains($"<!-- status: {part} -->", _document, StringComparison.Ordinal));
        Assert.All(rows, static row => Assert.Contains(row.Verdict, (string[])["met", "reached", "MISSED", "runs"]));
    }

    [Fact]
    public void WhatWasNotMeasuredIsNotShown()
    {
        DirectoryInfo empty = Directory.CreateTempSubdirectory("pile-status-");
        try
        {
            Assert.Empty(GoalResults.Read(empty.FullName));
        }
        finally
        {
            empty.Delete();
        }
    }

    [Fact]
    public void AnOpenMarkIsRefused() => Assert.Throws<InvalidDataException>(() => GoalDocument.Renew("<!-- status: The heap -->\n", Folder()));

    private string Folder()
    {
        Match named = Regex.Match(_document, @"\[(?<folder>bench/results/[a-z0-9-]+)\]\(");
        Assert.True(named.Success, "docs/STATUS.md names no folder of results.");
        return RepositoryFiles.PathOf(named.Groups["folder"].Value);
    }
}
