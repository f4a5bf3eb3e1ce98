using System;
using System.IO;
using System.Text.RegularExpressions;
using PackageGraph.Reporting;
using Pile.Compare.Reports;
using Xunit;

namespace Pile.Programs.Tests;

/// <summary>What the README shows is what committed results say, drawn and written by the programs.</summary>
public sealed class ReadmeTests
{
    [Fact]
    public void TheTableIsThatOfTheResultItNames()
    {
        string readme = RepositoryFiles.Read("README.md");

        Assert.Equal(ReadmeTable.Renew(readme, path => CompareResult.FromJson(RepositoryFiles.Read(path))), readme);
    }

    [Fact]
    public void ThePictureIsThatOfTheResultItNames()
    {
        Match source = Regex.Match(RepositoryFiles.Read("README.md"), "<!-- picture: (?<result>.+?) -->\n!\\[.+\\]\\((?<picture>.+?)\\)");
        Assert.True(source.Success, "README.md names no result above its picture.");

        string drawn = Picture.Readme(GraphResult.FromJson(RepositoryFiles.Read(source.Groups["result"].Value)));

        Assert.Equal(drawn, RepositoryFiles.Read(source.Groups["picture"].Value));
    }

    [Fact]
    public void AReadmeWithoutAPlaceForTheTableIsRefused()
    {
        InvalidDataException fault = Assert.Throws<InvalidDataException>(() => ReadmeTable.Renew("# Pile\n", _ => throw new InvalidOperationException()));

        Assert.Contains("<!-- compare: ", fault.Message, StringComparison.Ordinal);
    }
}
