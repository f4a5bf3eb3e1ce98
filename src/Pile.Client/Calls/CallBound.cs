// The end of a call by the client's own clock. gRPC's deadline goes by the system's time of day: where that was set back under a call, it comes
// as much later. This one comes a moment after gRPC's, which is the one that ends a call otherwise.
using System;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>What ends a call: its caller, or its time.</summary>
internal sealed class CallBound : IDisposable
{
    private readonly CancellationToken _caller;
    private readonly CancellationTokenSource? _ends;
    private readonly CancellationTokenRegistration _given;

    /// <summary>Begins it.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="left">How long the call may take.</param>
    /// <param name="caller">Ends the call before.</param>
    internal CallBound(TimeProvider time, TimeSpan left, CancellationToken caller)
    {
        _caller = caller;
        if (left != Timeout.InfiniteTimeSpan)
        {
            _ends = new CancellationTokenSource(left + ClientLimits.DeadlineLook, time);
            _given = caller.UnsafeRegister(static ends => ((CancellationTokenSource)ends!).Cancel(), _ends);
        }
    }

    /// <summary>What the call is made with.</summary>
    internal CancellationToken Token => _ends?.Token ?? _caller;

    /// <summary>Whether its time was over, and not its caller's patience.</summary>
    internal bool IsLate => _ends is { IsCancellationRequested: true } && !_caller.IsCancellationRequested;

    public void Dispose()
    {
        _given.Dispose();
        _ends?.Dispose();
    }
}
