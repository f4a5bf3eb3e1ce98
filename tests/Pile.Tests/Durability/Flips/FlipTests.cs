using Xunit;

namespace Pile.Tests.Durability.Flips;

[Trait("Category", "Crash")]
public sealed class FlipTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(FlipEnd.Close)]
    [InlineData(FlipEnd.Kill)]
    [InlineData(FlipEnd.Cut)]
    public void TwoThousandDamagesNeverGiveAWrongValueAndAreNoticed(FlipEnd end) => Run(seed: 3, end, flips: 2000);

    [Theory]
    [Trait("Category", "Soak")]
    [InlineData(FlipEnd.Close)]
    [InlineData(FlipEnd.Kill)]
    [InlineData(FlipEnd.Cut)]
    public void AHundredThousandDamagesNeverGiveAWrongValueAndAreNoticed(FlipEnd end)
    {
        for (int seed = 100; seed < 150; seed++)
        {
            Run(seed, end, flips: 2000);
        }
    }

    private void Run(int seed, FlipEnd end, int flips)
    {
        using var run = new FlipRun(seed, end);
        run.Run(flips);
        output.WriteLine($"{end}, seed {seed}: {run.Damages.Met} damages met, {run.Damages.Unmet} where nothing is in use");
        Assert.True(run.Damages.Met > flips / 20, $"only {run.Damages.Met} of {flips} damages hit anything");
    }
}
