using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Linq;
using System.Reflection;
using Microsoft.Extensions.Logging;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests.Docs;

/// <summary>What docs/SERVER.md says of the log and of measurements against the code.</summary>
public sealed class WatchDocumentTests
{
    [Fact]
    public void EachLineOfTheLogIsARowWithItsLevel()
    {
        IEnumerable<string> lines = typeof(ServerLog).GetMethods(BindingFlags.Static | BindingFlags.NonPublic).Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .OrderBy(static line => line.EventId).Select(static line => string.Create(CultureInfo.InvariantCulture, $"{line.EventId} {line.Level}"));
        Assert.Equal(lines, ServerDocument.Rows("id").Select(static row => $"{row[0]} {row[2]}"));
    }

    [Fact]
    public void EachInstrumentIsARowWithItsKindAndUnit()
    {
        List<string> there = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                lock (there)
                {
                    if (instrument.Meter.Name == ServerMetrics.MeterName)
                    {
                        there.Add($"`{instrument.Name}` {KindOf(instrument)} `{instrument.Unit}`");
                    }
                }
            },
        };
        using var state = new ServerState();
        using var metrics = new ServerMetrics(new ReceiveBudget(1), new ReplyBudget(1), state);
        listener.Start();
        Assert.Equal(ServerDocument.Rows("instrument").Select(static row => string.Join(' ', row[..3])).Order(StringComparer.Ordinal), there.Distinct().Order(StringComparer.Ordinal));
    }

    private static string KindOf(Instrument instrument) => instrument.GetType().Name.Split('`')[0] switch
    {
        "Counter" => "counter",
        "ObservableUpDownCounter" => "up-down counter",
        "ObservableGauge" => "gauge",
        "Histogram" => "histogram",
        string other => other,
    };
}
