using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Diagnostics;
using Pile.Hosting;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>docs/OBSERVABILITY.md against what is there: each instrument, each event and each line of the log has its row, and no row has none.</summary>
public sealed class ObservabilityDocumentTests
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
    private static readonly string[][] _rows = [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "OBSERVABILITY.md"))
        .Where(static line => line.StartsWith("| ", StringComparison.Ordinal))
        .Select(static line => line.Trim('|', ' ').Split('|', StringSplitOptions.TrimEntries))];

    [Fact]
    public void EachLineOfTheLogIsARowWithItsLevel()
    {
        LoggerMessageAttribute[] lines = [.. MessagesOf(typeof(PileLog)), .. MessagesOf(typeof(CacheLog))];

        Assert.Equal(lines.Select(static line => line.EventId).Order(), Numbered().Where(static row => row.Number > 100).Select(static row => row.Number).Order());
        foreach (LoggerMessageAttribute line in lines)
        {
            string level = Numbered().Single(row => row.Number == line.EventId).Cells[^1];
            Assert.Equal(line.EventId == 201 ? "Debug; Warning where it could not be kept" : $"{line.Level}", level);
        }
    }

    [Fact]
    public void EachEventIsARowWithItsNameAndLevel()
    {
        Dictionary<int, string> events = typeof(PileEventSource).GetMethods(All)
            .Where(static method => method.GetCustomAttribute<EventAttribute>() is not null)
            .ToDictionary(static method => method.GetCustomAttribute<EventAttribute>()!.EventId, static method => $"`{method.Name}` {method.GetCustomAttribute<EventAttribute>()!.Level.ToString().ToLowerInvariant()}");

        Assert.Equal(events.OrderBy(static one => one.Key), Numbered().Where(static row => row.Number < 100).ToDictionary(static row => row.Number, static row => $"{row.Cells[1]} {row.Cells[2]}").OrderBy(static one => one.Key));
    }

    [Fact]
    public async Task EachInstrumentIsARowWithItsKindAndUnit()
    {
        HashSet<string> there = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Meter.Name is "Pile" or "Pile.Cache")
                {
                    there.Add($"`{instrument.Name}` {KindOf(instrument)} `{instrument.Unit}`");
                }
            },
        };
        using IHost host = CacheHost.With(CacheHost.Small, more: static services => services.AddPileHybridCache());
        await host.StartAsync(TestContext.Current.CancellationToken);
        _ = CacheHost.CacheOf(host).GetOrCreateTable<int, int>("t");
        listener.Start();
        await host.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal(_rows.Where(static row => row[0].StartsWith("`pile.", StringComparison.Ordinal)).Select(static row => string.Join(' ', row[..3])).Order(), there.Order());
    }

    private static IEnumerable<LoggerMessageAttribute> MessagesOf(Type log) =>
        log.GetMethods(All).Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>();

    private static IEnumerable<(int Number, string[] Cells)> Numbered() =>
        _rows.Where(static row => int.TryParse(row[0], out _)).Select(static row => (int.Parse(row[0], provider: null), row));

    private static string KindOf(Instrument instrument) => instrument.GetType().Name.Split('`')[0] switch
    {
        "ObservableCounter" or "Counter" => "counter",
        "ObservableUpDownCounter" or "UpDownCounter" => "up-down counter",
        "ObservableGauge" => "gauge",
        "Histogram" => "histogram",
        string other => other,
    };
}
