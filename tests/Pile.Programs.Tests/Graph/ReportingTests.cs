using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using PackageGraph.Reporting;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class ReportingTests
{
    private static readonly GraphResult _result = GraphResult.FromJson(RepositoryFiles.Read("bench/results/amd-epyc-2-cores/package-graph.json"));

    [Fact]
    public void TextInAnImageIsEscaped()
    {
        var canvas = new SvgCanvas(100, 50);
        canvas.Text(1, 2, "a < b & \"c\"");

        XElement image = XElement.Parse(canvas.ToSvg("<title>"));

        Assert.Equal(["a < b & \"c\""], image.Elements().Where(element => element.Name.LocalName == "text").Select(element => element.Value));
        Assert.Equal("<title>", image.Elements().Single(element => element.Name.LocalName == "title").Value);
    }

    [Fact]
    public void NumbersOfAnImageHaveAPointInEveryCulture()
    {
        var canvas = new SvgCanvas(10.5, 20);
        canvas.Polyline([(0.25, 1.75)], "#000");

        Assert.Contains("points=\"0.3,1.8\"", canvas.ToSvg(""), StringComparison.Ordinal);
        Assert.Contains("viewBox=\"0 0 10.5 20\"", canvas.ToSvg(""), StringComparison.Ordinal);
    }

    [Fact]
    public void EveryPictureIsWellFormed()
    {
        string[] pictures = [Picture.Readme(_result), Picture.Pauses(_result), Picture.Memory(_result), Picture.Jitter(_result), Picture.Live(_result)];

        Assert.All(pictures, picture => Assert.Equal("svg", XElement.Parse(picture).Name.LocalName));
    }

    [Fact]
    public void ThePageNeedsNothingElse()
    {
        string page = HtmlPage.Of(_result);

        Assert.Contains("name=\"viewport\"", page, StringComparison.Ordinal);
        Assert.Equal(4, Regex.Count(page, "<svg "));
        Assert.DoesNotMatch("(src|href)=|url\\(|@import|<script", page);
        Assert.All(Summary.Rows(_result), row => Assert.Contains(System.Net.WebUtility.HtmlEncode(row.Name), page, StringComparison.Ordinal));
    }

    [Fact]
    public void WithoutTheLivePartThereIsNoChartOfIt()
    {
        GraphResult still = _result with { LiveHeap = null, LivePile = null };

        Assert.Equal("", Picture.Live(still));
        Assert.Equal(3, Regex.Count(HtmlPage.Of(still), "<svg "));
        Assert.DoesNotContain(Summary.Rows(still), row => row.Name.StartsWith("live", StringComparison.Ordinal));
    }

    [Fact]
    public void AResultComesBackFromItsJson()
    {
        Assert.Equal(_result.ToJson(), GraphResult.FromJson(_result.ToJson()).ToJson());
        Assert.Throws<InvalidDataException>(() => GraphResult.FromJson("{}"));
        Assert.Throws<InvalidDataException>(() => GraphResult.FromJson("no json"));
    }

    [Theory]
    [InlineData(1234.5, "1.23 s")]
    [InlineData(12.345, "12.3 ms")]
    [InlineData(0.0123, "12.3 us")]
    [InlineData(0.000123, "123 ns")]
    public void ADurationHasTheUnitThatSuitsIt(double milliseconds, string text)
    {
        Assert.Equal(text, Figure.Duration(milliseconds));
    }

    [Fact]
    public void TimesIsTheirsOverOurs()
    {
        Assert.Equal("4.00 x", Figure.Times(8, 2));
        Assert.Equal("0.250 x", Figure.Times(1, 4));
        Assert.Equal("-", Figure.Times(1, 0));
    }
}
