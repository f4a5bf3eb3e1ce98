using Xunit;

namespace Pile.Tests.Faults;

/// <summary>A suite that does not notice a planted fault would not notice the same mistake made by accident.</summary>
[Trait("Category", "Model")]
public sealed class PlantedFaultTests(ITestOutputHelper output)
{
    private const int Noticed = 1;

    [Fact]
    public void WithoutAFaultTheScenariosNoticeNothing()
    {
        (int exitCode, string said) = FaultProgram.Run("", rounds: 1);

        Assert.True(exitCode == 0, said);
    }

    [Theory]
    [InlineData("EntryBeforePayload", 6, "wrong content")]
    [InlineData("ReuseEarly", 6, "")]
    [InlineData("GenerationKept", 1, "pointer issued twice")]
    [InlineData("DeadNotCounted", 1, "quarantine")]
    [InlineData("PlainSwing", 6, "")]
    [InlineData("PinsIgnored", 2, "pinned bytes changed")]
    [InlineData("NoBarrier", 10, "litmus")]
    public void APlantedFaultIsNoticedByTheScenarios(string fault, int rounds, string detector)
    {
        (int exitCode, string said) = FaultProgram.Run(fault, rounds);

        output.WriteLine(said);
        Assert.True(exitCode != 0, $"inconclusive: {fault} was not noticed in {rounds} rounds of all scenarios, so they prove nothing about it on this machine: {said}");
        Assert.Equal(Noticed, exitCode);
        Assert.Contains($"caught by [{detector}", said, System.StringComparison.Ordinal);
    }
}
