using System;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>A run of random operations one of whose syncs fails: what the pile answers from then on, what a cut leaves, and what a later
/// process of the same boot finds, with the pages of the failed sync as they were stored or as the device has them. What that one found and committed is there after a cut, though the system takes the pages of the
/// failed sync for written.</summary>
internal sealed class SyncFailureRun(int seed, int sync)
{
    private const int Steps = 60;

    private readonly Random _random = new(seed);
    private readonly CutModel _model = new();
    private CutRun _run = null!;
    private int _syncs;

    /// <summary>Runs until the sync fails, and looks at all that follows.</summary>
    /// <returns>False when the run has fewer syncs.</returns>
    internal bool TryRun()
    {
        var plan = new CutPlan(_random);
        using var files = new SimulatedFiles();
        ObjectPile pile = CutLife.Open(files);
        files.AtCall = AtCall;
        _run = new CutRun(pile, _model, plan, _random) { Files = files };
        bool isPoisoned = false;
        for (int step = 0; step < Steps && !isPoisoned; step++)
        {
            isPoisoned = IsPoisoned(_run.Step) || (step == Steps - 1 && _syncs >= sync);
        }

        if (_syncs < sync)
        {
            files.AtCall = null;
            pile.Dispose();
            return false;
        }

        Require(IsPoisoned(pile.Commit) && IsPoisoned(() => pile.PutBytes([1])), "poison", "it goes on writing");
        foreach (CutObject item in _model.Objects.Where(static item => item.IsThere))
        {
            Require(_model.IsClearing || CutContent.Read(pile, item.Pointer, item.Key) == item.Now.Version, "state", $"key {item.Key} can't be read");
        }

        files.AtCall = null;
        using SimulatedFiles cut = files.PowerCut(_random);
        Require(IsRefused(pile), "poison", "it closes in order");
        Recover(cut, "cut");
        using SimulatedFiles reread = files.Fork();
        reread.Reread(_random);
        Recover(reread, "opened again, pages of the failed sync read anew");
        Recover(files, "opened again");
        return true;
    }

    private static bool IsPoisoned(Action call)
    {
        try
        {
            call();
            return false;
        }
        catch (PilePoisonedException)
        {
            return true;
        }
    }

    private static bool IsRefused(ObjectPile pile)
    {
        try
        {
            pile.Dispose();
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }

    private void AtCall(string call)
    {
        // A checkpoint whose sync fails is none, and of floors nothing was cleared: they take nothing with them.
        bool isOfLog = call.StartsWith("fdatasync", StringComparison.Ordinal) && !call.Contains("checkpoint", StringComparison.Ordinal) && !call.Contains("floors", StringComparison.Ordinal);
        if (isOfLog && ++_syncs == sync)
        {
            throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
        }
    }

    private void Recover(SimulatedFiles files, string at)
    {
        try
        {
            CutModel found;
            SimulatedFiles cut;
            using (ObjectPile pile = CutLife.Open(files))
            {
                Require(pile.RecoveryReport().Opening == PileOpening.Crawled, "opening", $"{pile.RecoveryReport().Opening}");
                found = _model.Compare(pile);
                pile.Commit();
                found.Committed();
                cut = files.PowerCut(_random);
            }

            at += ", committed and cut";
            using (cut)
            {
                using ObjectPile pile = CutLife.Open(cut);
                _ = found.Compare(pile);
            }
        }
        catch (Exception failure)
        {
            throw Told(failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name, $"{at}: {failure.Message}", failure);
        }
    }

    private void Require(bool holds, string detector, string what)
    {
        if (!holds)
        {
            throw Told(detector, what);
        }
    }

    private ModelMismatchException Told(string detector, string what, Exception? cause = null) =>
        new(detector, $"seed {seed}, sync {sync}, {_run.Last}, {what}", cause);
}
