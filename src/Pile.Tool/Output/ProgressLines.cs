// Progress where there is no terminal: a line now and then on standard error, none for what is over soon.
// Lines are written by whichever thread reports when one is due.
using System;
using System.Threading;

namespace Pile.Tool.Output;

/// <summary>Progress as lines.</summary>
internal static class ProgressLines
{
    private const int FirstAfterMs = 1000;
    private const int EveryMs = 5000;

    /// <summary>Runs a work and writes lines about it.</summary>
    internal static T Run<T>(Meter meter, Action<string> say, Func<T> work)
    {
        long dueMs = FirstAfterMs;
        meter.Changed = changed =>
        {
            long elapsedMs = (long)changed.Elapsed.TotalMilliseconds;
            long due = Volatile.Read(ref dueMs);
            if (elapsedMs >= due && Interlocked.CompareExchange(ref dueMs, elapsedMs + EveryMs, due) == due)
            {
                say(changed.ToString());
            }
        };
        return work();
    }
}
