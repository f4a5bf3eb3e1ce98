// What PileOptions.PreallocationBytes asks for, once, before the pile is its caller's: segments that have their space and their pages, and the table of
// so many records of some size. That the segments are kept is the growth policy's business.
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Makes segments ready before anything is written.</summary>
internal static class Preallocation
{
    // An object of some hundred bytes: of smaller ones the table's later pages are made as they are needed.
    private const int RecordBytes = 128;

    /// <summary>Takes segments until the pile has as many bytes of them as it shall keep, or its limit or the device has no room for another.</summary>
    /// <param name="heap">A heap that nobody writes to yet; its background thread may run.</param>
    /// <param name="cancellationToken">Ends it between two segments.</param>
    internal static void Run(HeapBase heap, CancellationToken cancellationToken)
    {
        // Whether files are only read, or failed already.
        if (heap.Policy.KeptBytes == 0 || heap.WriteRefusal != PileStatus.Ok)
        {
            return;
        }

        // The keeper's work, which only one may do at a time.
        using (heap.Keeper.Working.EnterAnyhow())
        {
            long slots = heap.Policy.KeptBytes / RecordBytes;
            do
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
            while ((heap.Pool.ResidentBytes < heap.Policy.KeptBytes && heap.Pool.TryPopulateAhead()) || heap.Slots.TryPrepare(slots));
        }

        // What is missing is a segment that would be too much, and the cleaner's reserve, which is taken when it is needed; or there is no room.
        (long ready, long kept) = (heap.Pool.ResidentBytes, heap.Policy.KeptBytes);
        if (ready + heap.Pool.KeepBytes + heap.Pool.NextSegmentBytes <= kept)
        {
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.PreallocationShort(heap.Tag, ready, kept));
        }
    }
}
