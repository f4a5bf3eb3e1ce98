// How many bytes of segments a pile may hold for what lives in it: the ratio that bounds memory under churn.
// It only answers a question: SegmentPool refuses to grow by it, cleaner and background thread work toward it.
// The table counts too, because memory that deletions leave in it can only be saved on the segments.
using System;
using System.Threading;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>The ratio of resident to live bytes. Thread-safe.</summary>
/// <param name="usedOverLive">That ratio.</param>
/// <param name="keptBytes">Bytes of segments that are kept whatever lives in them.</param>
internal sealed class GrowthPolicy(double usedOverLive, long keptBytes)
{
    // Four huge pages; and the part of what the pile holds, and of what its budget has left, that is made ready ahead at the most.
    internal const long AheadBytesMax = 8 << 20;
    private const int AheadFraction = 8;
    private Func<PileVolume> _volume = static () => default;
    private double _usedOverLive = usedOverLive;

    /// <summary>Largest ratio of (segments + table) to (live records + their entries) before a writer cleans.</summary>
    internal double UsedOverLive
    {
        get => Volatile.Read(ref _usedOverLive);
        set => Volatile.Write(ref _usedOverLive, value);
    }

    /// <summary>Bytes of segments that are kept whatever lives in them (<see cref="PileOptions.PreallocationBytes"/>).</summary>
    internal long KeptBytes => keptBytes;

    /// <summary>Tells the policy whom to ask for the volume; once, when the pile is put together.</summary>
    internal void Follow(Func<PileVolume> volume) => _volume = volume;

    /// <summary>Free segments that shall be ready while something is written.</summary>
    internal int FreeSegmentsWanted => RoomLimits.CleanerReserveSegments + RoomLimits.FreeSegmentsKept + _volume().Writers;

    /// <summary>Whether the pile is in files, where deletions take room in the log: for what tells that something was deleted.</summary>
    internal bool HoldsTombstones { get; set; }

    /// <summary>Segments that writers leave: to the cleaner, and in files to deletions a part of the pile, however large it is. When they have filled that, so much is dead that
    /// cleaning is worth it.</summary>
    internal int ReserveSegments(long residentBytes, int segmentBytes) => HoldsTombstones
        ? int.Max(RoomLimits.CleanerReserveSegments, RoomLimits.CleanerReserveSegments - 2 + (int)(residentBytes / Limits.SegmentsPerPile / segmentBytes))
        : RoomLimits.CleanerReserveSegments;

    /// <summary>Segments beyond <see cref="FreeSegmentsWanted"/> that are made ready ahead of writers in files: there the system makes pages by its huge ones, one of which takes
    /// longer than writers need for a small segment (decision 59). Ever fewer as the budget ends, since nothing lives in them.</summary>
    /// <param name="residentBytes">Bytes of segments that the pile has.</param>
    /// <param name="segmentBytes">Bytes of each that growth adds.</param>
    /// <param name="budgetBytes">Bytes that the budget has left.</param>
    internal int SegmentsAhead(long residentBytes, int segmentBytes, long budgetBytes) => HoldsTombstones
        ? (int)(long.Min(AheadBytesMax, long.Min(residentBytes, budgetBytes) / AheadFraction) / segmentBytes)
        : 0;

    /// <summary>Up to which part of a segment may live for the keeper to clean it: the ratio's, and more where the table has too much after deletions,
    /// since segments cleaned to the ratio alone can't save that.</summary>
    internal double UtilisationMax(int segmentBytes)
    {
        double ratio = (double)ResidentBytesMax(segmentBytes) / long.Max(1, _volume().LiveBytes);
        return 1 / double.Min(UsedOverLive, double.Max(ratio, RoomLimits.UsedOverLiveHeld));
    }

    /// <summary>Bytes of segments up to which the pile may grow now. A small pile gets a few segments whatever lives in it;
    /// what the table has too much, after deletions, the segments must save, as far as cleaning stays affordable. What is left at the ends of full
    /// segments can't be saved: copies of their records leave as much.</summary>
    internal long ResidentBytesMax(int segmentBytes) => ResidentBytesMax(segmentBytes, UsedOverLive);

    /// <inheritdoc cref="ResidentBytesMax(int)"/>
    internal long ResidentBytesMax(int segmentBytes, double usedOverLive)
    {
        PileVolume volume = _volume();
        long entryBytes = volume.Objects * Limits.WordBytes;
        long ratio = (long)((volume.LiveBytes + entryBytes) * usedOverLive) - volume.TableBytes;
        long taken = volume.LiveBytes + volume.UnfitBytes;
        long affordable = (long)(taken * double.Min(usedOverLive, RoomLimits.UsedOverLiveAffordable));
        long few = taken + ((RoomLimits.CleanerReserveSegments + RoomLimits.FreeSegmentsKept + (2L * volume.Writers)) * segmentBytes);
        return long.Max(long.Max(ratio, affordable), long.Max(few, keptBytes));
    }
}
