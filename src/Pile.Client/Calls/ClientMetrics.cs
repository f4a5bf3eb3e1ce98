// What a client tells those who watch: the meter and the activity source "Pile.Client". Names are of methods; no instrument and no activity
// has a key, a value, a table or a token.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Grpc.Core;
using Pile.Wire;

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
        return activity?.SetTag("rpc.system.name", "grpc").SetTag("rpc.method", method).SetTag("server.address", address);
    }

    /// <summary>A call has ended.</summary>
    internal static void End(Activity? activity, string method, string address, TimeSpan took, PileClientException? failure)
    {
        _ = failure is null ? activity : activity?.SetStatus(ActivityStatusCode.Error, failure.Code.ToString());
        if (activity is not null)
        {
            Tell(static ended => ended.Dispose(), activity);
        }

        if (_duration.Enabled)
        {
            Tell(static call => _duration.Record(call.Took.TotalSeconds, Tag("rpc.method", call.Method), Tag("server.address", call.Address)), (Took: took, Method: method, Address: address));
        }
    }

    internal static void Fail(string address, StatusCode code) =>
        Tell(static call => _failures.Add(1, Tag("rpc.response.status_code", StatusNames.Of(call.Code)), Tag("server.address", call.Address)), (Code: code, Address: address));

    internal static void Retry(string address) => Tell(static to => _retries.Add(1, Tag("server.address", to)), address);

    /// <summary>A batch is sent.</summary>
    internal static void Send(int calls, string address)
    {
        if (_batch.Enabled)
        {
            Tell(static batch => _batch.Record(batch.Calls, Tag("server.address", batch.Address)), (Calls: calls, Address: address));
        }
    }

    // What a listener throws is its own failure, and told as that: the calls that it hears of go on, else those of a batch would wait for ever.
    private static void Tell<T>(Action<T> tell, T what)
    {
        try
        {
            tell(what);
        }
#pragma warning disable CA1031 // Anything may come out of a listener.
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            Trace.TraceError($"A listener of '{Name}' threw: {thrown}");
        }
    }

    private static KeyValuePair<string, object?> Tag(string name, object value) => new(name, value);
}
