using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests;

/// <summary>Listeners see a pile in files too, though a thread of its own shows it.</summary>
[Collection(Alone.Name)]
public sealed class PileIntroductionTests
{
    [Fact]
    public void APileInFilesIsShownBeforeItsDisposeReturns()
    {
        using var listener = new Listener();
        using var files = new SimulatedFiles();
        byte tag;
        using (ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, Promise = PilePromise.PowerSafe, MemoryLimitBytes = null, DiskLimitBytes = 4 << 20 }))
        {
            tag = pile.Tag;
        }

        Assert.Equal([8, 1, 2], listener.EventsOf(tag));
    }

    [Fact]
    public void APileInFilesThatWasDisposedIsNotMeasured()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, Promise = PilePromise.PowerSafe, MemoryLimitBytes = null, DiskLimitBytes = 4 << 20 });
        byte tag = pile.Tag;
        pile.Dispose();
        List<int> tags = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Meter.Name == "Pile")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, measured, _) => tags.Add((int)measured[0].Value!));
        listener.Start();
        listener.RecordObservableInstruments();

        Assert.DoesNotContain((int)tag, tags);
    }

    private sealed class Listener : EventListener
    {
        private readonly ConcurrentQueue<(int Id, long Tag)> _events = new();

        internal int[] EventsOf(byte tag) => [.. _events.Where(seen => seen.Tag == tag).Select(seen => seen.Id)];

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.Payload?.FirstOrDefault() is long tag)
            {
                _events.Enqueue((eventData.EventId, tag));
            }
        }
    }
}
