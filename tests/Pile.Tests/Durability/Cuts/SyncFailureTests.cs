using System;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>A device that fails a sync: once, at each sync of a run in turn.</summary>
[Trait("Category", "Crash")]
public sealed class SyncFailureTests
{
    private const int Steps = 60;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void AFailedSyncEndsAllWritingAndLosesNothingThatWasCommitted(int seed)
    {
        int sync = 0;
        while (TryFailAt(++sync, seed))
        {
        }

        Assert.True(sync > 3, $"{sync - 1} syncs failed");
    }

    /// <summary>Runs until the sync fails, then looks at the pile, at what a cut leaves, and at what a later process of this
    /// boot finds. What that one commits is not promised: docs/DURABILITY.md, "After a failed sync".</summary>
    /// <returns>False when the run has fewer syncs.</returns>
    private static bool TryFailAt(int sync, int seed)
    {
        var random = new Random(seed);
        var plan = new CutPlan(random);
        using var files = new SimulatedFiles();
        var model = new CutModel();
        ObjectPile pile = CutLife.Open(files);
        int syncs = 0;
        files.AtCall = call =>
        {
            // A checkpoint whose sync fails is none: it takes nothing with it.
            bool isOfLog = call.StartsWith("fdatasync", StringComparison.Ordinal) && !call.Contains("checkpoint", StringComparison.Ordinal);
            if (isOfLog && ++syncs == sync)
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };
        var run = new CutRun(pile, model, plan, random);
        bool isPoisoned = false;
        for (int step = 0; step < Steps && !isPoisoned; step++)
        {
            try
            {
                run.Step();
                isPoisoned = step == Steps - 1 && syncs >= sync;
            }
            catch (PilePoisonedException)
            {
                isPoisoned = true;
            }
        }

        if (syncs < sync)
        {
            files.AtCall = null;
            pile.Dispose();
            return false;
        }

        _ = Assert.Throws<PilePoisonedException>(pile.Commit);
        _ = Assert.Throws<PilePoisonedException>(() => pile.PutBytes([1]));
        foreach (CutObject item in model.Objects.Where(static item => item.IsThere))
        {
            Assert.True(model.IsClearing || CutContent.Read(pile, item.Pointer, item.Key) == item.Now.Version, $"seed {seed}, sync {sync}, {run.Last}, key {item.Key}");
        }

        files.AtCall = null;
        using SimulatedFiles cut = files.PowerCut(random);
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        Recover(cut, model, $"seed {seed}, sync {sync}, {run.Last}, cut");
        Recover(files, model, $"seed {seed}, sync {sync}, {run.Last}, opened again");
        return true;
    }

    private static void Recover(SimulatedFiles files, CutModel model, string at)
    {
        try
        {
            using ObjectPile pile = CutLife.Open(files);
            Assert.Equal(PileOpening.Crawled, pile.RecoveryReport().Opening);
            _ = model.Compare(pile);
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"{at}: {failure.Message}", failure);
        }
    }
}
