using Xunit;

namespace Pile.Tests.Model;

[Trait("Category", "Model")]
public sealed class SharedTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(101, 1, true)]
    [InlineData(102, 2, true)]
    [InlineData(103, 2, false)]
    [InlineData(104, 8, true)]
    [InlineData(105, 8, false)]
    public void ThreadsThatReadEachOthersKeysNeverSeeGarbageAndLoseNoUpdate(int seed, int threads, bool background)
    {
        using var run = new SharedRun(seed, threads, background);

        run.Run(400_000 / threads);

        output.WriteLine($"seed {seed}: {run.Pile.GetStatistics()}");
        Assert.True(run.Pile.GetStatistics().CleanerMovedRecords > 0, $"seed {seed}: the cleaner moved nothing");
    }

    [Theory]
    [InlineData(111, 2, true)]
    [InlineData(112, 8, false)]
    public void ThreadsAtTheLimitAreAnsweredFullAndNothingElseChanges(int seed, int threads, bool background)
    {
        using var run = new SharedRun(seed, threads, background, limitBytes: 2 << 20);

        run.Run(100_000 / threads);

        output.WriteLine($"seed {seed}: {run.Full:N0} full, {run.Pile.GetStatistics()}");
        Assert.True(run.Full > 0, $"seed {seed}: nothing was refused");
        Assert.True(run.Pile.GetStatistics().PeakUsedBytes <= run.Pile.MemoryLimitBytes, $"seed {seed}: over the limit");
    }

    [Theory]
    [InlineData(121, 2)]
    [InlineData(122, 8)]
    [Trait("Category", "Soak")]
    public void ThreadsThatReadEachOthersKeysForLongNeverSeeGarbage(int seed, int threads)
    {
        for (int round = 0; round < 20; round++)
        {
            using var run = new SharedRun(seed + (1000 * round), threads, background: round % 2 == 0);
            run.Run(5_000_000 / threads);
        }
    }
}
