// The beat of a watch: replies that come when nothing has changed, so that a client knows up to when it has been told everything.
// The clock is the process's own and never goes back; clients only compare its readings with each other.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;

namespace Pile.Server.Watching;

/// <summary>Waits for a change or the next beat, whichever comes first. Of one watch; not thread-safe.</summary>
internal sealed class WatchBeat(TimeProvider time, uint beatMs, CancellationToken ends) : IDisposable
{
    private readonly PeriodicTimer _timer = new(TimeSpan.FromMilliseconds(beatMs), time);
    private Task<bool>? _more;
    private Task<bool>? _tick;

    /// <summary>Whether a beat has come since the last reply.</summary>
    internal bool IsDue { get; set; }

    /// <summary>Microseconds, more than 0, of a clock that never goes back.</summary>
    internal ulong NowUs => 1 + (ulong)(time.GetElapsedTime(0).Ticks / TimeSpan.TicksPerMicrosecond);

    /// <summary>Waits for the one or the other.</summary>
    /// <returns>False when the table was dropped.</returns>
    internal async ValueTask<bool> WaitAsync(PileWatch<byte[]> watch)
    {
        _more ??= watch.WaitToReadAsync(ends).AsTask();
        _tick ??= _timer.WaitForNextTickAsync(ends).AsTask();
        _ = await Task.WhenAny(_more, _tick).ConfigureAwait(false);
        if (_tick.IsCompleted)
        {
            IsDue = await _tick.ConfigureAwait(false);
            _tick = null;
        }

        if (!_more.IsCompleted)
        {
            return true;
        }

        bool isThere = await _more.ConfigureAwait(false);
        _more = null;
        return isThere;
    }

    /// <summary>Ends the timer. What is still waited for ends with the watch.</summary>
    public void Dispose() => _timer.Dispose();
}
