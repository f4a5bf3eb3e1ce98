using Pile.Tests.Fuzz;
using Xunit;

namespace Pile.Client.Tests.Fuzz;

/// <summary>Hostile answers.</summary>
public sealed class FuzzTests(ITestOutputHelper output)
{
    [Fact]
    public void HostileAnswersAreReadOrRefused() => Answers();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileAnswersForLongAreReadOrRefused() => Answers();

    private void Answers() => new FuzzRun(new FuzzAnswers(), "answers", output.WriteLine).Run(casesShort: 3000);
}
