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
    public void TheTablesAreThoseOfTheResultsThatItNames() => Assert.Equal(GoalDocument.Renew(_document, Folders()), _document);

    [Fact]
    public void EachPartHasItsTable()
    {
        List<GoalRow> rows = GoalResults.Read(Folders());
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
    public void AnOpenMarkIsRefused() => Assert.Throws<InvalidDataException>(() => GoalDocument.Renew("<!-- status: The heap -->\n", Folders()));

    [Fact]
    public void WhereSeveralFoldersHaveARowTheLastOnesStands()
    {
        string[] folders = Folders();
        Assert.True(folders.Length > 1);
        List<GoalRow> last = GoalResults.Read(folders[^1]);
        Assert.NotEmpty(last);
        Assert.All(last, static row => Assert.NotEmpty(row.Cores));
        Assert.Subset(GoalResults.Read(folders).ToHashSet(), last.ToHashSet());
    }

    /// <summary>Those of README are of it, and a part has other contestants in other settings.</summary>
    [Fact]
    public void WhatTheContestOfAllHasSaidStandsBesideThoseOfParts()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("pile-status-");
        try
        {
            string source = Folders().Single(static folder => File.Exists(Path.Combine(folder, "compare-cache.json")));
            File.Copy(Path.Combine(source, "compare.json"), Path.Combine(folder.FullName, "compare.json"));
            List<GoalRow> alone = GoalResults.Read(folder.FullName);
            Assert.NotEmpty(alone);
            File.Copy(Path.Combine(source, "compare-cache.json"), Path.Combine(folder.FullName, "compare-cache.json"));
            List<GoalRow> both = GoalResults.Read(folder.FullName);
            Assert.Equal(alone, both[..alone.Count]);
            Assert.Contains(both, static row => row.Part == GoalRow.Cache);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private string[] Folders()
    {
        string[] named = [.. Regex.Matches(_document, @"\[(?<folder>bench/results/[a-z0-9-]+)\]\(").Select(static match => RepositoryFiles.PathOf(match.Groups["folder"].Value))];
        Assert.True(named.Length > 0, "docs/STATUS.md names no folder of results.");
        return named;
    }
}
