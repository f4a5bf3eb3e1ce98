// The time that a large value may take on its way: some seconds to begin with, and more with every byte that has come or gone. Who holds memory
// of the server and does neither is ended; so are all when the server stops.
using System;
using System.Threading;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>The pace of one call. Used by that call alone.</summary>
internal sealed class LargePace : IDisposable
{
    private readonly TimeProvider _time;
    private readonly long _began;
    private readonly CancellationTokenSource _late;
    private readonly CancellationTokenSource _ends;
    private readonly CancellationToken _call;
    private readonly CancellationToken _stop;

    /// <summary>Begins.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="call">Ends with the call.</param>
    /// <param name="stop">Ends with the server.</param>
    internal LargePace(TimeProvider time, CancellationToken call, CancellationToken stop)
    {
        _time = time;
        _began = time.GetTimestamp();
        _call = call;
        _stop = stop;
        _late = new CancellationTokenSource(ServerLimits.LargeIdle, time);
        _ends = CancellationTokenSource.CreateLinkedTokenSource(call, stop, _late.Token);
    }

    /// <summary>Ends with the call, the server or the time.</summary>
    internal CancellationToken Ends => _ends.Token;

    /// <summary>Throws where it has ended. The call's own token is asked too: that of the end is cancelled a moment after it.</summary>
    internal void Require()
    {
        _call.ThrowIfCancellationRequested();
        Ends.ThrowIfCancellationRequested();
    }

    /// <summary>Allows the time for so many bytes in all.</summary>
    internal void Allow(long bytes)
    {
        TimeSpan left = ServerLimits.LargeIdle + TimeSpan.FromSeconds(bytes / (double)ServerLimits.LargeBytesPerSecondMin) - _time.GetElapsedTime(_began);
        _late.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    /// <summary>Whether that was why something ended, and not the call itself: a write that is late takes the call's end with it.</summary>
    internal bool IsReason(Exception failure) =>
        failure is OperationCanceledException or RpcException { StatusCode: StatusCode.Cancelled }
        && (_late.IsCancellationRequested || (_stop.IsCancellationRequested && !_call.IsCancellationRequested));

    /// <summary>What the client is told then.</summary>
    internal RpcException Failure() => _stop.IsCancellationRequested
        ? CallFailure.Of(StatusCode.Unavailable, PileStatus.Disposed, "The server is stopping, and the value was not on its way as a whole. Nothing was stored.", ServerLimits.RetryAfterMs)
        : CallFailure.Of(
            StatusCode.DeadlineExceeded,
            PileStatus.Busy,
            $"The value was too slow: {ServerLimits.LargeIdle.TotalSeconds:N0} seconds are allowed, and one more for each {ServerLimits.LargeBytesPerSecondMin:N0} bytes that are through. Nothing was stored.",
            ServerLimits.RetryAfterMs);

    public void Dispose()
    {
        _ends.Dispose();
        _late.Dispose();
    }
}
