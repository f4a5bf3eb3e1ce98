// Writes events of piles to one logger: the event's id, level, message and named arguments. Refusals of a full pile come as
// often as it is asked, so they are written once a second for each pile, with the number of those left out.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>The events of piles in a host's log. Thread-safe.</summary>
/// <param name="logger">The log.</param>
/// <param name="time">The clock of the seconds.</param>
internal sealed class EventLog(ILogger logger, TimeProvider time)
{
    private const string FullEvent = "PileFull";
    private static readonly TimeSpan _fullEvery = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<long, (long At, long LeftOut)> _fulls = [];

    /// <summary>Writes one event.</summary>
    internal void Write(EventWrittenEventArgs written, long tag)
    {
        LogLevel level = LevelOf(written.Level);
        long leftOut = 0;
        if (!logger.IsEnabled(level) || (written.EventName == FullEvent && IsLeftOut(tag, out leftOut)))
        {
            return;
        }

        object?[] values = [.. written.Payload ?? Enumerable.Empty<object?>()];
        string template = written.Message ?? written.EventName ?? "";
        string text = string.Format(CultureInfo.InvariantCulture, template, values);
        List<KeyValuePair<string, object?>> state = [.. (written.PayloadNames ?? Enumerable.Empty<string>()).Zip(values, KeyValuePair.Create)];
        if (leftOut > 0)
        {
            text += string.Create(CultureInfo.InvariantCulture, $"; {leftOut} more such refusals since the last line");
            state.Add(new("leftOut", leftOut));
        }

        state.Add(new("{OriginalFormat}", template));
        logger.Log(level, new EventId(written.EventId, written.EventName), state, exception: null, (_, _) => text);
    }

    private static LogLevel LevelOf(EventLevel level) => level switch
    {
        EventLevel.Critical => LogLevel.Critical,
        EventLevel.Error => LogLevel.Error,
        EventLevel.Warning => LogLevel.Warning,

        // Births and ends: the host says them itself, by lines of its own.
        _ => LogLevel.Debug,
    };

    private bool IsLeftOut(long tag, out long leftOut)
    {
        long now = time.GetTimestamp();
        lock (_gate)
        {
            bool isKnown = _fulls.TryGetValue(tag, out (long At, long LeftOut) last);
            leftOut = last.LeftOut;
            if (isKnown && time.GetElapsedTime(last.At, now) < _fullEvery)
            {
                _fulls[tag] = (last.At, last.LeftOut + 1);
                return true;
            }

            _fulls[tag] = (now, 0);
            return false;
        }
    }
}
