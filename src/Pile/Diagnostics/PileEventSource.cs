// Events for EventPipe, ETW and the like: rare things of a pile's life, none on a hot path. Names and ids are fixed by a test.
// Counters are the Meter's (PileMetrics).
using System.Diagnostics.Tracing;

namespace Pile.Diagnostics;

/// <summary>The EventSource "Pile".</summary>
[EventSource(Name = "Pile")]
internal sealed class PileEventSource : EventSource
{
    internal static readonly PileEventSource Log = new();

    private PileEventSource()
    {
    }

    [Event(1, Level = EventLevel.Informational, Message = "Pile {0} is ready, limit {1} bytes")]
    internal void PileCreated(long tag, long memoryLimitBytes)
    {
        if (IsEnabled(EventLevel.Informational, EventKeywords.None))
        {
            WriteEvent(1, tag, memoryLimitBytes);
        }
    }

    [Event(2, Level = EventLevel.Informational, Message = "Pile {0} disposed")]
    internal void PileDisposed(long tag)
    {
        if (IsEnabled(EventLevel.Informational, EventKeywords.None))
        {
            WriteEvent(2, tag);
        }
    }

    [Event(3, Level = EventLevel.Warning, Message = "Pile {0} refused {1} bytes: {2} of {3} bytes in use")]
    internal void PileFull(long tag, long bytes, long usedBytes, long memoryLimitBytes)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(3, tag, bytes, usedBytes, memoryLimitBytes);
        }
    }

    [Event(4, Level = EventLevel.Error, Message = "Pile took segment {0} out of use: its counts or bytes are not what they should be")]
    internal void SegmentQuarantined(int segment)
    {
        if (IsEnabled(EventLevel.Error, EventKeywords.None))
        {
            WriteEvent(4, segment);
        }
    }

    [Event(5, Level = EventLevel.Error, Message = "The background thread of a pile ended: {0}")]
    internal void KeeperFailed(string failure)
    {
        if (IsEnabled(EventLevel.Error, EventKeywords.None))
        {
            WriteEvent(5, failure);
        }
    }

    [Event(6, Level = EventLevel.Informational, Message = "Pile {0} cleared")]
    internal void PileCleared(long tag)
    {
        if (IsEnabled(EventLevel.Informational, EventKeywords.None))
        {
            WriteEvent(6, tag);
        }
    }

    [Event(7, Level = EventLevel.Error, Message = "Flush {0} failed, the pile takes no writes until it is opened again: {1}")]
    internal void FlushFailed(long flush, string failure)
    {
        if (IsEnabled(EventLevel.Error, EventKeywords.None))
        {
            WriteEvent(7, flush, failure);
        }
    }

    [Event(9, Level = EventLevel.Error, Message = "Pile {0}: {1} entries of its table lead to no record; the next open builds it anew from the records, and is refused where a record is damaged: have 'pile verify' tell which once it is closed")]
    internal void TableDamaged(long tag, long entries)
    {
        if (IsEnabled(EventLevel.Error, EventKeywords.None))
        {
            WriteEvent(9, tag, entries);
        }
    }

    [Event(10, Level = EventLevel.Warning, Message = "Pile {0}: a checkpoint could not be written: {1}")]
    internal void CheckpointFailed(long tag, string failure)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(10, tag, failure);
        }
    }

    [Event(11, Level = EventLevel.Error, Message = "Pile {0}: the object of slot {1} is corrupted")]
    internal void ObjectCorrupted(long tag, long slot)
    {
        if (IsEnabled(EventLevel.Error, EventKeywords.None))
        {
            WriteEvent(11, tag, slot);
        }
    }

    [Event(12, Level = EventLevel.Warning, Message = "Pile {0} grows no more: {1} bytes are free on its device, {2} of them are kept")]
    internal void DiskLow(long tag, long freeBytes, long reserveBytes)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(12, tag, freeBytes, reserveBytes);
        }
    }

    [Event(13, Level = EventLevel.Warning, Message = "Pile {0}: a listener failed when it was shown the pile: {1}")]
    internal void ListenerFailed(long tag, string failure)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(13, tag, failure);
        }
    }

    [Event(14, Level = EventLevel.Warning, Message = "Pile {0}: the table '{1}' of its cache keeps the options that it has; asked for was another {2}")]
    internal void TableOptionsIgnored(long tag, string table, string options)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(14, tag, table, options);
        }
    }

    [Event(16, Level = EventLevel.Warning, Message = "Pile {0}: entries of the table '{1}' of its cache can't be read, and GetOrAdd takes them for misses; of the first: {2}")]
    internal void EntryUnreadable(long tag, string table, string failure)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(16, tag, table, failure);
        }
    }

    [Event(17, Level = EventLevel.Warning, Message = "Pile {0}: {3} of the {4} keys that were looked at in the table '{1}' of its cache have a type in them that is not known here ({2}): whether they are found nobody can tell. {5}")]
    internal void KeyTypesUnknown(long tag, string table, string type, int keys, int keysRead, string wayOut)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(17, tag, table, type, keys, keysRead, wayOut);
        }
    }

    [Event(18, Level = EventLevel.Warning, Message = "Pile {0}: its cache remembers no more removals by tag; the {1} oldest are taken for one that removed all entries with tags of before, {2} are left. Fewer different tags are to be removed, or the limit raised")]
    internal void TagRemovalsMerged(long tag, int merged, int left)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(18, tag, merged, left);
        }
    }

    [Event(15, Level = EventLevel.Warning, Message = "Pile {0} has {1} bytes of segments ready, and PreallocationBytes = {2} asked for more: its limit or its device has no room for them")]
    internal void PreallocationShort(long tag, long readyBytes, long preallocationBytes)
    {
        if (IsEnabled(EventLevel.Warning, EventKeywords.None))
        {
            WriteEvent(15, tag, readyBytes, preallocationBytes);
        }
    }

    [Event(8, Level = EventLevel.Informational, Message = "Pile {0} opened: {1}")]
    internal void PileOpened(long tag, string how)
    {
        if (IsEnabled(EventLevel.Informational, EventKeywords.None))
        {
            WriteEvent(8, tag, how);
        }
    }
}
