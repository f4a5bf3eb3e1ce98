using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using Pile.Tests.Durability;
using Pile.Tests.Faults;
using Xunit;

namespace Pile.Tests;

[Collection(Alone.Name)]
public sealed class PileMetricsTests
{
    private static readonly string[] _names =
    [
        "pile.appended By counter", "pile.cleaner.moved By counter", "pile.cleaner.passes {pass} counter",
        "pile.memory.large By updown", "pile.memory.limit By updown", "pile.memory.live By updown", "pile.memory.table By updown",
        "pile.memory.used By updown", "pile.objects {object} updown", "pile.objects.corrupted {object} updown", "pile.pins {pin} updown", "pile.refusals {call} counter",
        "pile.room.waits {call} counter", "pile.segments.quarantined {segment} updown", "pile.segments.retired {segment} updown",
        "pile.threads.inside {thread} updown", "pile.unflushed.age s gauge",
    ];

    [Fact]
    public void TheInstrumentsHaveTheirNamesUnitsAndKinds()
    {
        using var pile = new CheckedPile();
        SortedSet<string> found = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == "Pile")
                {
                    string kind = instrument is ObservableCounter<long> ? "counter" : instrument is ObservableUpDownCounter<long> ? "updown" : instrument is ObservableGauge<long> ? "gauge" : "?";
                    found.Add($"{instrument.Name} {instrument.Unit} {kind}");
                }
            },
        };
        listener.Start();

        Assert.Equal(_names, found);
    }

    [Fact]
    public void EachPileIsMeasuredUnderItsTagUntilItIsDisposed()
    {
        using var pile = new CheckedPile();
        pile.It.PutString("one");
        pile.It.PutString("two");

        Assert.Equal(2, Measure("pile.objects")[pile.It.Tag]);
        Assert.Equal(pile.Statistics.UsedBytes, Measure("pile.memory.used")[pile.It.Tag]);
        Assert.Equal(32, Measure("pile.appended")[pile.It.Tag]);
        pile.AssertGood();
        pile.It.Dispose();
        Assert.DoesNotContain(pile.It.Tag, Measure("pile.objects").Keys);
    }

    [Fact]
    public void TheAgeOfWhatIsNotFlushedIsToldOfPowerSafePilesAlone()
    {
        using TemporaryDirectory safe = new(), fast = new();
        using ObjectPile pile = ObjectPile.Open(safe.Path, PileOptions.Tiny with { Promise = PilePromise.PowerSafe, MemoryLimitBytes = null });
        using ObjectPile onDemand = ObjectPile.Open(fast.Path, PileOptions.Tiny with { Promise = PilePromise.ProcessSafe, MemoryLimitBytes = null });
        using ObjectPile inMemory = ObjectPile.Create(PileOptions.Tiny);

        // Piles in files are shown by threads of their own.
        Assert.True(SpinWait.SpinUntil(() => Measure("pile.objects").Keys.Count(tag => tag == pile.Tag || tag == onDemand.Tag) == 2, TimeSpan.FromMinutes(1)));
        Dictionary<int, long> ages = Measure("pile.unflushed.age");
        Assert.InRange(ages[pile.Tag], 0, 60);
        Assert.DoesNotContain(onDemand.Tag, ages.Keys);
        Assert.DoesNotContain(inMemory.Tag, ages.Keys);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AListenerThatFailsIsToldAndKeepsNobodyFromThePile(bool inFiles)
    {
        using var directory = new TemporaryDirectory();
        using Process child = FaultProgram.Start("", "listen", inFiles ? directory.Path : "");
        string said = child.StandardOutput.ReadToEnd() + child.StandardError.ReadToEnd();
        child.WaitForExit();

        Assert.Equal(["read one", $"instruments {_names.Length}", "told System.InvalidOperationException: a listener of the program"], said.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Equal(0, child.ExitCode);
    }

    private static Dictionary<int, long> Measure(string name)
    {
        var values = new Dictionary<int, long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Meter.Name == "Pile" && instrument.Name == name)
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
            values[(int)tags.ToArray().Single(static tag => tag.Key == "pile.tag").Value!] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return values;
    }
}
