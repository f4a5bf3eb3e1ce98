using Xunit;

namespace Pile.Tests.Durability.Flips;

[Trait("Category", "Crash")]
public sealed class FlipTests(ITestOutputHelper output)
{
    [Fact]
    public void TwoThousandDamagesNeverGiveAWrongValueAndAreNoticed() => Run(seed: 3, flips: 2000);

    [Fact]
    [Trait("Category", "Soak")]
    public void AHundredThousandDamagesNeverGiveAWrongValueAndAreNoticed()
    {
        for (int seed = 100; seed < 150; seed++)
        {
            Run(seed, flips: 2000);
        }
    }

    private void Run(int seed, int flips)
    {
        using var run = new FlipRun(seed);
        run.Run(flips);
        output.WriteLine($"seed {seed}: {run.Damages.Met} damages met, {run.Damages.Unmet} where nothing is in use");
        Assert.True(run.Damages.Met > flips / 10, $"only {run.Damages.Met} of {flips} damages hit anything");
    }
}
