using System;
using System.Threading;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Filled piles in files.</summary>
internal static class MappedData
{
    /// <summary>Makes a pile of objects of 100 B, the one in the middle a root, and closes it. A PowerSafe one takes a checkpoint when nine tenths are there.</summary>
    internal static void Fill(string directory, int objects, PilePromise promise)
    {
        using ObjectPile pile = ObjectPile.Open(directory, new PileOptions { Promise = promise });
        byte[] payload = Data.Payload();
        for (int index = 0; index < objects; index++)
        {
            PilePointer pointer = pile.PutBytes(payload);
            if (index == objects / 2)
            {
                pile.Roots.Set(MappedChild.FirstRoot, pointer);
            }

            if (promise == PilePromise.PowerSafe && index == objects - (objects / 10) && !pile.Durable!.Checkpoints.TryTake(CancellationToken.None))
            {
                throw new InvalidOperationException("There was no room for a checkpoint.");
            }
        }
    }
}
