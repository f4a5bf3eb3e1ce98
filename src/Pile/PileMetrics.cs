// The Meter "Pile": observable instruments over all piles of the process, polled from their counters, so that they cost
// nothing until someone listens. Names, units and tags are fixed by a test; tag pile.tag tells piles apart.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;
using Pile.Diagnostics;

namespace Pile;

/// <summary>Instruments of all piles.</summary>
internal static class PileMetrics
{
    private static readonly Lock _gate = new();
    private static readonly List<WeakReference<ObjectPile>> _piles = [];
    private static readonly Meter _meter = new("Pile");
    private static bool _isPublished;
    private static Exception? _failure;

    /// <summary>Shows a pile to listeners until it is disposed or collected. What a listener throws is told by an event.</summary>
    internal static void Register(ObjectPile pile)
    {
        lock (_gate)
        {
            _piles.RemoveAll(static known => !known.TryGetTarget(out _));
            _piles.Add(new WeakReference<ObjectPile>(pile));
        }

        // The first pile publishes; another one of that moment need not wait for what its listeners do.
        if (!Interlocked.Exchange(ref _isPublished, value: true))
        {
            PublishAll();
            if (_failure is { } failure)
            {
                PileEventSource.Log.ListenerFailed(pile.Tag, failure.ToString());
            }
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

    /// <summary>Creates an instrument, which shows it to who listens: what a listener throws must not keep a pile from being used, nor
    /// the other instruments from being there.</summary>
    private static void Publish(Action create)
    {
        try
        {
            create();
        }
#pragma warning disable CA1031 // Anything may come out of a listener; it is told by an event.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _failure ??= failure;
        }
    }

    private static void PublishAll()
    {
        Gauge("pile.objects", "{object}", "Objects alive.", static s => s.Objects);
        Gauge("pile.objects.corrupted", "{object}", "Objects found to be corrupted since the pile was opened.", static s => s.CorruptedObjects);
        Gauge("pile.memory.used", "By", "Bytes counted against the limit.", static s => s.UsedBytes);
        Gauge("pile.memory.limit", "By", "The memory limit.", static s => s.MemoryLimitBytes);
        Gauge("pile.memory.live", "By", "Bytes of live records.", static s => s.LiveBytes);
        Gauge("pile.memory.table", "By", "Bytes of the object table.", static s => s.TableBytes);
        Gauge("pile.memory.large", "By", "Bytes of large objects.", static s => s.LargeBytes);
        Gauge("pile.segments.retired", "{segment}", "Segments waiting for readers or pins.", static s => s.RetiredSegments);
        Gauge("pile.segments.quarantined", "{segment}", "Segments taken out of use.", static s => s.QuarantinedSegments);
        Gauge("pile.pins", "{pin}", "Pins held.", static s => s.Pins);
        Gauge("pile.threads.inside", "{thread}", "Threads inside a lease or a call.", static s => s.ThreadsInside);
        Counter("pile.appended", "By", "Bytes of records appended.", static s => s.AppendedBytes);
        Counter("pile.cleaner.moved", "By", "Bytes the cleaner moved.", static s => s.CleanerMovedBytes);
        Counter("pile.cleaner.passes", "{pass}", "Passes of the cleaner.", static s => s.CleanerPasses);
        Counter("pile.room.waits", "{call}", "Calls that cleaned or waited for room.", static s => s.RoomWaits);
        Counter("pile.refusals", "{call}", "Calls answered Full.", static s => s.Refusals);
    }

    private static void Gauge(string name, string unit, string description, Func<PileStatistics, long> read) =>
        Publish(() => _meter.CreateObservableUpDownCounter(name, () => Measure(read), unit, description));

    private static void Counter(string name, string unit, string description, Func<PileStatistics, long> read) =>
        Publish(() => _meter.CreateObservableCounter(name, () => Measure(read), unit, description));

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
