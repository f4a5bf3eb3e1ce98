// Progress of a recovery as lines of the log: one for each tenth, so that a long one shows that it goes on, and none within a second of the
// one before, so that a short one is silent.
using System;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>Writes progress of one open to the log.</summary>
/// <param name="logger">The log.</param>
/// <param name="pile">The pile in a sentence.</param>
/// <param name="time">The clock of the seconds.</param>
internal sealed class RecoveryLog(ILogger logger, string pile, TimeProvider time) : IProgress<PileRecoveryProgress>
{
    private const int StepPercent = 10;
    private static readonly TimeSpan _every = TimeSpan.FromSeconds(1);
    private int _nextPercent = StepPercent;
    private long _last = time.GetTimestamp();

    /// <inheritdoc/>
    public void Report(PileRecoveryProgress value)
    {
        int percent = value.TotalBytes > 0 ? (int)(value.Bytes * 100.0 / value.TotalBytes) : 0;
        lock (logger)
        {
            long now = time.GetTimestamp();
            if (percent >= _nextPercent && time.GetElapsedTime(_last, now) >= _every)
            {
                _last = now;
                _nextPercent = percent - (percent % StepPercent) + StepPercent;
                PileLog.Recovering(logger, pile, percent, value.TotalBytes);
            }
        }
    }
}
