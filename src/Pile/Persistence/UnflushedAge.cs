// How long the oldest change may have waited that no completed flush covers: since the last one began, or since somebody last saw that
// there was nothing to flush, the flusher's thread at each interval. The time of each change would be one more store for each write.
using System;
using System.Threading;

namespace Pile.Persistence;

/// <summary>The age of what is not flushed. Thread-safe.</summary>
internal sealed class UnflushedAge(ILogFiles log, TimeProvider time)
{
    // Set by whoever looks and by each flush, in no order: one that is too old makes the age too great until the next look.
    private long _coveredAt = time.GetTimestamp();

    /// <summary>The age, too great by an interval at most; zero when there is nothing to flush.</summary>
    internal TimeSpan Look()
    {
        long now = time.GetTimestamp();
        if (log.HasUnflushed)
        {
            return time.GetElapsedTime(Volatile.Read(ref _coveredAt), now);
        }

        Volatile.Write(ref _coveredAt, now);
        return TimeSpan.Zero;
    }

    /// <summary>Whether there is something to flush; a look, too.</summary>
    internal bool LookForAny()
    {
        _ = Look();
        return log.HasUnflushed;
    }

    /// <summary>Makes durable what was stored before the call.</summary>
    /// <param name="flush">The flush's number.</param>
    internal void Flush(long flush)
    {
        long began = time.GetTimestamp();
        log.Flush(flush);
        Volatile.Write(ref _coveredAt, began);
    }
}
