// Background work on indexes: buckets that mass removal left empty are merged and their memory goes back, and the memory of dropped
// tables follows them once nobody can be reading it.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Format;

namespace Pile.Cache.Eviction;

/// <summary>Upkeep of the indexes of one cache. Steps are the keeper's; tables may be added by anyone.</summary>
internal sealed class IndexUpkeep<TFormat>(CacheCore<TFormat> cache) : IDisposable
    where TFormat : struct, IRecordFormat
{
    private readonly Lock _gate = new();
    private readonly List<(TableIndex Index, long Epoch)> _dropped = [];
    private readonly List<(TableCore<TFormat> Table, long Epoch)> _merged = [];

    /// <summary>Bytes of dropped tables that are not freed yet.</summary>
    internal long WaitingBytes
    {
        get
        {
            lock (_gate)
            {
                long bytes = 0;
                foreach ((TableIndex index, _) in _dropped)
                {
                    bytes += index.TakenBytes;
                }

                return bytes;
            }
        }
    }

    /// <summary>Takes over the index of a dropped table.</summary>
    internal void Add(TableIndex index)
    {
        lock (_gate)
        {
            _dropped.Add((index, cache.Core.Epochs.Advance()));
        }

        cache.Core.Keeper.Begin();
    }

    /// <summary>One step.</summary>
    internal void Step()
    {
        FreeDropped();
        for (int at = _merged.Count - 1; at >= 0; at--)
        {
            (TableCore<TFormat> table, long epoch) = _merged[at];
            if (cache.Core.Epochs.HasPassed(epoch) && cache.WithWriter(() => TryTrim(table)))
            {
                _merged.RemoveAt(at);
            }
        }

        cache.Ghosts.Fit(cache.Records);
        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            if (table is not null && Shrink(table))
            {
                // Only the last epoch counts: what was merged since the one before may still be looked at.
                _ = _merged.RemoveAll(merged => merged.Table == table);
                _merged.Add((table, cache.Core.Epochs.Advance()));
            }
        }
    }

    /// <summary>Frees what waits. Nobody is inside any more.</summary>
    public void Dispose()
    {
        foreach ((TableIndex index, _) in _dropped)
        {
            index.Dispose();
        }

        _dropped.Clear();
    }

    private void FreeDropped()
    {
        // With the cleaner role: its holder asks tables about records outside every epoch.
        if (_dropped.Count == 0 || !cache.Core.Cleaner.TryEnterRole())
        {
            return;
        }

        try
        {
            lock (_gate)
            {
                for (int at = _dropped.Count - 1; at >= 0; at--)
                {
                    if (cache.Core.Epochs.HasPassed(_dropped[at].Epoch))
                    {
                        _dropped[at].Index.Dispose();
                        _dropped.RemoveAt(at);
                    }
                }
            }
        }
        finally
        {
            cache.Core.Cleaner.ExitRole();
        }
    }

    private bool TryTrim(TableCore<TFormat> table)
    {
        // With the cleaner role, as above: its holder may be about to lock a bucket of before a merge, and a store into a hole of a file needs room on the device.
        if (!cache.Core.Cleaner.TryEnterRole())
        {
            return false;
        }

        try
        {
            if (!table.Reads.IsEnded)
            {
                table.Growth.Trim();
            }

            return true;
        }
        finally
        {
            cache.Core.Cleaner.ExitRole();
        }
    }

    private bool Shrink(TableCore<TFormat> table)
    {
        int merged = 0;
        while (merged < CacheLimits.MergesAtOnce && table.Growth.IsTooLarge(table.Counts.Entries)
            && cache.WithWriter(() => !table.Reads.IsEnded && table.Growth.Shrink(table.Counts.Entries, CacheLimits.MergesTogether)))
        {
            merged += CacheLimits.MergesTogether;
        }

        return merged > 0;
    }
}
