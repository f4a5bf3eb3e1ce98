// Clear and end of a durable table in files. That it is cleared is one change of the list of tables, durable before anything else: from then
// on its entries are of another era, and are not shown; that it is dropped is another such change. What is left is to delete the entries,
// each like a removal. Where there is no room for that the keeper goes on with it, and who needs room; after the end of the pile, who opens it next.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>One Clear.</summary>
internal sealed class SlotClear(TableCore<DurableRecord> table)
{
    private const int ErasOfCommit = (KeyedPrefix.EraMask + 1) / 2;

    private readonly CacheCore<DurableRecord> _cache = table.Cache;
    private readonly List<long> _locations = [];
    private readonly List<(uint Low, SlotSeen Seen)> _entries = [];

    /// <summary>What is cleared.</summary>
    internal TableCore<DurableRecord> Table => table;

    /// <summary>Entries that it removed.</summary>
    internal long Removed { get; private set; }

    /// <summary>Removes every entry that is there.</summary>
    /// <param name="isDropping">Whether the table was dropped, and this is its end.</param>
    /// <remarks>Where there is no room for what removals leave in the log, the table is empty all the same, and the rest is removed later.</remarks>
    internal void Run(bool isDropping)
    {
        lock (table.Slots!.Clearing)
        {
            // Noted before, and until all are deleted: whatever ends this, a close in order by another thread too, the next open looks for
            // what is left.
            _cache.NoteLoose();
            if (!isDropping)
            {
                BeginEra();
            }

            try
            {
                RemoveLeft(isDropping);
                _cache.NoteSettled();
            }
            catch (PileFullException)
            {
                table.IsLeft = isDropping;
                if (!_cache.Clears.TryAdd(new SlotClear(table)))
                {
                    Settle();
                }

                _cache.Heap.Keeper.Begin();
            }
        }
    }

    /// <summary>Notes that nothing is left, or that another one of the table goes on.</summary>
    internal void Settle() => _cache.NoteSettled();

    /// <summary>Goes on with what was left, unless somebody clears the table just now.</summary>
    /// <returns>Whether nothing is left. That of a cache that ended before its pile stays, and is the next open's.</returns>
    internal bool TryGoOn()
    {
        Lock clearing = table.Slots!.Clearing;
        if (clearing.IsHeldByCurrentThread || !clearing.TryEnter())
        {
            // What this thread removes needs room itself.
            return false;
        }

        try
        {
            bool isDropped = table.IsLeft;
            if (isDropped || !table.IsDropped)
            {
                RemoveLeft(isDropped);
            }
            else if (_cache.Has(table))
            {
                return false;
            }

            Settle();
            if (isDropped)
            {
                table.IsLeft = false;
                _ = _cache.TakeAway(table);
            }

            return true;
        }
        catch (Exception failure) when (failure is PileException or ObjectDisposedException)
        {
            // Still no room, or the pile takes no writes any more; or another object stood for the table by now, and it was dropped under that.
            bool isGone = !_cache.Has(table);
            if (isGone)
            {
                Settle();
            }

            return isGone;
        }
        finally
        {
            clearing.Exit();
        }
    }

    private void RemoveLeft(bool isDropping)
    {
        table.Growth.BeginWalk();
        try
        {
            uint homes = table.Index.Homes;
            for (uint first = 0; first < homes; first += CacheLimits.BucketsWalked)
            {
                RemoveSome(first, uint.Min(first + CacheLimits.BucketsWalked, homes), homes, isDropping);
            }
        }
        finally
        {
            table.Growth.EndWalk();
        }
    }

    private void BeginEra()
    {
        if ((table.Slots!.Era + 1) % ErasOfCommit == 0)
        {
            // Eras come around: by then nothing may be left of what was cleared when this number was the table's before, and no cut may
            // bring it back. A Clear that can't see to that is refused before it begins.
            RemoveLeft(isDropping: false);
            _cache.RefuseOldEntries();
            _cache.Pile.Commit();
        }

        int era = _cache.WithWriter(() =>
        {
            // Inside the epoch: who ends the pile waits for it before the directory is somebody else's.
            _cache.RefuseEnded();
            return _cache.Files!.Tables.BeginEra(table.Id);
        });
        if (era < 0)
        {
            table.ThrowEnded();
        }

        // Who stores holds a writer and takes the era then: after this none of another era is added any more, and none of this one was before.
        _cache.Core.Writers.HoldAll();
        try
        {
            table.Slots.Era = era;
            _ = table.Watchers.TellCleared();
        }
        finally
        {
            _cache.Core.Writers.ReleaseAll();
        }

        Fault.Stop(StopPoint.CacheEraBegun);
    }

    private void RemoveSome(uint first, uint end, uint homes, bool isDropping)
    {
        EpochLine line = EpochLine.Current;
        _locations.Clear();
        _entries.Clear();
        long lease = line.BeginLease(_cache.Core.Epochs.IdWord);
        try
        {
            if (!_cache.Has(table))
            {
                table.ThrowEnded();
            }

            table.Walk.List(first, end, homes, _locations, isDropping);
            foreach (long location in _locations)
            {
                if (isDropping || !table.Lookup.IsOfEra(location))
                {
                    _entries.Add((table.Lookup.LowAt(location), table.Looks!.SeenAt(location)));
                }
            }
        }
        finally
        {
            line.EndScope(lease);
        }

        foreach ((uint low, SlotSeen seen) in _entries)
        {
            PileStatus status = table.SlotRemovals!.RemoveAt(low, seen, isDropping ? RemovalReason.Dropped : RemovalReason.Cleared);
            if (status != PileStatus.Ok)
            {
                table.ThrowRefused(status);
            }

            Removed++;
        }
    }
}
