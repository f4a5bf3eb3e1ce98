// Objects of the pile that entries share, and how many entries lead to each. An entry counts from before it is stored until after it is
// gone, so that an object is never deleted under one. The last that goes lets the object go: at once, or where entries in files had led to
// it that a power cut could bring back, after the flush that covers their end. In files a mark says that an object is the cache's; object
// and mark are deleted as one, so that whatever a cut leaves, an object without entries has its mark, and the next open deletes it.
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Shared objects of one cache. Thread-safe; what deletes or stores is called without any lock.</summary>
internal sealed class SharedObjects(CacheBase cache)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, SharedObject> _objects = [];
    private readonly PriorityQueue<ulong, long> _due = new();
    private readonly FlushClock _flushes = cache.Heap.Log.Flushes;
    private long _takenBytes;

    /// <summary>Held while entries are counted. No interrupt of a thread ends a wait for it: the entry is gone by then, and who else knows its object?</summary>
    internal Lock Gate => _gate;

    /// <summary>The marks of these objects, in files.</summary>
    internal SharedMarks Marks { get; } = new(cache);

    /// <summary>Objects that entries lead to, or did until a moment ago.</summary>
    internal int Count
    {
        get
        {
            using (_gate.EnterAnyhow())
            {
                return _objects.Count;
            }
        }
    }

    /// <summary>Bytes of the budget that the counts hold.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>Objects that wait to be deleted.</summary>
    internal int Due
    {
        get
        {
            using (_gate.EnterAnyhow())
            {
                return _due.Count;
            }
        }
    }

    /// <summary>Whether a pointer leads to an object, by its entry alone, and also once readers are refused: what its bytes are is looked at when
    /// they are first read.</summary>
    internal bool IsObject(ulong pointer) =>
        PointerWord.Tag(pointer) == cache.Heap.Tag && PointerWord.Slot(pointer) < cache.Heap.Slots.HighWater && EntryWord.Matches(cache.Heap.Table.Read(PointerWord.Slot(pointer)), pointer);

    /// <summary>Counts an entry that is about to be stored.</summary>
    /// <returns>Ok; Stale when the last entry of the object has gone, and it goes too; Full when the budget has no room for the count. Then
    /// <see cref="TryTakeRoom"/> is called with a writer held.</returns>
    internal PileStatus TryName(ulong pointer)
    {
        using (_gate.EnterAnyhow())
        {
            bool isThere = _objects.TryGetValue(pointer, out SharedObject known);
            if (isThere && known is { Names: 0 })
            {
                return PileStatus.Stale;
            }

            if (!isThere && (_objects.Count + 1L) * CacheLimits.SharedObjectBytes > _takenBytes)
            {
                return PileStatus.Full;
            }

            known = isThere ? known : new SharedObject(pointer, 0, 0, false, _flushes.Next, 0);
            _objects[pointer] = known with { Names = known.Names + (Fault.CacheNamesNotCounted && isThere ? 0 : 1) };
            return PileStatus.Ok;
        }
    }

    /// <summary>Takes memory of the budget for more counts. With a writer held, so that Verify sees it taken or not.</summary>
    internal bool TryTakeRoom()
    {
        using (_gate.EnterAnyhow())
        {
            bool isTaken = cache.Heap.Budget.TryTakeBesideReserve(CacheLimits.SharedBytesTogether);
            _takenBytes += isTaken ? CacheLimits.SharedBytesTogether : 0;
            return isTaken;
        }
    }

    /// <summary>The mark of an object; 0 for none.</summary>
    internal ulong MarkOf(ulong pointer)
    {
        using (_gate.EnterAnyhow())
        {
            return _objects.GetValueOrDefault(pointer).Mark;
        }
    }

    /// <summary>One entry's part of the bytes of an object: all parts together are the object, which goes with the last of them.</summary>
    internal int PartOf(in LinkedValue linked)
    {
        using (_gate.EnterAnyhow())
        {
            return _objects.TryGetValue(linked.Pointer, out SharedObject known) && known.Names > 0 ? linked.Bytes / known.Names : 0;
        }
    }

    /// <summary>Whether the object itself survives a power cut; one that nobody knows does not stand for anything.</summary>
    internal bool IsFlushed(ulong pointer)
    {
        using (_gate.EnterAnyhow())
        {
            return !_objects.TryGetValue(pointer, out SharedObject known) || _flushes.HasCovered(known.PutBy) || Fault.CacheUnflushedShared;
        }
    }

    /// <summary>Notes that the entry which was counted is stored: the object is the cache's.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="mark">A mark that was stored too; 0 for none.</param>
    /// <returns>The mark, for the caller to delete, where another call has stored one, or the object is gone already; else 0.</returns>
    internal ulong Keep(ulong pointer, ulong mark)
    {
        using (_gate.EnterAnyhow())
        {
            if (!_objects.TryGetValue(pointer, out SharedObject known))
            {
                return mark;
            }

            _objects[pointer] = known with { IsOwned = true, Mark = known.Mark == 0 ? mark : known.Mark };
            return known.Mark == 0 ? 0 : mark;
        }
    }

    /// <summary>Notes that the entry which was counted was not stored.</summary>
    internal void Withdraw(ulong pointer)
    {
        using (_gate.EnterAnyhow())
        {
            if (_objects.TryGetValue(pointer, out SharedObject known) && known.Names > 0)
            {
                LowerLocked(known with { Names = known.Names - 1 });
            }
        }

        DeleteDue();
    }

    /// <summary>Notes that an entry is gone which led to an object. Then <see cref="DeleteDue"/> is called; when this throws, nothing was noted.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="flush">The flush that covers its end, where it survives power cuts; 0 for others.</param>
    /// <returns>False when the object is not shared, and was the entry's alone.</returns>
    internal bool TryDrop(ulong pointer, long flush)
    {
        using (_gate.EnterAnyhow())
        {
            if (!_objects.TryGetValue(pointer, out SharedObject known))
            {
                return false;
            }

            if (known.Names > 0)
            {
                LowerLocked(known with { Names = known.Names - 1, IsOwned = true, FreeBy = long.Max(known.FreeBy, flush) });
            }
        }

        return true;
    }

    /// <summary>Whether entries lead to an object that has no mark.</summary>
    internal bool LacksMark(ulong pointer)
    {
        using (_gate.EnterAnyhow())
        {
            return _objects.GetValueOrDefault(pointer) is { Names: > 0, Mark: 0 };
        }
    }

    /// <summary>Deletes the objects that no entry leads to any more, up to the first for which it is too early, or that can't be deleted now.</summary>
    internal void DeleteDue()
    {
        bool isDone = true;
        while (isDone && !cache.Heap.IsDisposed && TryTakeDue(out SharedObject gone))
        {
            ulong late = 0;
            isDone = false;
            try
            {
                PileStatus status = Delete(gone);
                isDone = status == PileStatus.Ok || IsForGood(status);
            }
            finally
            {
                using (_gate.EnterAnyhow())
                {
                    if (isDone)
                    {
                        // Who stored an entry may have brought the mark only now.
                        late = _objects.Remove(gone.Pointer, out SharedObject known) && known.Mark != gone.Mark ? known.Mark : 0;
                    }
                    else if (_objects.ContainsKey(gone.Pointer))
                    {
                        _due.Enqueue(gone.Pointer, gone.FreeBy);
                    }
                }
            }

            Marks.Delete(late);
        }

        if (Due > 0)
        {
            // What waits for a flush, nobody comes for.
            cache.Heap.Keeper.Begin();
        }

        GiveRoomBack();
    }

    /// <summary>As <see cref="DeleteDue"/>, and asks for the flush that others wait for.</summary>
    /// <returns>Whether any object was deleted.</returns>
    internal bool TryFree()
    {
        int due = Due;
        if (due > 0)
        {
            DeleteDue();
            _flushes.Wanted();
        }

        return Due < due;
    }

    /// <summary>Takes over what the open before knew, or what was found, before anybody is in the cache.</summary>
    internal void Restore(IEnumerable<SharedObject> objects)
    {
        List<SharedObject> all = [.. objects];
        long bytes = Align.Up(all.Count * (long)CacheLimits.SharedObjectBytes, CacheLimits.SharedBytesTogether);

        // Beyond the limit too: as the indexes that come.
        _ = cache.Heap.Budget.TryTake(bytes, mayPass: true);
        using (_gate.EnterAnyhow())
        {
            _takenBytes += bytes;
            foreach (SharedObject known in all)
            {
                _objects[known.Pointer] = known with { IsOwned = true, PutBy = _flushes.Next, FreeBy = _flushes.Next };
                if (known.Names == 0)
                {
                    _due.Enqueue(known.Pointer, _flushes.Next);
                }
            }
        }
    }

    /// <summary>What is known of all, for the next open.</summary>
    internal IReadOnlyList<SharedObject> List()
    {
        using (_gate.EnterAnyhow())
        {
            return [.. _objects.Values];
        }
    }

    /// <summary>Forgets all of them, which went with all other objects. All writers are held.</summary>
    internal void Reset()
    {
        using (_gate.EnterAnyhow())
        {
            _objects.Clear();
            _due.Clear();
            cache.Heap.Budget.GiveBack(_takenBytes);
            _takenBytes = 0;
        }

        Marks.Forget();
    }

    /// <summary>Gives back what the counts take of the budget, when nobody is in the cache any more.</summary>
    internal void Dispose()
    {
        using (_gate.EnterAnyhow())
        {
            cache.Heap.Budget.GiveBack(_takenBytes);
            _takenBytes = 0;
        }
    }

    private void LowerLocked(SharedObject known)
    {
        if (known.Names > 0)
        {
            _objects[known.Pointer] = known;
        }
        else if (known.IsOwned)
        {
            // Kept until it is deleted: an entry that comes now finds it gone. What may throw comes first.
            _ = _due.EnsureCapacity(_due.Count + 1);
            _objects[known.Pointer] = known;
            _due.Enqueue(known.Pointer, known.FreeBy);
        }
        else
        {
            // No entry ever led to it: it is the program's, as before.
            _ = _objects.Remove(known.Pointer);
        }
    }

    private bool TryTakeDue(out SharedObject gone)
    {
        using (_gate.EnterAnyhow())
        {
            // A row that is gone already must not keep those behind it waiting.
            while (_due.TryPeek(out ulong pointer, out long flush) && (_flushes.HasCovered(flush) || Fault.CacheSharedFreedEarly))
            {
                _ = _due.Dequeue();
                if (_objects.TryGetValue(pointer, out gone))
                {
                    return true;
                }
            }

            gone = default;
            return false;
        }
    }

    /// <summary>Deletes object and mark as one.</summary>
    private PileStatus Delete(in SharedObject gone)
    {
        if (gone.Mark == 0)
        {
            return cache.Pile.Writes.TryDelete(gone.Pointer);
        }

        BatchMember[] both = [new() { Pointer = gone.Pointer, Action = BatchAction.Delete }, new() { Pointer = gone.Mark, Action = BatchAction.Delete }];
        PileStatus status = cache.Pile.Durable!.Batches.TryCommit(both, [], out int failed);

        // The program deleted the object, or one of the two is damaged: the other goes alone.
        return IsForGood(status) && failed >= 0 ? cache.Pile.Writes.TryDelete(both[1 - failed].Pointer) : status;
    }

    /// <summary>Whether no later attempt to delete would come to anything else.</summary>
    private static bool IsForGood(PileStatus status) => status is PileStatus.Stale or PileStatus.Corrupted or PileStatus.WrongPile;

    private void GiveRoomBack()
    {
        if (cache.Heap.IsDisposed || !HasRoomLeft())
        {
            return;
        }

        _ = cache.WithWriter(() =>
        {
            using (_gate.EnterAnyhow())
            {
                // Of what is no longer needed one part stays, for who comes next.
                long bytes = HasRoomLeft() ? (_takenBytes - (_objects.Count * (long)CacheLimits.SharedObjectBytes)) / CacheLimits.SharedBytesTogether * CacheLimits.SharedBytesTogether : 0;
                cache.Heap.Budget.GiveBack(bytes);
                _takenBytes -= bytes;
                return true;
            }
        });
    }

    private bool HasRoomLeft()
    {
        using (_gate.EnterAnyhow())
        {
            return _takenBytes - (_objects.Count * (long)CacheLimits.SharedObjectBytes) > 2L * CacheLimits.SharedBytesTogether;
        }
    }
}
