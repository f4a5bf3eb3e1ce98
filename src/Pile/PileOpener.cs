// Opens a pile in files as its users see it: the heap, then the pile around it. Where the second fails the first is closed again, so that
// the directory is free for the next open. What a heap is opened by is DurableOpen's business.
using System;
using System.Threading;
using Pile.Heap;

namespace Pile;

/// <summary>Opening of piles in files.</summary>
internal static class PileOpener
{
    /// <summary>Opens a directory.</summary>
    internal static ObjectPile Open(string directory, PileOptions options, IProgress<PileRecoveryProgress>? progress, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        DurableHeap heap = DurableOpen.Run(directory, options, progress, cancellationToken);
        ObjectPile pile;
        try
        {
            pile = new ObjectPile(options, heap);
        }
        catch
        {
            FailedOpen.Close(heap);
            throw;
        }

        try
        {
            Preallocation.Run(heap.Core, cancellationToken);
            heap.Upkeep.Recounting.ReturnLeft();
            return pile;
        }
        catch
        {
            FailedOpen.Close(pile);
            throw;
        }
    }
}
