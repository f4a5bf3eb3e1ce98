using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Lives of a cache's tables, and of a program's objects, batches and roots beside them.</summary>
[Trait("Category", "Crash")]
public sealed class CacheLifeTests(ITestOutputHelper output)
{
    // Who runs the test's program with -showLiveOutput sees a line while it runs; Ctrl-C ends it behind the lives that are at work.
    private const int LivesALine = 100;

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
        int next = -1;
        int lived = 0;
        int within = 0;
        int meanwhiles = 0;
        CancellationToken ended = TestContext.Current.CancellationToken;
        long started = TimeProvider.System.GetTimestamp();
        try
        {
            Parallel.For(0, isReplay ? 1 : 2, _ =>
            {
                for (int life = Interlocked.Increment(ref next); life < lives && !ended.IsCancellationRequested; life = Interlocked.Increment(ref next))
                {
                    var run = new CacheLife(Seeds.Next(first + life));
                    run.Run(sessions: 6, steps);
                    _ = Interlocked.Add(ref within, run.Within + run.Between);
                    _ = Interlocked.Add(ref meanwhiles, run.Meanwhiles);
                    if (Interlocked.Increment(ref lived) % LivesALine == 0)
                    {
                        Tell();
                    }
                }
            });
        }
        finally
        {
            Tell();
        }

        bool isWhole = !isReplay && !ended.IsCancellationRequested;
        Assert.True(!isWhole || (within > lives && meanwhiles > lives / 8), $"{within:N0} kills and cuts, {meanwhiles:N0} meanwhile");

        void Tell()
        {
            double seconds = TimeProvider.System.GetElapsedTime(started).TotalSeconds;
            output.WriteLine($"{lived:N0} lives: {within:N0} kills and cuts opened and compared, {meanwhiles:N0} times something was done while a commit or a checkpoint was at work, {lived / seconds:N1} lives a second");
        }
    }
}
