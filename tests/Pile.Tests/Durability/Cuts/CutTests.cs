using System;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Power cuts of the shipped engine: only its files are a double.</summary>
[Trait("Category", "Crash")]
public sealed class CutTests(ITestOutputHelper output)
{
    /// <summary>A seed that failed is run again, alone, by PILE_SEED.</summary>
    private static readonly int _seed = int.Parse(Environment.GetEnvironmentVariable("PILE_SEED") ?? "0", CultureInfo.InvariantCulture);

    /// <summary>Where a run of many begins instead: behind what one before has done.</summary>
    private static readonly int? _first = Environment.GetEnvironmentVariable("PILE_CUTS_FROM") is { Length: > 0 } from ? int.Parse(from, CultureInfo.InvariantCulture) : null;

    // Who runs the test's program with -showLiveOutput sees a line while it runs; Ctrl-C ends it behind the lives that are at work.
    private const int ImagesALine = 10_000;

    [Fact]
    public void WhatACutLeavesIsWhatWasCommittedAndTheRestWholeOrNot() => Live(first: 1, images: 20_000, threads: 2);

    [Fact]
    [Trait("Category", "Soak")]
    public void AMillionCutsLeaveWhatWasCommittedAndTheRestWholeOrNot() => Live(first: 1_000_000, images: 1_000_000, Environment.ProcessorCount);

    [Fact]
    public void EveryCutOfASmallRunLeavesWhatWasCommittedAndTheRestWholeOrNot()
    {
        int first = _seed == 0 ? 1 : _seed;
        int images = 0;
        int seed = first;
        for (; images < (_seed == 0 ? 1_000 : 1); seed++)
        {
            var life = new CutLife(seed);
            life.RunSmall(steps: 4, cutsMax: 12_000);
            images += life.Images;
        }

        output.WriteLine($"seeds {first} to {seed - 1}: {images:N0} cuts, all that there are");
    }

    private void Live(int first, int images, int threads)
    {
        first = _seed == 0 ? _first ?? first : _seed;
        threads = _seed == 0 ? threads : 1;
        int next = first - 1;
        int[] at = [.. Enumerable.Repeat(first, threads)];
        int compared = 0;
        int within = 0;
        int checkpoints = 0;
        int meanwhiles = 0;
        int uncounted = 0;
        CancellationToken ended = TestContext.Current.CancellationToken;
        long started = TimeProvider.System.GetTimestamp();
        try
        {
            Parallel.For(0, threads, thread =>
            {
                while (Volatile.Read(ref compared) < images && !ended.IsCancellationRequested)
                {
                    int seed = at[thread] = Interlocked.Increment(ref next);
                    var life = new CutLife(seed);
                    life.Run(sessions: 6, steps: 60);
                    Interlocked.Add(ref within, life.Within);
                    Interlocked.Add(ref checkpoints, life.FromCheckpoint);
                    Interlocked.Add(ref meanwhiles, life.Meanwhiles);
                    Interlocked.Add(ref uncounted, life.Uncounted);
                    int sum = Interlocked.Add(ref compared, life.Images);
                    if (_seed != 0)
                    {
                        break;
                    }

                    at[thread] = seed + 1;
                    if (sum / ImagesALine > (sum - life.Images) / ImagesALine)
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

        bool isWhole = _seed == 0 && !ended.IsCancellationRequested;
        Assert.True(!isWhole || compared >= images, $"{compared:N0} cuts");
        Assert.True(!isWhole || checkpoints > images / 50, $"{checkpoints:N0} recoveries with a checkpoint");
        Assert.True(!isWhole || meanwhiles > images / 200, $"{meanwhiles:N0} times something was done meanwhile");
        Assert.True(!isWhole || uncounted > images / 1000, $"{uncounted:N0} sessions without a count");

        void Tell()
        {
            double seconds = TimeProvider.System.GetElapsedTime(started).TotalSeconds;
            output.WriteLine($"seeds {first} to {next} (PILE_CUTS_FROM={at.Min()} goes on): {compared:N0} cuts opened and compared, {within:N0} of them within a call or a recovery, {checkpoints:N0} recovered with a checkpoint and without, {meanwhiles:N0} times something done while a commit, a checkpoint or a count was at work, {uncounted:N0} sessions without a count, {compared / seconds:N0} a second");
        }
    }
}
