// The instruments of the meter "Pile.Server", and the counts that Tables.Stats tells. Durations and failures have the method's name; no
// instrument has a key, a table or a client.
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;
using Grpc.Core;
using Pile.Wire;

namespace Pile.Server.Calls;

/// <summary>What the server counts. Thread-safe.</summary>
internal sealed class ServerMetrics : IDisposable
{
    internal const string MeterName = "Pile.Server";

    private readonly Meter _meter = new(MeterName);
    private readonly Histogram<double> _duration;
    private readonly Counter<long> _failures;
    private long _calls;
    private long _failed;
    private long _running;

    public ServerMetrics(ReceiveBudget received, ReplyBudget replies, ServerState state)
    {
        _duration = _meter.CreateHistogram<double>("pile.server.call.duration", "s", "How long calls took; a stream is one call.");
        _failures = _meter.CreateCounter<long>("pile.server.call.failures", "{call}", "Calls that ended with another status than OK.");
        _ = _meter.CreateObservableUpDownCounter("pile.server.calls.running", () => Interlocked.Read(ref _running), "{call}", "Calls that are served now.");
        _ = _meter.CreateObservableUpDownCounter("pile.server.receiving", () => received.TakenBytes, "By", "Bytes counted against the receive budget.");
        _ = _meter.CreateObservableUpDownCounter("pile.server.replying", () => replies.TakenBytes, "By", "Bytes counted against the budget of replies.");
        _ = _meter.CreateObservableGauge("pile.server.serving", () => state.IsHealthy ? 1 : 0, "1", "What health says: 1 for SERVING, 0 for NOT_SERVING.");
    }

    internal long Calls => Interlocked.Read(ref _calls);

    internal long FailedCalls => Interlocked.Read(ref _failed);

    internal void Begin()
    {
        _ = Interlocked.Increment(ref _calls);
        _ = Interlocked.Increment(ref _running);
    }

    internal void End(double seconds, KeyValuePair<string, object?> method)
    {
        _ = Interlocked.Decrement(ref _running);
        _duration.Record(seconds, method);
    }

    internal void Fail(string method, StatusCode code)
    {
        _ = Interlocked.Increment(ref _failed);
        _failures.Add(1, new KeyValuePair<string, object?>("rpc.method", method), new KeyValuePair<string, object?>("rpc.response.status_code", StatusNames.Of(code)));
    }

    public void Dispose() => _meter.Dispose();
}
