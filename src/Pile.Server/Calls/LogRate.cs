// How often a line that clients can cause is written: whoever calls in vain a thousand times a second must not fill the disk by it. What is left
// out is counted, and told by the next line.
using System;
using System.Threading;

namespace Pile.Server.Calls;

/// <summary>The rate of one kind of line. Thread-safe.</summary>
internal sealed class LogRate(TimeProvider time)
{
    private readonly Lock _gate = new();
    private long _began = time.GetTimestamp();
    private int _lines;
    private long _leftOut;

    /// <summary>Whether a line may be written now.</summary>
    /// <param name="leftOut">How many were not, since the last one that was.</param>
    internal bool MayWrite(out long leftOut)
    {
        lock (_gate)
        {
            long now = time.GetTimestamp();
            if (time.GetElapsedTime(_began, now) >= ServerLimits.LinesWhile)
            {
                (_began, _lines) = (now, 0);
            }

            if (_lines == ServerLimits.LinesMax)
            {
                _leftOut++;
                leftOut = 0;
                return false;
            }

            _lines++;
            (leftOut, _leftOut) = (_leftOut, 0);
            return true;
        }
    }
}
