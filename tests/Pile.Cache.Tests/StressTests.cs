using System;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Threads that do at once all that a cache can do, held to a model.</summary>
public sealed class StressTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(9)]
    public void NoThreadReadsWhatWasNeverSetOrIsOutdated(int setting) => Run(setting, first: 10 * setting, rounds: 2, int.Min(10_000, StepsOf(StressSetting.All[setting])));

    [Fact]
    [Trait("Category", "Soak")]
    public void ForLongNoThreadReadsWhatWasNeverSetOrIsOutdated()
    {
        for (int run = 0; run < 100 && !TestContext.Current.CancellationToken.IsCancellationRequested; run++)
        {
            for (int setting = 0; setting < StressSetting.All.Length; setting++)
            {
                Run(setting, first: 1_000 + (run * 10) + setting, rounds: 8, StepsOf(StressSetting.All[setting]));
            }
        }
    }

    // In files each call costs more, and most where nothing may leave for it.
    private static int StepsOf(StressSetting setting) => !setting.IsInFiles ? 25_000 : setting is { MayLose: true, Kind: PileTableKind.Durable } ? 3_000 : 5_000;

    private void Run(int setting, int first, int rounds, int steps)
    {
        int seed = Seeds.Next(first);
        using var run = new StressRun(seed, StressSetting.All[setting]);
        long started = TimeProvider.System.GetTimestamp();
        for (int round = 0; round < rounds; round++)
        {
            run.Round(steps);
        }

        run.Empty();
        output.WriteLine($"{StressSetting.All[setting]}, seed {seed}: {run.Calls:N0} calls, {run.Evictions:N0} evictions, {run.Full:N0} stores without room, in {TimeProvider.System.GetElapsedTime(started).TotalSeconds:N1} s");
    }
}
