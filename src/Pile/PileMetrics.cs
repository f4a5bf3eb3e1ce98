// The Meter "Pile": observable instruments over all piles of the process, polled from their counters, so that they cost
// nothing until someone listens. Names, units and tags are fixed by a test; tag pile.tag tells piles apart.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using Pile.Diagnostics;

namespace Pile;

/// <summary>Instruments of all piles.</summary>
internal static class PileMetrics
{
    private static readonly Instruments<ObjectPile> _instruments = new(new Meter("Pile"), PublishAll);

    /// <summary>Shows a pile to listeners until it is disposed or collected. What a listener throws is told by an event.</summary>
    internal static void Register(ObjectPile pile)
    {
        if (_instruments.Register(pile) is { } failure)
        {
            PileEventSource.Log.ListenerFailed(pile.Tag, failure.ToString());
        }
    }

    /// <summary>Ends <see cref="Register"/>.</summary>
    internal static void Unregister(ObjectPile pile) => _instruments.Unregister(pile);

    private static void PublishAll(Instruments<ObjectPile> of)
    {
        Gauge(of, "pile.objects", "{object}", "Objects alive.", static s => s.Objects);
        Gauge(of, "pile.objects.corrupted", "{object}", "Objects found to be corrupted since the pile was opened.", static s => s.CorruptedObjects);
        Gauge(of, "pile.memory.used", "By", "Bytes counted against the limit.", static s => s.UsedBytes);
        Gauge(of, "pile.memory.limit", "By", "The memory limit.", static s => s.MemoryLimitBytes);
        Gauge(of, "pile.memory.live", "By", "Bytes of live records.", static s => s.LiveBytes);
        Gauge(of, "pile.memory.table", "By", "Bytes of the object table.", static s => s.TableBytes);
        Gauge(of, "pile.memory.large", "By", "Bytes of large objects.", static s => s.LargeBytes);
        Gauge(of, "pile.segments.retired", "{segment}", "Segments waiting for readers, pins or a flush.", static s => s.RetiredSegments);
        Gauge(of, "pile.segments.quarantined", "{segment}", "Segments taken out of use.", static s => s.QuarantinedSegments);
        Gauge(of, "pile.pins", "{pin}", "Pins held.", static s => s.Pins);
        Gauge(of, "pile.threads.inside", "{thread}", "Threads inside a lease or a call.", static s => s.ThreadsInside);
        Counter(of, "pile.appended", "By", "Bytes of records appended.", static s => s.AppendedBytes);
        Counter(of, "pile.cleaner.moved", "By", "Bytes the cleaner moved.", static s => s.CleanerMovedBytes);
        Counter(of, "pile.cleaner.passes", "{pass}", "Passes of the cleaner.", static s => s.CleanerPasses);
        Counter(of, "pile.room.waits", "{call}", "Calls that cleaned or waited for room.", static s => s.RoomWaits);
        Counter(of, "pile.refusals", "{call}", "Calls answered Full.", static s => s.Refusals);
        of.Level("pile.unflushed.age", "s", "Whole seconds that the oldest change waits for a flush.", static (pile, measurements) =>
        {
            if (pile.Durable?.UnflushedAge is { } age)
            {
                measurements.Add(Tagged(pile, (long)age.TotalSeconds));
            }
        });
    }

    private static void Gauge(Instruments<ObjectPile> of, string name, string unit, string description, Func<PileStatistics, long> read) =>
        of.Gauge(name, unit, description, (pile, measurements) => Measure(pile, measurements, read));

    private static void Counter(Instruments<ObjectPile> of, string name, string unit, string description, Func<PileStatistics, long> read) =>
        of.Counter(name, unit, description, (pile, measurements) => Measure(pile, measurements, read));

    private static void Measure(ObjectPile pile, List<Measurement<long>> measurements, Func<PileStatistics, long> read)
    {
        if (pile.Care.TryGetStatistics() is { } statistics)
        {
            measurements.Add(Tagged(pile, read(statistics)));
        }
    }

    private static Measurement<long> Tagged(ObjectPile pile, long value) => new(value, new KeyValuePair<string, object?>("pile.tag", (int)pile.Tag));
}
