// What keeps a near table right: a watch with a beat, for as long as the table is used. It never gives up: after a failure it goes on where it was,
// or begins anew and drops everything. It also tells the gate up to when everything is known.
// Two clocks are never compared, only their pace: the server's first reading was taken after the request was made here, so what it read
// later by a span was read here later by that span at least. A thousandth is taken off for clocks of different pace, and the stream renewed
// before that adds up.
using System;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client.Near;

/// <summary>The watch of a near table.</summary>
internal sealed class NearWatch
{
    private readonly ServerLink _link;
    private readonly NearEntries _entries;
    private readonly NearGate _gate;
    private readonly PileNearOptions _options;
    private readonly V1.WatchRequest _request;
    private readonly TimeSpan _beat;
    private long _losses;
    private long _interruptions;

    internal NearWatch(ServerLink link, string table, NearEntries entries, NearGate gate, PileNearOptions options)
    {
        _link = link;
        _entries = entries;
        _gate = gate;
        _options = options;
        TimeSpan beat = options.StalenessMax / ClientLimits.NearBeats;
        _beat = beat < ClientLimits.NearBeatMax ? beat : ClientLimits.NearBeatMax;
        _request = new V1.WatchRequest { Table = table, BeatMs = (uint)_beat.TotalMilliseconds };
    }

    internal long Losses => Volatile.Read(ref _losses);

    internal long Interruptions => Volatile.Read(ref _interruptions);

    /// <summary>Why the watch is interrupted, or null while it is not.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>Runs until it is told to end, or the client is disposed.</summary>
    internal async Task RunAsync(CancellationToken ends)
    {
        int failures = 0;
        while (!ends.IsCancellationRequested && !_link.IsDisposed)
        {
            bool hasHeard = false;
            try
            {
                await StreamAsync(() => hasHeard = true, ends).ConfigureAwait(false);
                failures = 0;
                continue;
            }
            catch (Exception failure)
            {
                // Whatever it was, the way out is the same, and it is told: without a watch no entry is served for long.
                if (ends.IsCancellationRequested || _link.IsDisposed)
                {
                    break;
                }

                Interrupted(failure);
            }

            failures = hasHeard ? 0 : failures + 1;
            try
            {
                await Pause.ForAsync(Pause.Before(failures, null), _link.Time, ends).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                break;
            }

            ClientMetrics.Retry(_link.Endpoint);
        }

        _gate.Shut();
    }

    // One stream. It returns when it is time for the next one, and throws when it ends otherwise.
    private async Task StreamAsync(Action heard, CancellationToken ends)
    {
        TimeProvider time = _link.Time;
        TimeSpan silence = _beat * ClientLimits.NearBeats;
        silence = silence > ClientLimits.NearSilenceMin ? silence : ClientLimits.NearSilenceMin;
        using var stop = new CancellationTokenSource(silence, time);
        using CancellationTokenRegistration ending = ends.UnsafeRegister(static stop => ((CancellationTokenSource)stop!).Cancel(), stop);
        long began = time.GetTimestamp();
        using AsyncServerStreamingCall<V1.WatchReply> call = _link.Entries.Watch(_request, await _link.OptionsAsync(stop.Token).ConfigureAwait(false));
        ulong first = 0;
        while (await call.ResponseStream.MoveNext(stop.Token).ConfigureAwait(false))
        {
            stop.CancelAfter(silence);
            heard();
            Failure = null;
            V1.WatchReply reply = call.ResponseStream.Current;
            Take(reply);
            if (reply.ReadUs != 0)
            {
                first = first == 0 ? reply.ReadUs : first;
                _gate.Told(began + StampsOf(ulong.Max(reply.ReadUs, first) - first, time));
            }

            if (time.GetElapsedTime(began) > _options.StalenessMax * ClientLimits.NearStreamLife)
            {
                return;
            }
        }

        throw new PileClientException($"The server at {_link.Endpoint} has ended the watch. It is begun again.", StatusCode.Unavailable, null, _link.Endpoint, isRetrySafe: true);
    }

    private void Take(V1.WatchReply reply)
    {
        if (reply.Lost || _request.Resume.IsEmpty)
        {
            // Of the first reply of all it is only known that every change after it is told.
            _ = reply.Lost ? Interlocked.Increment(ref _losses) : 0;
            _entries.Clear();
        }

        foreach (V1.WatchEvent change in reply.Events)
        {
            if (change.Kind is V1.WatchEvent.Types.Kind.Set or V1.WatchEvent.Types.Kind.Removed or V1.WatchEvent.Types.Kind.Expired or V1.WatchEvent.Types.Kind.Evicted)
            {
                _entries.Drop(new PileKey(change.Key.Memory));
            }
            else
            {
                // A tag is not known here; nor is what a later server may tell.
                _entries.Clear();
            }
        }

        _request.Resume = reply.Resume;
    }

    private void Interrupted(Exception failure)
    {
        PileClientException? known = failure is RpcException thrown ? CallFailures.Of(thrown, _link.Endpoint, isIdempotent: true) : failure as PileClientException;
        Failure = known ?? failure;
        _ = Interlocked.Increment(ref _interruptions);
        ClientMetrics.Fail(_link.Endpoint, known?.Code ?? StatusCode.Unknown);
        if (known?.Status is not null && !CallFailures.IsPassing(known))
        {
            // The server says that the table is gone, or not ours to read: when it comes again, it is another one.
            _request.Resume = ByteString.Empty;
            _gate.Shut();
            _entries.Clear();
        }

        if (!_options.IsServedWhileInterrupted)
        {
            _gate.Shut();
        }
    }

    private static long StampsOf(ulong us, TimeProvider time)
    {
        double seconds = us / 1e6 * (1 - (1.0 / ClientLimits.NearPace));
        return (long)(double.Min(seconds, TimeSpan.MaxValue.TotalSeconds / 2) * time.TimestampFrequency);
    }
}
