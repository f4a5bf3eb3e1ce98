// Waiting for a while by a clock of the caller's choice, and how long to wait before a call is tried again.
// A pause ends early when it is cancelled.
using System;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Http2;

namespace Pile.Client.Calls;

/// <summary>Pauses.</summary>
internal static class Pause
{
    /// <summary>Waits.</summary>
    internal static async Task ForAsync(TimeSpan time, TimeProvider clock, CancellationToken cancel)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using ITimer timer = clock.CreateTimer(static state => ((TaskCompletionSource)state!).TrySetResult(), done, time, Timeout.InfiniteTimeSpan);
        await done.Task.WaitAsync(cancel).ConfigureAwait(false);
    }

    /// <summary>Begins a pause, by the system's time, after which the one who waits goes on in a thread of its own. Cancelled, it ends as if it were over.</summary>
    internal static OneSignal InOwnThread(TimeSpan time, CancellationToken cancel)
    {
        var done = new OneSignal();
        OwnThread.Start(() =>
        {
            _ = cancel.WaitHandle.WaitOne(time);
            done.Set();
        });
        return done;
    }

    /// <summary>How long to wait before a try: between half and all of a time that doubles, so that callers who failed together do not come back
    /// together.</summary>
    /// <param name="tries">Tries before; 0 before the second one.</param>
    /// <param name="asked">What the server asked for, or null.</param>
    internal static TimeSpan Before(int tries, TimeSpan? asked)
    {
        long most = long.Min(ClientLimits.RetryWait.Ticks << int.Min(tries, 16), ClientLimits.RetryWaitMax.Ticks);
        var jittered = TimeSpan.FromTicks((most / 2) + RandomNumberGenerator.GetInt32((int)(most / 2)));
        return asked > jittered ? asked.Value + (jittered / 2) : jittered;
    }
}
