using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using System.Reflection;
using Pile.Diagnostics;
using Xunit;

namespace Pile.Tests.Docs;

/// <summary>docs/OBSERVABILITY.md lists the instruments of the meters Pile and Pile.Cache, and the events of PileEventSource, all of them.</summary>
[Collection(Alone.Name)]
public sealed class ObservabilityDocTests
{
    private static readonly string _text = DocTable.Read("OBSERVABILITY.md");

    [Fact]
    public void TheInstrumentsAreListedWithKindAndUnit()
    {
        using var pile = new CheckedPile();
        using Cache.PileCache cache = Cache.PileCache.Create(new Cache.PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        SortedSet<string> found = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name is "Pile" or "Pile.Cache")
                {
                    found.Add($"`{instrument.Name}` {KindOf(instrument)} `{instrument.Unit}`");
                }
            },
        };
        listener.Start();

        Assert.Equal(found, new SortedSet<string>(DocTable.Rows(_text).Where(static row => row[0].StartsWith('`')).Select(static row => $"{row[0]} {row[1]} {row[2]}")));
    }

    [Fact]
    public void TheEventsAreListedWithNumberLevelAndAsManyArguments()
    {
        SortedSet<string> found = [];
        foreach (MethodInfo method in typeof(PileEventSource).GetMethods(BindingFlags.NonPublic | BindingFlags.Instance))
        {
            if (method.GetCustomAttribute<EventAttribute>() is { } declared)
            {
                found.Add(string.Create(CultureInfo.InvariantCulture, $"{declared.EventId} `{method.Name}` {declared.Level} {method.GetParameters().Length}"));
            }
        }

        Assert.True(found.Count >= 6, $"{found.Count} events");
        Assert.Equal(
            found,
            new SortedSet<string>(DocTable.Rows(_text)
                .Where(static row => row.Length == 4 && int.TryParse(row[0], NumberStyles.None, CultureInfo.InvariantCulture, out _))
                .Select(static row => $"{row[0]} {row[1]} {char.ToUpperInvariant(row[2][0])}{row[2][1..]} {row[3].Split(';')[0].Split(", ").Length}")));
    }

    [Fact]
    public void EveryNameIsAName() => Assert.Empty(DocTable.Names(_text).Where(static name => name is not ("By" or "Pile" or "IMemoryCache")).Except(DocTable.KnownNames()));

    private static string KindOf(Instrument instrument) => instrument switch
    {
        ObservableCounter<long> or Counter<long> => "counter",
        ObservableGauge<long> => "gauge",
        Histogram<double> => "histogram",
        _ => "up-down counter",
    };
}
