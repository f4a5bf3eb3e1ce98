using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;

namespace Pile.Server.Tests;

/// <summary>The failures of calls that one server counts, as "method status".</summary>
internal sealed class CountedFailures : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<string> _counted = [];

    internal CountedFailures(TestServer server)
    {
        // Other servers of the process have a meter of that name too.
        object? meter = typeof(ServerMetrics).GetField("_meter", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(server.Services.GetRequiredService<ServerMetrics>());
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == meter && instrument.Name == "pile.server.call.failures")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, _, tags, _) => _counted.Enqueue(TextOf(tags)));
        _listener.Start();
    }

    internal IReadOnlyCollection<string> Counted => [.. _counted];

    public void Dispose() => _listener.Dispose();

    private static string TextOf(ReadOnlySpan<KeyValuePair<string, object?>> tags) => string.Join(' ', tags.ToArray().Select(static tag => tag.Value));
}
