// The Meter "Pile": observable instruments over all piles of the process, polled from their counters, so that they cost
// nothing until someone listens. Names, units and tags are fixed by a test; tag pile.tag tells piles apart.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace Pile;

/// <summary>Instruments of all piles.</summary>
internal static class PileMetrics
{
    private static readonly Lock _gate = new();
    private static readonly List<WeakReference<ObjectPile>> _piles = [];
    private static readonly Meter _meter = Create();

    /// <summary>Shows a pile to listeners until it is disposed or collected.</summary>
    internal static void Register(ObjectPile pile)
    {
        _ = _meter;
        lock (_gate)
        {
            _piles.RemoveAll(static known => !known.TryGetTarget(out _));
            _piles.Add(new WeakReference<ObjectPile>(pile));
        }
    }

    /// <summary>Ends <see cref="Register"/>.</summary>
    internal static void Unregister(ObjectPile pile)
    {
        lock (_gate)
        {
            _piles.RemoveAll(known => !known.TryGetTarget(out ObjectPile? target) || ReferenceEquals(target, pile));
        }
    }

    private static Meter Create()
    {
        var meter = new Meter("Pile");
        Gauge(meter, "pile.objects", "{object}", "Objects alive.", static s => s.Objects);
        Gauge(meter, "pile.objects.corrupted", "{object}", "Objects found to be corrupted since the pile was opened.", static s => s.CorruptedObjects);
        Gauge(meter, "pile.memory.used", "By", "Bytes counted against the limit.", static s => s.UsedBytes);
        Gauge(meter, "pile.memory.limit", "By", "The memory limit.", static s => s.MemoryLimitBytes);
        Gauge(meter, "pile.memory.live", "By", "Bytes of live records.", static s => s.LiveBytes);
        Gauge(meter, "pile.memory.table", "By", "Bytes of the object table.", static s => s.TableBytes);
        Gauge(meter, "pile.memory.large", "By", "Bytes of large objects.", static s => s.LargeBytes);
        Gauge(meter, "pile.segments.retired", "{segment}", "Segments waiting for readers or pins.", static s => s.RetiredSegments);
        Gauge(meter, "pile.segments.quarantined", "{segment}", "Segments taken out of use.", static s => s.QuarantinedSegments);
        Gauge(meter, "pile.pins", "{pin}", "Pins held.", static s => s.Pins);
        Gauge(meter, "pile.threads.inside", "{thread}", "Threads inside a lease or a call.", static s => s.ThreadsInside);
        Counter(meter, "pile.appended", "By", "Bytes of records appended.", static s => s.AppendedBytes);
        Counter(meter, "pile.cleaner.moved", "By", "Bytes the cleaner moved.", static s => s.CleanerMovedBytes);
        Counter(meter, "pile.cleaner.passes", "{pass}", "Passes of the cleaner.", static s => s.CleanerPasses);
        Counter(meter, "pile.room.waits", "{call}", "Calls that cleaned or waited for room.", static s => s.RoomWaits);
        Counter(meter, "pile.refusals", "{call}", "Calls answered Full.", static s => s.Refusals);
        return meter;
    }

    private static void Gauge(Meter meter, string name, string unit, string description, Func<PileStatistics, long> read) =>
        meter.CreateObservableUpDownCounter(name, () => Measure(read), unit, description);

    private static void Counter(Meter meter, string name, string unit, string description, Func<PileStatistics, long> read) =>
        meter.CreateObservableCounter(name, () => Measure(read), unit, description);

    private static List<Measurement<long>> Measure(Func<PileStatistics, long> read)
    {
        lock (_gate)
        {
            var measurements = new List<Measurement<long>>(_piles.Count);
            foreach (WeakReference<ObjectPile> known in _piles)
            {
                if (known.TryGetTarget(out ObjectPile? pile) && pile.Care.TryGetStatistics() is { } statistics)
                {
                    measurements.Add(new Measurement<long>(read(statistics), new KeyValuePair<string, object?>("pile.tag", (int)pile.Tag)));
                }
            }

            return measurements;
        }
    }
}
