using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Pile.Primitives;
using Pile.Tests.Faults;
using Xunit;

namespace Pile.Tests.Durability.Kill;

/// <summary>Child processes are killed, and lose nothing of what they acknowledged.</summary>
[Trait("Category", "Crash")]
public sealed class KillTests(ITestOutputHelper output)
{
    private const int EachPoint = 10;
    private const int TriesOfOne = 40;
    private const int KillsAnyTime = 20;

    // Side by side: what one waits for, the other uses.
    private const int Halves = 2;

    [Fact]
    public void KillsAtEachPointAndAtAnyTimeLoseNothingThatWasAcknowledged() =>
        Parallel.For(0, Halves, half => KillEverywhere(seed: 40 + half, point => (int)point % Halves == half));

    [Fact]
    public void AHundredCyclesOfOneDirectoryLoseNothing()
    {
        using var directory = new TemporaryDirectory();
        var run = new KillRun(directory.Path, PilePromise.PowerSafe, seed: 7, Start);
        var random = new Random(7);
        for (int cycle = 0; cycle < 100; cycle++)
        {
            _ = run.Next(null, 1 + run.Model.Held.Count + random.Next(600), calls: 200);
        }

        output.WriteLine($"{run.Model.Acknowledged:N0} calls acknowledged, {run.Model.CutShort} cut short, {run.Model.Held.Count} objects at the end, {run.Model.Dead.Count:N0} gone");
        run.End();
    }

    [Fact]
    [Trait("Category", "Soak")]
    public void TenThousandKillsLoseNothingThatWasAcknowledged()
    {
        using var plan = new KillPlan(seed: 1, Start);
        try
        {
            while (plan.Kills < 10_000)
            {
                foreach (StopPoint point in KillPlan.Points)
                {
                    KillAt(plan, point, plan.Hits[point] + 1);
                }

                for (int kill = 0; kill < KillPlan.Points.Length; kill++)
                {
                    plan.KillAnyTime();
                }
            }

            plan.EndRun();
        }
        finally
        {
            output.WriteLine(plan.Histogram());
        }
    }

    /// <summary>Kills at each of some points, and at any time.</summary>
    private void KillEverywhere(int seed, Func<StopPoint, bool> isChosen)
    {
        using var plan = new KillPlan(seed, Start);
        try
        {
            foreach (StopPoint point in KillPlan.Points)
            {
                if (isChosen(point))
                {
                    KillAt(plan, point, EachPoint);
                }
            }

            for (int kill = 0; kill < KillsAnyTime; kill++)
            {
                plan.KillAnyTime();
            }

            plan.EndRun();
        }
        finally
        {
            output.WriteLine(plan.Histogram());
        }
    }

    private static void KillAt(KillPlan plan, StopPoint point, int times)
    {
        for (int tries = 0; plan.Hits[point] < times; tries++)
        {
            Assert.True(tries < TriesOfOne, $"{point} was passed {plan.Hits[point]} times in {TriesOfOne} children");
            _ = plan.KillAt(point);
        }
    }

    private static Process Start(string[] arguments) => FaultProgram.Start("", arguments);
}
