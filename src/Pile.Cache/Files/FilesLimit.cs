// What the files of a cache with a pile of its own may take, decided once they are open: only then it is known what entries can leave.
// It evicts nothing itself: a limit below what is in use is the keeper's to come down to, and every writer's.
using System.Collections.Generic;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>The limit of a cache in a directory.</summary>
internal static class FilesLimit
{
    // Of what is free on the device and what the files take themselves: the part for a cache that nobody has given a limit.
    private const int DeviceFraction = 2;

    /// <summary>Sets the limit of a cache that was just opened. Where none is asked for it grows by the large values that are known later.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="asked">What was asked for, or null.</param>
    /// <param name="memory">What knows the memory that the process may use.</param>
    /// <exception cref="PileFullException">What nothing evicts does not fit into what was asked for.</exception>
    internal static void Set(CacheBase cache, long? asked, RegionProvider memory)
    {
        ObjectPile pile = cache.Pile;
        if (asked is not { } limit)
        {
            long freeBytes = pile.Durable!.Directory.FreeBytes();
            long memoryBytes = HeapBase.DefaultLimit(memory);
            pile.Core.Budget.LimitByTaken(
                taken => long.Max(long.Max(taken, Limits.MemoryLimitMin), long.Min(memoryBytes, (taken + freeBytes) / DeviceFraction)));
            return;
        }

        if (pile.Core.Budget.UsedBytes > limit)
        {
            RefuseUnlessHeldFits(cache, limit);
        }

        pile.MemoryLimitBytes = limit;
    }

    /// <summary>Refuses a limit that all evictions together would not come down to.</summary>
    private static void RefuseUnlessHeldFits(CacheBase cache, long limit)
    {
        // Until the objects are counted nobody knows what they take.
        cache.Heap.WaitCounted();
        PileStatistics pile = cache.Pile.GetStatistics();
        long heldBytes = pile.LiveBytes + pile.TableBytes + pile.LargeBytes - (pile.LargeObjects * Limits.OsPageBytes);
        foreach (TableBase table in cache.Indexed())
        {
            // The values of entries count without the rest of their last OS page, which was taken off of all above.
            heldBytes += table.IsSpeculative ? -table.Counts.Bytes : table.Index.Memory.TakenBytes;
        }

        heldBytes += cache.Shared.Count == 0 ? 0 : SharedHeldBytes((CacheCore<DurableRecord>)cache);

        if (heldBytes > limit)
        {
            string path = cache.Pile.Durable!.Directory.FullPath;
            throw new PileFullException(
                $"'{path}': MemoryLimitBytes = {limit:N0} is less than the {heldBytes:N0} bytes of its durable tables and objects, which nothing evicts. Nothing was lost: raise it, or open the cache with the limit that it had and remove some.", path: path);
        }
    }

    /// <summary>What is held of objects that entries share, where the bytes of speculative tables, which have each object once for each key, were taken off:
    /// all of one that a durable key leads to, and nothing of the others.</summary>
    private static long SharedHeldBytes(CacheCore<DurableRecord> cache)
    {
        Dictionary<ulong, (int Names, int Bytes)> found = [];
        List<long> locations = [];
        foreach (TableCore<DurableRecord>? table in cache.Tables)
        {
            for (uint home = 0, homes = table?.Index.Homes ?? 0; table is { IsSpeculative: true } && home < homes; home += CacheLimits.BucketsWalked)
            {
                locations.Clear();
                EpochLine line = EpochLine.Current;
                long lease = line.BeginLease(cache.Core.Epochs.IdWord);
                table.Walk.List(home, uint.Min(homes, home + CacheLimits.BucketsWalked), homes, locations);
                foreach (long location in locations)
                {
                    if (table.Reads.LinkAt(location, table.Lookup.HeadA(location)) is { IsShared: true } linked)
                    {
                        found[linked.Pointer] = (found.GetValueOrDefault(linked.Pointer).Names + 1, linked.Bytes);
                    }
                }

                line.EndScope(lease);
            }
        }

        long heldBytes = 0;
        foreach (SharedObject known in cache.Shared.List())
        {
            (int names, int bytes) = found.GetValueOrDefault(known.Pointer);
            heldBytes += names * (long)bytes;
            heldBytes += names < known.Names
                ? CacheLimits.SharedObjectBytes
                : -SegmentWriter<DurableRecord>.RecordBytes(bytes) - SegmentWriter<DurableRecord>.RecordBytes(MarkPayload.Length);
        }

        return heldBytes;
    }
}
