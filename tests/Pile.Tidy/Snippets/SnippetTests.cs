using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Snippets;

/// <summary>What README and docs show compiles, runs and prints what they say it prints.</summary>
public sealed class SnippetTests
{
    private static readonly Dictionary<string, Snippet> _snippets = Documents()
        .SelectMany(path => MarkdownSnippets.Read(path, File.ReadAllText(Repository.FullPath(path))))
        .ToDictionary(snippet => snippet.ToString());

    public static TheoryData<string> Snippets => [.. _snippets.Keys.Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Snippets))]
    public void TheSnippetDoesWhatItSays(string snippet)
    {
        Assert.Null(SnippetRunner.Check(_snippets[snippet]));
    }

    [Fact]
    public void TheReadmeOpensWithASnippetAndItsOutput()
    {
        Assert.Contains(_snippets.Values, snippet => snippet is { Path: "README.md", Runs: true, Output: not null });
    }

    [Theory]
    [InlineData("```csharp\nConsole.WriteLine(Missing);\n```", "t.md(2): CS0103")]
    [InlineData("text\n```csharp\n\nint x = \"\";\n```", "t.md(4): CS0029")]
    [InlineData("```csharp no-run\nConsole.WriteLine(Missing);\n```", "CS0103")]
    [InlineData("```csharp\nthrow new InvalidOperationException(\"boom\");\n```", "boom")]
    [InlineData("```csharp\nConsole.WriteLine(1);\n```\n<!-- output -->\n```text\n2\n```", "prints\n1\nnot\n2")]
    [InlineData("```csharp no-run\nConsole.WriteLine(1);\n```\n\n<!-- output -->\n\n```text\n1\n```", "does not run")]
    public void APlantedFaultIsReported(string document, string fault)
    {
        Assert.Contains(fault, SnippetRunner.Check(Assert.Single(MarkdownSnippets.Read("t.md", document))), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("```csharp\nConsole.WriteLine(1);\nawait Task.CompletedTask;\nConsole.WriteLine(2);\n```\n<!-- output -->\n```text\n1\n2\n```")]
    [InlineData("```csharp\npublic sealed record Node(int Id);\n```")]
    [InlineData("```csharp no-run\nthrow new InvalidOperationException();\n```")]
    public void AFaultlessSnippetPasses(string document)
    {
        Assert.Null(SnippetRunner.Check(Assert.Single(MarkdownSnippets.Read("t.md", document))));
    }

    [Fact]
    public void BlocksOfOtherLanguagesAreNoSnippets()
    {
        Assert.Empty(MarkdownSnippets.Read("t.md", "```text\n```\n```\nplain\n```\n    dotnet build\n"));
    }

    private static IEnumerable<string> Documents() => Repository.Files.Where(path =>
        path == "README.md" || (path.StartsWith("docs/", StringComparison.Ordinal) && path.EndsWith(".md", StringComparison.Ordinal) && path != "docs/DESIGN.md"));
}
