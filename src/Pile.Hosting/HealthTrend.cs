// What one look at statistics can't tell: whether calls make room themselves more often than before, and for how long something waits for
// a flush. It keeps what the looks before have seen, and no clock of its own.
using System;
using System.Threading;

namespace Pile.Hosting;

/// <summary>The trend of one health check. Thread-safe.</summary>
internal sealed class HealthTrend
{
    private readonly Lock _gate = new();
    private bool _hasLooked;
    private long _lookedAt;
    private long _roomWaits;
    private long _durableThrough;
    private long _appendedAtFlush;
    private long? _pendingSince;

    /// <summary>Compares with the looks before.</summary>
    /// <param name="now">The time of the look, as the clock's timestamp.</param>
    /// <param name="time">The clock.</param>
    /// <param name="statistics">What is seen.</param>
    /// <param name="durableThrough">The last completed flush.</param>
    internal Finding Look(long now, TimeProvider time, PileStatistics statistics, long durableThrough)
    {
        lock (_gate)
        {
            double seconds = _hasLooked ? time.GetElapsedTime(_lookedAt, now).TotalSeconds : 0;
            double waits = seconds > 0 ? (statistics.RoomWaits - _roomWaits) / seconds : 0;
            if (!_hasLooked || durableThrough != _durableThrough || statistics.AppendedBytes < _appendedAtFlush)
            {
                // What was appended up to here may be covered by that flush, or not: only what comes later certainly is not.
                (_durableThrough, _appendedAtFlush, _pendingSince) = (durableThrough, statistics.AppendedBytes, null);
            }
            else if (statistics.AppendedBytes > _appendedAtFlush)
            {
                _pendingSince ??= now;
            }

            (_hasLooked, _lookedAt, _roomWaits) = (true, now, statistics.RoomWaits);
            return new Finding(waits, _pendingSince is { } since ? time.GetElapsedTime(since, now) : TimeSpan.Zero);
        }
    }

    /// <summary>What a look has found.</summary>
    /// <param name="RoomWaitsPerSecond">Calls a second that made room themselves since the look before.</param>
    /// <param name="Unflushed">For how long, at least, there is something that no flush has covered.</param>
    internal readonly record struct Finding(double RoomWaitsPerSecond, TimeSpan Unflushed);
}
