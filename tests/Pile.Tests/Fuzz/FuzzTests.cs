using Xunit;

namespace Pile.Tests.Fuzz;

/// <summary>Hostile files and bytes: changed at places that mean something, their checksums made to fit, and given to everything that reads such. And good graphs, of which
/// nothing may be lost.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class FuzzTests(ITestOutputHelper output)
{
    [Fact]
    public void HostileDirectoriesAreATypedErrorOrAPile() => Opens();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileDirectoriesForLongAreATypedErrorOrAPile() => Opens();

    [Fact]
    public void HostileExportsAreATypedErrorOrAPile() => Exports();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileExportsForLongAreATypedErrorOrAPile() => Exports();

    [Fact]
    public void HostilePayloadsAreATypedErrorOrAValue() => Payloads();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostilePayloadsForLongAreATypedErrorOrAValue() => Payloads();

    [Fact]
    public void HostileTextsAreATypedErrorOrAValue() => Texts();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileTextsForLongAreATypedErrorOrAValue() => Texts();

    [Fact]
    public void GraphsComeBackToTheirTypesAndToLaterOnes() => Graphs();

    [Fact]
    [Trait("Category", "Soak")]
    public void GraphsForLongComeBackToTheirTypesAndToLaterOnes() => Graphs();

    private void Opens()
    {
        using var opens = new FuzzOpens();
        new FuzzRun(opens, "opens", output.WriteLine).Run(casesShort: 150);
    }

    private void Exports()
    {
        using var exports = new FuzzExports();
        new FuzzRun(exports, "exports", output.WriteLine).Run(casesShort: 300);
    }

    private void Payloads() => new FuzzRun(new FuzzPayloads(), "payloads", output.WriteLine).Run(casesShort: 2000);

    private void Graphs() => new FuzzRun(new FuzzGraphs(), "graphs", output.WriteLine).Run(casesShort: 150);

    private void Texts() => new FuzzRun(new FuzzTexts(), "texts", output.WriteLine).Run(casesShort: 5000);
}
