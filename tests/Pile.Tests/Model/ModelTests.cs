using System;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Model;

[Trait("Category", "Model")]
public sealed class ModelTests(ITestOutputHelper output)
{
    private const int Operations = 200_000;

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    [InlineData(5, true)]
    [InlineData(6, true)]
    [InlineData(7, false)]
    [InlineData(8, false)]
    [InlineData(9, false)]
    [InlineData(10, false)]
    public void RandomOperationsGiveWhatADictionaryGivesAndCrossEveryBoundary(int seed, bool background)
    {
        using var run = new ModelRun(seed, background);

        run.Run(Operations);
        run.Empty();

        output.WriteLine($"seed {seed}: {run.Coverage}");
        Assert.Empty(run.Coverage.Missing);
    }

    [Theory]
    [InlineData(11, true)]
    [InlineData(12, false)]
    public void RandomOperationsGiveTheSameOverThePortableRegions(int seed, bool background)
    {
        using var run = new ModelRun(seed, background, regions: new PortableRegions());

        run.Run(Operations / 4);
        run.Empty();

        output.WriteLine($"seed {seed}: {run.Coverage}");
        Assert.True(run.Coverage["records moved"] > 0 && run.Coverage["full answered"] > 0, $"seed {seed}: {run.Coverage}");
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void AHundredMillionRandomOperationsGiveWhatADictionaryGives()
    {
        int first = int.Parse(Environment.GetEnvironmentVariable("PILE_SEED") ?? "1000", System.Globalization.CultureInfo.InvariantCulture);
        for (int seed = first; seed < first + 20; seed++)
        {
            output.WriteLine($"seed {seed} (PILE_SEED)");
            using var run = new ModelRun(seed, background: seed % 4 != 0);
            run.Run(5_000_000);
            run.Empty();
            Assert.Empty(run.Coverage.Missing);
        }
    }
}
