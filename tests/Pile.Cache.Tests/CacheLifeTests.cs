using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Lives of a cache's tables, and of a program's objects, batches and roots beside them.</summary>
[Trait("Category", "Crash")]
public sealed class CacheLifeTests(ITestOutputHelper output)
{
    [Fact]
    public void WhatACutLeavesOfATableAndItsPileIsWhatWasCommittedAndTheRestAsItOnceWas() => Live(first: 400, lives: 40, steps: 150);

    [Fact]
    [Trait("Category", "Soak")]
    public void ManyLivesLoseAndInventNothing() => Live(first: 1_000_000, lives: 20_000, steps: 250);

    private void Live(int first, int lives, int steps)
    {
        // One life where a seed is given: a second one beside it would have other writers, and neither its calls.
        bool isReplay = Seeds.IsGiven;
        lives = isReplay ? 1 : lives;
        int within = 0;
        int meanwhiles = 0;
        Parallel.For(0, lives, new ParallelOptions { MaxDegreeOfParallelism = 2 }, life =>
        {
            var run = new CacheLife(Seeds.Next(first + life));
            run.Run(sessions: 6, steps);
            _ = Interlocked.Add(ref within, run.Within + run.Between);
            _ = Interlocked.Add(ref meanwhiles, run.Meanwhiles);
        });

        output.WriteLine($"{lives} lives: {within:N0} kills and cuts opened and compared, {meanwhiles:N0} times something was done while a commit or a checkpoint was at work");
        Assert.True(isReplay || (within > lives && meanwhiles > lives / 8), $"{within:N0} kills and cuts, {meanwhiles:N0} meanwhile");
    }
}
