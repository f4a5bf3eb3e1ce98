using Pile.Tests.Fuzz;
using Xunit;

namespace Pile.Server.Tests.Fuzz;

/// <summary>Hostile requests.</summary>
public sealed class FuzzTests(ITestOutputHelper output)
{
    [Fact]
    public void HostileRequestsAreReadAsTheGeneratedParsersReadThem() => Requests();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileRequestsForLongAreReadAsTheGeneratedParsersReadThem() => Requests();

    private void Requests() => new FuzzRun(new FuzzRequests(), "requests", output.WriteLine).Run(casesShort: 5000);
}
