// Copies of the running pile of a cache's life, while it goes on: each has what was there when it was begun and nothing later, and is durable when the call has
// returned. It goes on in another thread, for this one is inside the copy.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Memory.Simulation;

namespace Pile.Cache.Tests.Model;

internal sealed class LifeCopies(LifeWorld world, LifeModel model, LifeImages images)
{
    private const int MeanwhileMax = 4;
    private int _copies;

    /// <summary>Copies the pile, and compares the copy as a kill or a power cut leaves it.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="files">Its files.</param>
    /// <param name="mapped">Its cache, if it has one.</param>
    /// <param name="goesOnInIt">Whether life goes on in the copy.</param>
    internal void Run(ObjectPile pile, SimulatedFiles files, MappedCache? mapped, bool goesOnInIt)
    {
        string target = $"/copy {++_copies}";
        LifeMoment moment = model.Known();
        world.At += ", copy";
        bool goesOn = !goesOnInIt && world.Random.Next(2) == 0;
        _ = pile.CopyTo(target, goesOn ? new Meanwhile(() => GoOn(pile, mapped)) : null, CancellationToken.None);
        images.End();
        string at = world.At;
        using (SimulatedFiles copied = world.Random.Next(2) == 0 ? files.PowerCut(world.Random) : files.Fork())
        using (var copy = new MappedCache(copied, world.Clock, LifeWorld.LimitBytes, directory: target))
        {
            world.At += $", opened as {copy.Cache.Pile.RecoveryReport().Opening}";
            model.CompareCopy(copy, moment, goesOnInIt);
        }

        world.At = at;
        if (goesOnInIt)
        {
            world.Directory = target;
        }
        else
        {
            Forget(files, target);
        }
    }

    /// <summary>Removes the files of a pile, or of a copy, that is not open.</summary>
    internal static void Forget(SimulatedFiles files, string directory)
    {
        lock (files.Gate)
        {
            files.Forget(directory);
        }
    }

    private void GoOn(ObjectPile pile, MappedCache? mapped)
    {
        images.AreCuts = true;
        images.ForgetKilled();
        string at = world.At;
        Task.Run(() =>
        {
            for (int count = world.Random.Next(1, MeanwhileMax); count > 0; count--)
            {
                world.At = $"{at}, meanwhile";
                _ = mapped is null ? model.ChangeOwn(pile) : model.Change(mapped);
            }
        }).GetAwaiter().GetResult();
        world.At = at;
        images.AreCuts = false;
    }

    private sealed class Meanwhile(Action goOn) : IProgress<PileCopyProgress>
    {
        private bool _isDone;

        public void Report(PileCopyProgress value)
        {
            if (!_isDone)
            {
                _isDone = true;
                goOn();
            }
        }
    }
}
