// Whether a large value could be held once all has left that may leave: asked before anything leaves for it, for what is evicted and then is not enough
// is evicted for nothing, each time that somebody tries. It knows what stays by counts alone, so that near the limit some values pass for which there is no
// room after all; none that would fit is refused.
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Room for one value.</summary>
internal static class ValueRoom
{
    /// <summary>Whether the limit could hold a value of so many bytes. Where not, who watches is told, as of each call that is answered Full.</summary>
    internal static bool HoldsOrTells<TFormat>(CacheCore<TFormat> cache, int bytes)
        where TFormat : struct, IRecordFormat =>
        CouldHold(cache, bytes) || cache.Core.Room.Refuse(bytes) == PileStatus.Ok;

    private static bool CouldHold<TFormat>(CacheCore<TFormat> cache, int bytes)
        where TFormat : struct, IRecordFormat
    {
        long runBytes = LargeRuns.RunBytes(bytes);
        long limitBytes = cache.Core.Budget.LimitBytes;
        long roomBytes = limitBytes - cache.Core.Slots.TakenBytes - ((RoomLimits.CleanerReserveSegments + 1) * (long)cache.Core.Pool.NextSegmentBytes);

        // For a value of a small part of the limit not much can leave in vain, and it is not worth to add up what stays. What has ended counts until it is removed.
        return runBytes <= roomBytes
            && (runBytes < limitBytes / RoomLimits.LargeEvictedFraction
                || runBytes <= roomBytes - StayingBytes(cache)
                || (cache.TryExpire() && runBytes <= roomBytes - StayingBytes(cache)));
    }

    /// <summary>Bytes of entries that leave for nobody: those of durable tables and of priority NeverRemove. An object that keys share is counted for each of them: where there is one,
    /// nobody knows, and it is none.</summary>
    private static long StayingBytes<TFormat>(CacheCore<TFormat> cache)
        where TFormat : struct, IRecordFormat
    {
        long bytes = 0;
        if (cache.Shared.Count > 0)
        {
            return bytes;
        }

        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            bytes += table is null or { IsDropped: true } ? 0 : table.IsSpeculative ? table.Counts.NeverRemoveBytes : table.Counts.Bytes;
        }

        return bytes;
    }
}
