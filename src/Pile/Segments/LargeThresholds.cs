// How much of the freed pages of large objects may wait for an epoch, and how much stays resident: as parts of the limit and of
// what is in use. Decides nothing by itself; who frees and gives back asks here.
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Thresholds of <see cref="LargeRuns"/>, in bytes. Pure.</summary>
internal static class LargeThresholds
{
    /// <summary>What must wait for its epoch to be worth a barrier. It costs as much as writing some hundred kilobytes: a few megabytes, or
    /// a small part of the limit.</summary>
    internal static long ReclaimAtBytes(long limitBytes, long usedBytes) => long.Max(
        long.Min(RoomLimits.LargeRetiredBytesMax, limitBytes / RoomLimits.LargeRetiredFraction), usedBytes / RoomLimits.LargeReserveFraction);

    /// <summary>Free pages kept for the next large objects: what was freed at once must not be faulted in again. As much as was freed together the last time, in bounds: where
    /// objects are updated all the time, and freed flush by flush, the updates until the next flush take it again.</summary>
    internal static long FreeBytesKept(long limitBytes, long usedBytes, long freedBytes) => long.Max(
        long.Max(RoomLimits.LargeFreeBytesMin, limitBytes / RoomLimits.LargeRetiredFraction),
        long.Max(usedBytes / RoomLimits.LargeReserveFraction, long.Min(freedBytes, limitBytes / RoomLimits.LargeFreedFraction)));

    /// <summary>What may wait before writers wait with it.</summary>
    internal static long PatientBytes(long limitBytes) => long.Max(RoomLimits.LargeRetiredBytesPatient, limitBytes / RoomLimits.LargeRetiredFraction);
}
