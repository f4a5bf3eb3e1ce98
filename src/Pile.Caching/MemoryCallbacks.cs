// The eviction callbacks of entries: kept in this process, by the version of the entry that they were given with, and called when the table's events
// say that it is gone. The order of events makes their order; who stores or removes waits for none of them.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Cache.Entries;

namespace Pile.Caching;

/// <summary>Callbacks of the entries of one table. Thread-safe.</summary>
/// <param name="table">The table.</param>
/// <param name="logger">Where to write what a callback throws.</param>
internal sealed class MemoryCallbacks(PileTable<object, object> table, ILogger logger) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<PileEntryVersion, Kept> _entries = [];
    private PileSubscription? _subscription;
    private bool _isOver;
    private bool _isInDoubt;

    /// <summary>Stores an entry that has callbacks.</summary>
    internal PileSetResult Store(MemoryEntry entry, Func<PileSetResult> store)
    {
        PostEvictionCallbackRegistration[] calls = [.. entry.PostEvictionCallbacks];
        PileSetResult result;
        lock (_gate)
        {
            // With the gate: what becomes of the entry is not looked at before its callbacks are here. Entries of this table have no tags.
            _subscription ??= _isOver ? null : table.Subscribe(Take, new PileWatchOptions { Kinds = PileEventKinds.All & ~PileEventKinds.TagRemoved });
            result = store();
            if (result.IsStored && !_isOver)
            {
                _entries.Add(result.Version, new Kept(entry.Key, calls));
            }
        }

        if (!result.IsStored)
        {
            // It was never among those that events tell of.
            EvictionReason why = result.Outcome == PileSetOutcome.Expired ? EvictionReason.Expired : EvictionReason.Capacity;
            _ = Task.Run(() => Call(entry.Key, calls, why));
        }

        return result;
    }

    /// <summary>Ends the calls.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isOver = true;
            _subscription?.Dispose();
            _entries.Clear();
        }
    }

    private void Take(PileTableEvent<object> told)
    {
        if (_isInDoubt)
        {
            CallLost();
        }

        switch (told.Kind)
        {
            case PileEventKinds.Inserted:
                NoteTold(told.Version);
                break;
            case PileEventKinds.Replaced:
                NoteTold(told.Version);
                CallOf(told.Former, EvictionReason.Replaced);
                break;
            case PileEventKinds.Removed:
                CallOf(told.Version, EvictionReason.Removed);
                break;
            case PileEventKinds.Expired:
                CallOf(told.Version, EvictionReason.Expired);
                break;
            case PileEventKinds.Evicted:
                CallOf(told.Version, EvictionReason.Capacity);
                break;
            case PileEventKinds.Cleared:
                // Told ahead of its walk: what was told of before is gone, though it may be met for a moment yet.
                CallGone(EvictionReason.Removed, isClear: true);
                break;
            default:
                CallLost();
                break;
        }
    }

    /// <summary>Calls those of entries whose event is missing. The event of a Clear may be missing too, and its walk go on: then entries that are still
    /// met may be gone soon, and another look is taken with the next event.</summary>
    private void CallLost()
    {
        _isInDoubt = table.Parts.Watchers.IsClearing;
        CallGone(EvictionReason.None, isClear: false);
    }

    /// <summary>Notes that an entry's own event was told: an event of all entries that comes later is of it too.</summary>
    private void NoteTold(PileEntryVersion version)
    {
        lock (_gate)
        {
            if (_entries.TryGetValue(version, out Kept? entry))
            {
                entry.IsTold = true;
            }
        }
    }

    private void CallOf(PileEntryVersion version, EvictionReason why)
    {
        Kept? entry;
        lock (_gate)
        {
            if (!_entries.Remove(version, out entry))
            {
                return;
            }
        }

        Call(entry.Key, entry.Calls, why);
    }

    /// <summary>Calls those of all entries that are there no more.</summary>
    private void CallGone(EvictionReason why, bool isClear)
    {
        PileEntryVersion[] gone;
        lock (_gate)
        {
            gone = [.. _entries.Where(entry => (isClear && entry.Value.IsTold) || !(table.TryPeek(entry.Value.Key, out EntryInfo info) && info.Version == entry.Key)).Select(static entry => entry.Key)];
        }

        Array.ForEach(gone, version => CallOf(version, why));
    }

    private void Call(object key, PostEvictionCallbackRegistration[] calls, EvictionReason why)
    {
        foreach (PostEvictionCallbackRegistration call in calls)
        {
            try
            {
                call.EvictionCallback?.Invoke(key, null, why, call.State);
            }
            catch (Exception failure)
            {
                // A program's own, as with MemoryCache: the others are called all the same.
                Tell(key, failure);
            }
        }
    }

    /// <summary>Writes a failure to the log. What the log throws, or the key of which it tells, must not end the subscription, and with it all later calls.</summary>
    private void Tell(object key, Exception failure)
    {
        try
        {
            CacheLog.CallbackFailed(logger, $"{key}", table.Name, failure);
        }
        catch (Exception second)
        {
            Trace.TraceError($"An eviction callback of the table '{table.Name}' failed, and the log could not be told: {failure}; {second}");
        }
    }

    /// <summary>Callbacks of an entry.</summary>
    private sealed class Kept(object key, PostEvictionCallbackRegistration[] calls)
    {
        internal object Key => key;

        internal PostEvictionCallbackRegistration[] Calls => calls;

        /// <summary>Whether the event of its storing was told. With the gate.</summary>
        internal bool IsTold { get; set; }
    }
}
