using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Docs;

/// <summary>The documents that a stranger looks for are there, and their links lead somewhere.</summary>
public sealed class DocumentTests
{
    [Theory]
    [InlineData("README.md")]
    [InlineData("CHANGELOG.md")]
    [InlineData("CONTRIBUTING.md")]
    [InlineData("SECURITY.md")]
    [InlineData("LICENSE")]
    [InlineData("docs/DESIGN.md")]
    [InlineData("docs/ARCHITECTURE.md")]
    [InlineData("docs/FORMAT.md")]
    [InlineData("docs/DURABILITY.md")]
    [InlineData("docs/LIMITS.md")]
    [InlineData("docs/OBSERVABILITY.md")]
    [InlineData("docs/GETTING-STARTED.md")]
    public void TheDocumentIsThere(string path)
    {
        Assert.Contains(path, Repository.Files);
    }

    [Fact]
    public void LinksBetweenDocumentsResolve()
    {
        IEnumerable<string> documents = Repository.Files.Where(path => path.EndsWith(".md", StringComparison.Ordinal));

        Assert.Empty(documents.SelectMany(path => MarkdownLinks.Dead(path, Read(path)!, Read)));
    }

    [Theory]
    [InlineData("[a](missing.md)", "reaches no file")]
    [InlineData("[a](../README.md#nothing)", "reaches no heading")]
    [InlineData("[a](#nothing)", "reaches no heading")]
    public void ADeadLinkIsReported(string text, string fault)
    {
        Assert.Contains(fault, Assert.Single(MarkdownLinks.Dead("docs/A.md", text, Read)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[a](../README.md#pile)")]
    [InlineData("# Two Words\n[a](#two-words)")]
    [InlineData("[a](https://example.com/x.md) `[a](missing.md)`\n```\n[a](missing.md)\n```\n")]
    public void ALiveLinkIsNotReported(string text)
    {
        Assert.Empty(MarkdownLinks.Dead("docs/A.md", text, Read));
    }

    [Fact]
    public void DecisionNotesAreNumberedWithoutGapsAndHaveTheirHeadings()
    {
        string[] notes = [.. Repository.Files.Where(path => path.StartsWith("docs/decisions/", StringComparison.Ordinal))];

        Assert.NotEmpty(notes);
        Assert.Equal(Enumerable.Range(1, notes.Length), notes.Select(path => int.Parse(Path.GetFileName(path)[..4], null)));
        Assert.All(notes, path => Assert.All(["## Context", "## Options", "## Choice", "## What would change our mind"], heading => Assert.Contains($"\n{heading}\n", Read(path), StringComparison.Ordinal)));
    }

    private static string? Read(string path) =>
        File.Exists(Repository.FullPath(path)) ? File.ReadAllText(Repository.FullPath(path))
        : Directory.Exists(Repository.FullPath(path)) ? "" : null;
}
