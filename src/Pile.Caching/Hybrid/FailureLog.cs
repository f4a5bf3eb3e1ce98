// Failures of what stands behind a cache, which callers do not see: in the log once a second at the most, with the number of those left
// out, and counted by the meter each.
using System;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace Pile.Caching.Hybrid;

/// <summary>Tells failures. Thread-safe.</summary>
/// <param name="logger">The log.</param>
/// <param name="time">The clock of the seconds.</param>
internal sealed class FailureLog(ILogger logger, TimeProvider time)
{
    private readonly Lock _gate = new();
    private bool _hasTold;
    private long _toldAt;
    private long _leftOut;

    /// <summary>Tells one failure.</summary>
    internal void Tell(string operation, string key, Exception? failure)
    {
        long leftOut;
        lock (_gate)
        {
            long now = time.GetTimestamp();
            if (_hasTold && time.GetElapsedTime(_toldAt, now) < CachingLimits.FailureLogEvery)
            {
                _leftOut++;
                return;
            }

            leftOut = _leftOut;
            (_hasTold, _toldAt, _leftOut) = (true, now, 0);
        }

        CacheLog.BehindFailed(logger, operation, key, leftOut, failure);
    }
}
