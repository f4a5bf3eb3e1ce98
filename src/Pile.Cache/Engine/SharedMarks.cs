// Marks of shared objects, in files: records beside the objects that say that these are the cache's. One for which there is no room is stored
// when there is; until it is, a power cut would leave an object of which nobody knows that no entry leads to it.
using System.Collections.Concurrent;
using Pile.Cache.Entries;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Marks of one cache. Thread-safe; called without any lock.</summary>
internal sealed class SharedMarks(CacheBase cache)
{
    private readonly ConcurrentQueue<ulong> _left = new();

    /// <summary>Makes sure that an object which entries lead to has its mark.</summary>
    internal void Store(ulong pointer)
    {
        if (cache.Heap.Log.IsDurable && cache.Shared.MarkOf(pointer) == 0 && !TryStore(pointer))
        {
            // No room: again in the background, and at the next open if there is none till then.
            cache.NoteLoose();
            _left.Enqueue(pointer);
        }
    }

    /// <summary>Stores those for which there was no room, as far as there is now. Called by the keeper.</summary>
    internal void StoreLeft()
    {
        for (int left = _left.Count; left > 0 && _left.TryDequeue(out ulong pointer); left--)
        {
            if (cache.Shared.LacksMark(pointer) && !TryStore(pointer))
            {
                _left.Enqueue(pointer);
                return;
            }

            cache.NoteSettled();
        }
    }

    /// <summary>Deletes a mark that nothing knows; 0 for none.</summary>
    internal void Delete(ulong mark)
    {
        if (mark != 0 && cache.Pile.Writes.TryDelete(mark) is not (PileStatus.Ok or PileStatus.Stale))
        {
            // No room: the next open looks.
            cache.NoteLoose();
        }
    }

    /// <summary>Forgets what was left: the objects went with all others. All writers are held.</summary>
    internal void Forget()
    {
        while (_left.TryDequeue(out _))
        {
            cache.NoteSettled();
        }
    }

    private bool TryStore(ulong pointer)
    {
        bool isStored = cache.Pile.Writes.TryPut(RecordCode.Extended, new MarkPayload(pointer), out ulong mark) == PileStatus.Ok;
        if (isStored)
        {
            Delete(cache.Shared.Keep(pointer, mark));
        }

        return isStored;
    }
}
