// A parker on a lock of the runtime, for machines whose calls are not known here.
// It can't wait for less than a millisecond.
using System;
using System.Threading;

namespace Pile.Memory;

/// <summary>The portable implementation.</summary>
internal sealed class MonitorParker : Parker
{
    private readonly object _gate = new();
    private bool _permit;

    internal override bool Park(TimeSpan wait)
    {
        long begun = TimeProvider.System.GetTimestamp();
        bool isInterrupted = false;
        bool isGiven;
        lock (_gate)
        {
            while (!_permit && Left(wait, begun) is var left && left != TimeSpan.Zero)
            {
                try
                {
                    _ = Monitor.Wait(_gate, left == Timeout.InfiniteTimeSpan ? Timeout.Infinite : (int)double.Min(int.MaxValue, double.Ceiling(left.TotalMilliseconds)));
                }
                catch (ThreadInterruptedException)
                {
                    isInterrupted = true;
                }
            }

            isGiven = _permit;
            _permit = false;
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }

        return isGiven;
    }

    internal override void Unpark()
    {
        lock (_gate)
        {
            _permit = true;
            Monitor.Pulse(_gate);
        }
    }
}
