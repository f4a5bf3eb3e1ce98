// How many calls a client may begin in a second: a bucket for each client by the name of its rate, or by its address where it has none. The least
// recently seen are forgotten when there are too many; who comes again has a full bucket.
using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;

namespace Pile.Server.Security;

/// <summary>The rates of clients. Thread-safe.</summary>
/// <param name="callsPerSecondMax">Calls in a second, and at once.</param>
/// <param name="time">The clock.</param>
internal sealed class CallRates(int callsPerSecondMax, TimeProvider time)
{
    private readonly ConcurrentDictionary<string, Bucket> _buckets = new(StringComparer.Ordinal);

    /// <summary>Whether the client may begin a call now; if so, it is counted.</summary>
    internal bool TryBegin(string client) => TryTake(client, 1);

    /// <summary>Whether the client might begin a call now; none is counted.</summary>
    internal bool MayBegin(string client) => TryTake(client, 0);

    private bool TryTake(string client, int calls)
    {
        long now = time.GetTimestamp();
        if (!_buckets.TryGetValue(client, out Bucket? bucket))
        {
            // Counted for new ones alone: it takes all locks of the dictionary, of which there are many where there are many clients.
            if (_buckets.Count > ServerLimits.RateClientsMax)
            {
                Forget();
            }

            bucket = _buckets.GetOrAdd(client, static (_, at) => new Bucket(at.Full, at.Now), (Full: (double)callsPerSecondMax, Now: now));
        }

        return bucket.TryTake(calls, callsPerSecondMax, now, time.TimestampFrequency);
    }

    private void Forget()
    {
        foreach (string client in _buckets.ToArray().OrderBy(static pair => pair.Value.Seen).Take(ServerLimits.RateClientsMax / 2).Select(static pair => pair.Key).ToArray())
        {
            _ = _buckets.TryRemove(client, out _);
        }
    }

    private sealed class Bucket(double left, long now)
    {
        private readonly Lock _gate = new();
        private double _left = left;
        private long _seen = now;

        internal long Seen => Interlocked.Read(ref _seen);

        internal bool TryTake(int calls, int callsPerSecondMax, long now, long frequency)
        {
            lock (_gate)
            {
                _left = double.Min(callsPerSecondMax, _left + (long.Max(0, now - _seen) / (double)frequency * callsPerSecondMax));
                _seen = long.Max(now, _seen);
                if (_left < 1)
                {
                    return false;
                }

                _left -= calls;
                return true;
            }
        }
    }
}
