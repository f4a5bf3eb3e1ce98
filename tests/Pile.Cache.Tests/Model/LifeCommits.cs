// Commits and checkpoints of a cache's life, among which it goes on as other threads do: what was done before the call is durable when it has returned.
// It goes on at calls of the files that are made without a lock that a writer needs.
using System;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;

namespace Pile.Cache.Tests.Model;

internal sealed class LifeCommits(LifeWorld world, LifeModel model, LifeImages images)
{
    private const int MeanwhileMax = 5;
    private const int FreeBytesMin = 4 << 20;

    /// <summary>How often something was done while a commit or a checkpoint was at work.</summary>
    internal int Meanwhiles { get; private set; }

    /// <summary>Commits or takes a checkpoint.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="files">Its files.</param>
    /// <param name="mapped">Its cache, if it has one: then life may go on meanwhile.</param>
    /// <returns>What is to be done once the images that were taken are compared.</returns>
    internal Action Run(ObjectPile pile, SimulatedFiles files, MappedCache? mapped)
    {
        bool isDurable = true;
        model.Mark();
        MappedCache? meanwhileOn = world.Random.Next(2) == 0 ? mapped : null;
        files.AtCall = call =>
        {
            images.Take(call);
            if (meanwhileOn is not null)
            {
                AtCall(meanwhileOn, call);
            }
        };
        if (world.Random.Next(4) == 0)
        {
            world.At += ", checkpoint";
            isDurable = pile.Durable!.Checkpoints.TryTake(CancellationToken.None);
        }
        else
        {
            world.At += ", commit";
            pile.Commit();
        }

        files.AtCall = null;
        return isDurable ? model.FlushedToMark : static () => { };
    }

    private void AtCall(MappedCache mapped, string call)
    {
        bool isOpen = call.Contains("checkpoint", StringComparison.Ordinal)
            || (call.StartsWith("fdatasync", StringComparison.Ordinal) && call.Contains("extent", StringComparison.Ordinal));
        if (images.AreCuts || !isOpen || Environment.CurrentManagedThreadId != world.Thread || world.Random.Next(3) != 0)
        {
            return;
        }

        // A large value's Set waits for the flush that this call is of, after an open and where there is no room.
        HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
        if (!core.Log.Flushes.HasCovered(core.Large.NeededFlush) || core.Budget.FreeBytes < FreeBytesMin)
        {
            return;
        }

        // Others that hold a lock may be waiting to call the files: not with the files held, then.
        mapped.Files.Gate.Exit();
        if (mapped.Files.Gate.IsHeldByCurrentThread)
        {
            mapped.Files.Gate.Enter();
            return;
        }

        string at = world.At;
        images.AreCuts = true;
        images.ForgetKilled();
        for (int count = world.Random.Next(1, MeanwhileMax); count > 0; count--)
        {
            world.At = $"{at}, meanwhile at {call}";
            _ = model.Change(mapped, waits: false);
        }

        Meanwhiles++;
        mapped.Files.Gate.Enter();
        world.At = at;
        images.AreCuts = false;
    }
}
