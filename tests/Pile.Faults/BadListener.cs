using System;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Linq;

namespace Pile.Faults;

/// <summary>A program whose own listener fails at the first of the pile's instruments. A process of its own, for they are shown once.</summary>
internal static class BadListener
{
    /// <summary>Uses a pile, in memory or in a directory, and says what was seen: the object, the instruments, the event.</summary>
    internal static int Run(string directory)
    {
        using var events = new Events();
        using var bad = new MeterListener
        {
            InstrumentPublished = static (instrument, _) =>
            {
                if (instrument.Meter.Name == "Pile" && instrument.Name == "pile.objects")
                {
                    throw new InvalidOperationException("a listener of the program");
                }
            },
        };
        bad.Start();
        using (ObjectPile pile = directory.Length > 0 ? ObjectPile.Open(directory) : ObjectPile.Create())
        {
            Console.WriteLine($"read {pile.Get<string>(pile.PutString("one"))}");
        }

        int seen = 0;
        using var good = new MeterListener { InstrumentPublished = (instrument, _) => seen += instrument.Meter.Name == "Pile" ? 1 : 0 };
        good.Start();
        Console.WriteLine($"instruments {seen}");
        Console.WriteLine($"told {events.Told}");
        return 0;
    }

    private sealed class Events : EventListener
    {
        internal string Told { get; private set; } = string.Empty;

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Warning);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventId == 13)
            {
                Told += eventData.Payload!.Last()!.ToString()!.Split('\n')[0].Trim();
            }
        }
    }
}
