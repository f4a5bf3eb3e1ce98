// What a client tells those who watch: the meter and the activity source "Pile.Client". Names are of methods; no instrument and no activity
// has a key, a value, a table or a token.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Grpc.Core;

namespace Pile.Client.Calls;

/// <summary>What clients count. Thread-safe; one for all clients of the process, which the address tells apart.</summary>
internal static class ClientMetrics
{
    internal const string Name = "Pile.Client";

    private static readonly ActivitySource _source = new(Name);
    private static readonly Meter _meter = new(Name);
    private static readonly Histogram<double> _duration = _meter.CreateHistogram<double>("pile.client.call.duration", "s", "How long calls took that were sent by themselves, with all their tries.");
    private static readonly Counter<long> _failures = _meter.CreateCounter<long>("pile.client.call.failures", "{call}", "Tries of calls and batches that failed.");
    private static readonly Counter<long> _retries = _meter.CreateCounter<long>("pile.client.call.retries", "{call}", "Calls and batches that were sent again.");
    private static readonly Histogram<int> _batch = _meter.CreateHistogram<int>("pile.client.batch.calls", "{call}", "How many single calls travelled together.");

    /// <summary>Begins an activity, where somebody listens.</summary>
    internal static Activity? Begin(string method, string address)
    {
        Activity? activity = _source.StartActivity(method, ActivityKind.Client);
        return activity?.SetTag("rpc.system", "grpc").SetTag("rpc.method", method).SetTag("server.address", address);
    }

    /// <summary>A call has ended.</summary>
    internal static void End(Activity? activity, string method, string address, TimeSpan took, PileClientException? failure)
    {
        _ = failure is null ? activity : activity?.SetStatus(ActivityStatusCode.Error, failure.Code.ToString());
        activity?.Dispose();
        if (_duration.Enabled)
        {
            _duration.Record(took.TotalSeconds, Tag("rpc.method", method), Tag("server.address", address));
        }
    }

    internal static void Fail(string address, StatusCode code) => _failures.Add(1, Tag("rpc.grpc.status_code", (int)code), Tag("server.address", address));

    internal static void Retry(string address) => _retries.Add(1, Tag("server.address", address));

    /// <summary>A batch is sent.</summary>
    internal static void Send(int calls, string address)
    {
        if (_batch.Enabled)
        {
            _batch.Record(calls, Tag("server.address", address));
        }
    }

    private static KeyValuePair<string, object?> Tag(string name, object value) => new(name, value);
}
