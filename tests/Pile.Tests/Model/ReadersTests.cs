using Xunit;

namespace Pile.Tests.Model;

[Trait("Category", "Model")]
public sealed class ReadersTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(201, true, 1500)]
    [InlineData(202, false, 1500)]
    [InlineData(203, true, 20_000)]
    [InlineData(204, false, 20_000)]
    public void ReadersOfEveryKindSeeWholeObjectsWhileTheCleanerMovesThem(int seed, bool background, int largestBytes)
    {
        using var run = new ReadersRun(seed, background, largestBytes);

        run.Run(largestBytes > 1500 ? 6_000 : 60_000);

        PileStatistics statistics = run.Pile.GetStatistics();
        output.WriteLine($"seed {seed}: {run.Looked:N0} looks, {statistics}");
        Assert.True(statistics.CleanerMovedRecords > 0, $"seed {seed}: the cleaner moved nothing");
        Assert.True(run.Looked > 0, $"seed {seed}: nothing was read");
    }
}
