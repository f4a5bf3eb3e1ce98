// What the hosting of piles writes to the log, under the category "Pile.Hosting". Event ids are stable from 101 on; 1 to 99 are
// those of the EventSource "Pile", which EventBridge writes under the category "Pile".
using System;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>The messages.</summary>
internal static partial class PileLog
{
    internal const string Category = "Pile.Hosting";

    [LoggerMessage(101, LogLevel.Debug, "Opening {Pile} in '{Directory}'")]
    internal static partial void Opening(ILogger logger, string pile, string directory);

    [LoggerMessage(102, LogLevel.Information, "Recovering {Pile}: {Percent} % of {TotalBytes} bytes")]
    internal static partial void Recovering(ILogger logger, string pile, int percent, long totalBytes);

    [LoggerMessage(103, LogLevel.Information, "Opened {Pile}, tag {Tag}, in {DurationMs} ms: {Opening}, {Reason}")]
    internal static partial void Opened(ILogger logger, string pile, int tag, long durationMs, PileOpening opening, string reason);

    [LoggerMessage(104, LogLevel.Information, "Created {Pile} in memory, tag {Tag}, limit {LimitBytes} bytes")]
    internal static partial void Created(ILogger logger, string pile, int tag, long limitBytes);

    [LoggerMessage(105, LogLevel.Warning, "Damage met when {Pile} was opened: {Damage}")]
    internal static partial void Damaged(ILogger logger, string pile, string damage);

    [LoggerMessage(106, LogLevel.Warning, "AcceptLoss is set for {Pile}: each start would accept a loss without asking. Take it out of the configuration now that the pile is open")]
    internal static partial void AcceptsLoss(ILogger logger, string pile);

    [LoggerMessage(107, LogLevel.Information, "Closed {Pile}")]
    internal static partial void Closed(ILogger logger, string pile);

    [LoggerMessage(108, LogLevel.Error, "The host's shutdown time is over and {Pile} is still in use. What was stored is kept: the next open goes on as after the end of a process")]
    internal static partial void Busy(ILogger logger, string pile, Exception exception);

    [LoggerMessage(109, LogLevel.Error, "The flush at the stop of {Pile} failed")]
    internal static partial void FlushFailed(ILogger logger, string pile, Exception exception);

    [LoggerMessage(110, LogLevel.Error, "{Pile} could not be closed in order")]
    internal static partial void CloseFailed(ILogger logger, string pile, Exception exception);

    [LoggerMessage(111, LogLevel.Warning, "The host's shutdown time ended before the flush of {Pile} did; the close waits for it")]
    internal static partial void FlushOutlasted(ILogger logger, string pile);
}
