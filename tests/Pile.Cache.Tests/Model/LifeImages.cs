// What kills and power cuts within a step of a cache's life would leave: taken at calls of the files, opened and compared when the step is done. At a call of
// another thread this one goes on meanwhile, and what was copied would be no moment of it: none is taken then.
using System;
using System.Collections.Generic;
using Pile.Tests.Memory.Simulation;

namespace Pile.Cache.Tests.Model;

internal sealed class LifeImages(LifeWorld world, LifeModel model)
{
    private readonly List<(SimulatedFiles Files, bool IsCut, string Call)> _images = [];
    private SimulatedFiles? _from;
    private int _chance;

    /// <summary>Images that were opened and compared.</summary>
    internal int Compared { get; private set; }

    /// <summary>Whether what a kill leaves is neither as before the step nor as after it, and cuts alone are taken.</summary>
    internal bool AreCuts { get; set; }

    /// <summary>Takes one at one of the next calls.</summary>
    internal void Begin(SimulatedFiles files)
    {
        _from = files;
        _chance = world.Random.Next(1, 12);
        files.AtCall = Take;
    }

    internal void End()
    {
        if (_from is { } files)
        {
            files.AtCall = null;
        }

        _from = null;
    }

    internal void Take(string call)
    {
        if (_from is { } files && Environment.CurrentManagedThreadId == world.Thread && --_chance == 0)
        {
            bool isCut = AreCuts || world.Random.Next(2) == 0;
            _images.Add((isCut ? files.PowerCut(world.Random) : files.Fork(), isCut, call));
            _from = null;
        }
    }

    /// <summary>Forgets what kills would have left.</summary>
    internal void ForgetKilled()
    {
        _images.FindAll(static image => !image.IsCut).ForEach(static image => image.Files.Dispose());
        _ = _images.RemoveAll(static image => !image.IsCut);
    }

    /// <summary>Opens and compares what was taken.</summary>
    internal void Compare(LifeStep step, LifeMoment before)
    {
        string at = world.At;
        foreach ((SimulatedFiles files, bool isCut, string call) in _images)
        {
            world.At = $"{at}, {(isCut ? "cut" : "killed")} at {call}";
            Compared++;
            if (isCut)
            {
                CompareCut(files, step, before, goesOn: false);
            }
            else
            {
                using MappedCache mapped = Open(files);
                model.CompareKilled(mapped, step, before);
            }

            files.Dispose();
        }

        _images.Clear();
        world.At = at;
    }

    internal void CompareCut(SimulatedFiles files, LifeStep step, LifeMoment last, bool goesOn)
    {
        using MappedCache mapped = Open(files);
        model.CompareCut(mapped, step, last, goesOn);
    }

    private MappedCache Open(SimulatedFiles files)
    {
        var mapped = new MappedCache(files, world.Clock, LifeWorld.LimitBytes, directory: world.Directory);
        world.At += $", {mapped.Cache.Pile.RecoveryReport().Opening}";
        return mapped;
    }
}
