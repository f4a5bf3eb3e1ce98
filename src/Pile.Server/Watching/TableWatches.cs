// The watches of one table. The cache keeps events as long as anybody watches; a watch of the server's own goes on for a while after the last
// client has gone, so that one that comes again misses nothing.
using System;
using System.Threading;
using Pile.Cache;

namespace Pile.Server.Watching;

/// <summary>Watches of a table. Thread-safe.</summary>
/// <param name="room">The room for all watches.</param>
/// <param name="watch">Begins a watch of the table's entries.</param>
internal sealed class TableWatches(WatchRoom room, Func<PileWatchOptions, PileWatch<byte[]>> watch)
{
    private readonly Lock _gate = new();
    private PileWatch<byte[]>? _kept;
    private ITimer? _timer;
    private int _streams;
    private bool _isOver;

    /// <summary>Begins a watch; <see cref="End"/> ends it.</summary>
    /// <param name="after">Where a client was; null for what comes now.</param>
    /// <exception cref="Grpc.Core.RpcException">There is no room.</exception>
    /// <exception cref="System.ObjectDisposedException">The table was dropped.</exception>
    internal PileWatch<byte[]> Begin(PileEventPosition? after)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isOver, this);
            bool isFirst = _kept is null;
            if (isFirst)
            {
                room.Take(ServerLimits.WatchTableBytes);
                try
                {
                    _kept = watch(new PileWatchOptions());
                }
                finally
                {
                    if (_kept is null)
                    {
                        room.Give(ServerLimits.WatchTableBytes);
                    }
                }
            }

            PileWatch<byte[]>? begun = null;
            try
            {
                begun = watch(new PileWatchOptions { After = after });
            }
            finally
            {
                if (begun is null && isFirst)
                {
                    // Nobody would end it: no stream has begun, and no timer runs.
                    EndKeptLocked();
                }
            }

            _streams++;
            StopTimerLocked();
            return begun;
        }
    }

    /// <summary>Ends a watch.</summary>
    internal void End(PileWatch<byte[]> ended)
    {
        ended.Dispose();
        lock (_gate)
        {
            if (--_streams == 0 && _kept is not null)
            {
                _timer = room.Time.CreateTimer(static watches => ((TableWatches)watches!).EndIdle(), this, ServerLimits.WatchKept, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>Ends all, with the table.</summary>
    internal void EndAll()
    {
        lock (_gate)
        {
            _isOver = true;
            EndKeptLocked();
        }
    }

    private void EndIdle()
    {
        lock (_gate)
        {
            // Who has come meanwhile has stopped it; a timer of before that comes late finds the next one, and ends what is kept a little early.
            if (_timer is not null)
            {
                EndKeptLocked();
            }
        }
    }

    private void EndKeptLocked()
    {
        StopTimerLocked();
        if (_kept is not null)
        {
            _kept.Dispose();
            _kept = null;
            room.Give(ServerLimits.WatchTableBytes);
        }
    }

    private void StopTimerLocked()
    {
        _timer?.Dispose();
        _timer = null;
    }
}
