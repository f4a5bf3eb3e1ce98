// Watches the free space of the device that holds a pile: growth that would leave less than the reserve is refused, while there
// is still room to notice and to clean. It looks at each growth, which is a few system calls anyway.
// It does not look at the pile's own limit (MemoryBudget does) and makes no promise: others write to the device too.
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;

namespace Pile.Persistence;

/// <summary>The watch over one directory's device. Thread-safe.</summary>
/// <param name="directory">The directory.</param>
/// <param name="reserveBytes">What growth leaves free; 0: only the device itself refuses.</param>
/// <param name="tag">The pile's tag, for the event.</param>
internal sealed class SpaceWatch(PileDirectory directory, long reserveBytes, byte tag)
{
    private long _refusedBytes;

    /// <summary>What growth leaves free.</summary>
    internal long ReserveBytes => reserveBytes;

    /// <summary>Whether what was last refused, if anything was, would still be refused now.</summary>
    internal bool IsLow => reserveBytes > 0 && directory.TryFreeBytes() is { } free && free - Volatile.Read(ref _refusedBytes) < reserveBytes;

    /// <summary>Whether a deletion may take so much for its note where growth may not: what it deletes gives more back. The cleaner has the other half.</summary>
    internal bool HasRoomToDelete(long bytes) => reserveBytes > 0 && directory.TryFreeBytes() is { } free && free - bytes >= reserveBytes / 2;

    /// <summary>Whether the cleaner may take so much: all that the device has. Of a quota that stores need as well it leaves them a part.</summary>
    internal bool HasRoomToClean(long bytes) => reserveBytes == 0 || directory.QuotaBytes() is not { } free || free - bytes >= reserveBytes / 2;

    /// <summary>Whether a stretch may take its space. Where the system does not say what is free, the device itself answers.</summary>
    internal bool HasRoom(long bytes)
    {
        if (reserveBytes == 0 || directory.TryFreeBytes() is not { } free)
        {
            return true;
        }

        bool isLow = free - bytes < reserveBytes;
        if (Interlocked.Exchange(ref _refusedBytes, isLow ? long.Max(bytes, 1) : 0) == 0 && isLow)
        {
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.DiskLow(tag, free, reserveBytes));
        }

        return !isLow;
    }
}
