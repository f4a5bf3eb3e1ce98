// Instruments of a Meter over all things of one kind that there are in the process: polled from their counters, so that they cost
// nothing until someone listens. What a listener throws, when it is shown an instrument, must not keep a thing from being used.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace Pile.Diagnostics;

/// <summary>Instruments over the living sources. Thread-safe.</summary>
/// <typeparam name="TSource">What is measured; held weakly.</typeparam>
/// <param name="meter">The meter, which lasts as long as the process.</param>
/// <param name="publish">Creates the instruments, once, when the first source comes.</param>
internal sealed class Instruments<TSource>(Meter meter, Action<Instruments<TSource>> publish)
    where TSource : class
{
    private readonly Lock _gate = new();
    private readonly List<WeakReference<TSource>> _sources = [];
    private bool _isPublished;
    private Exception? _failure;

    /// <summary>Shows a source to listeners until it is taken out or collected.</summary>
    /// <returns>What a listener threw when it was shown the instruments, to be told; null for nothing.</returns>
    internal Exception? Register(TSource source)
    {
        lock (_gate)
        {
            _sources.RemoveAll(static known => !known.TryGetTarget(out _));
            _sources.Add(new WeakReference<TSource>(source));
        }

        // The first one publishes; another one of that moment need not wait for what its listeners do.
        if (Interlocked.Exchange(ref _isPublished, value: true))
        {
            return null;
        }

        publish(this);
        return _failure;
    }

    /// <summary>Ends <see cref="Register"/>.</summary>
    internal void Unregister(TSource source)
    {
        lock (_gate)
        {
            _sources.RemoveAll(known => !known.TryGetTarget(out TSource? target) || ReferenceEquals(target, source));
        }
    }

    /// <summary>A number that goes up and down.</summary>
    internal void Gauge(string name, string unit, string description, Action<TSource, List<Measurement<long>>> measure) =>
        Publish(() => meter.CreateObservableUpDownCounter(name, () => Measure(measure), unit, description));

    /// <summary>A number of each source by itself, of which no sum means anything.</summary>
    internal void Level(string name, string unit, string description, Action<TSource, List<Measurement<long>>> measure) =>
        Publish(() => meter.CreateObservableGauge(name, () => Measure(measure), unit, description));

    /// <summary>A number that goes up.</summary>
    internal void Counter(string name, string unit, string description, Action<TSource, List<Measurement<long>>> measure) =>
        Publish(() => meter.CreateObservableCounter(name, () => Measure(measure), unit, description));

    /// <summary>Creates an instrument, which shows it to who listens: what a listener throws keeps no other from being there.</summary>
    internal void Publish(Action create)
    {
        try
        {
            create();
        }
#pragma warning disable CA1031 // Anything may come out of a listener; whoever registers tells it.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _failure ??= failure;
        }
    }

    private List<Measurement<long>> Measure(Action<TSource, List<Measurement<long>>> measure)
    {
        lock (_gate)
        {
            var measurements = new List<Measurement<long>>(_sources.Count);
            foreach (WeakReference<TSource> known in _sources)
            {
                if (known.TryGetTarget(out TSource? source))
                {
                    measure(source, measurements);
                }
            }

            return measurements;
        }
    }
}
