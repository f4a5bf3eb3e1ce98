// Runs of pages that no descriptor in use leads to any more, until their epoch has passed, their pins are gone and, where a power cut
// must not bring back what leads to them, a flush that began after that has completed. It frees nothing itself.
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Retired runs. Not thread-safe; the counts may be read by anyone.</summary>
/// <param name="flushes">The flushes that they may wait for.</param>
internal sealed class RetiredRuns(FlushClock flushes)
{
    private readonly List<Retired> _waiting = [];
    private long _bytes;
    private long _heldBytes;
    private long _pinnedBytes;
    private long _lastFlush;

    /// <summary>Which runs are pinned, of those in use too.</summary>
    internal RunPins Pins { get; } = new();

    /// <summary>Bytes of all that wait.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Of these, what was seen past its epoch and waits for a pin or a flush: no barrier ends that.</summary>
    internal long HeldBytes => Volatile.Read(ref _heldBytes);

    /// <summary>Bytes of those that were not seen pinned: readers leave and flushes come, but a pin lasts as long as its holder likes.</summary>
    internal long AwaitedBytes => Bytes - Volatile.Read(ref _pinnedBytes);

    /// <summary>Finds the room for so many: adding one can't fail then.</summary>
    internal void Reserve(long count) => _ = _waiting.EnsureCapacity((int)count);

    /// <summary>Adds a run that was retired in an epoch.</summary>
    internal void Add(long location, int pages, long epoch)
    {
        long flush = flushes.Next;
        _waiting.Add(new Retired(location, pages, epoch, flush));
        Volatile.Write(ref _lastFlush, flush);
        Volatile.Write(ref _bytes, _bytes + BytesOf(pages));
    }

    /// <summary>Asks for the flush that what waits here waits for, unless it has begun.</summary>
    internal void AskForFlush() => flushes.Ask(AwaitedBytes > 0 ? Volatile.Read(ref _lastFlush) : 0);

    /// <summary>Finds what may be freed now that an epoch has passed.</summary>
    /// <returns>How many runs <see cref="Take"/> gives.</returns>
    internal int Part(long epoch)
    {
        (int kept, long held, long pinned) = (0, 0, 0);
        for (int index = 0; index < _waiting.Count; index++)
        {
            Retired run = _waiting[index];
            bool isPast = run.Epoch < epoch;
            bool isPinned = Pins.Contains(run.Location);
            if (isPast && !isPinned && flushes.HasCovered(run.Flush))
            {
                continue;
            }

            held += isPast ? BytesOf(run.Pages) : 0;
            pinned += isPinned ? BytesOf(run.Pages) : 0;
            (_waiting[kept], _waiting[index]) = (run, _waiting[kept]);
            kept++;
        }

        Volatile.Write(ref _heldBytes, held);
        Volatile.Write(ref _pinnedBytes, pinned);
        return _waiting.Count - kept;
    }

    /// <summary>Takes the next of those found by <see cref="Part"/>. It is gone from here before it is freed: whatever happens, none is freed twice.</summary>
    internal (long Location, int Pages) Take()
    {
        Retired run = _waiting[^1];
        _waiting.RemoveAt(_waiting.Count - 1);
        Volatile.Write(ref _bytes, _bytes - BytesOf(run.Pages));
        return (run.Location, run.Pages);
    }

    private static long BytesOf(int pages) => (long)pages * Limits.OsPageBytes;

    private readonly record struct Retired(long Location, int Pages, long Epoch, long Flush);
}
