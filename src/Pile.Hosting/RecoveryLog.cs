// Progress of a recovery as lines of the log: one for each tenth, so that a long one shows that it goes on and a short one is
// silent. It keeps no clock.
using System;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>Writes progress of one open to the log.</summary>
/// <param name="logger">The log.</param>
/// <param name="pile">The pile in a sentence.</param>
internal sealed class RecoveryLog(ILogger logger, string pile) : IProgress<PileRecoveryProgress>
{
    private const int StepPercent = 10;
    private int _nextPercent = StepPercent;

    /// <inheritdoc/>
    public void Report(PileRecoveryProgress value)
    {
        int percent = value.TotalBytes > 0 ? (int)(value.Bytes * 100.0 / value.TotalBytes) : 0;
        lock (logger)
        {
            if (percent >= _nextPercent)
            {
                _nextPercent = percent - (percent % StepPercent) + StepPercent;
                PileLog.Recovering(logger, pile, percent, value.TotalBytes);
            }
        }
    }
}
