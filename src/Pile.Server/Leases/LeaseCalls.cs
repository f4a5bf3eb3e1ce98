// GetOrLease, SetLeased and EndLease: one client is told to compute what is missing, and the others wait for it. A wait ends with the call, with
// the server and after wait_ms; a lease ends by its value, by any change of its key, and by time. What it is of a table is TableLeases'.
using System;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Microsoft.Extensions.Options;
using Pile.Server.Calls;
using Pile.Server.Tables;

namespace Pile.Server.Leases;

/// <summary>The calls on leases. Thread-safe.</summary>
internal sealed class LeaseCalls(ServerState state, LeaseRoom room, IOptions<PileServerOptions> served)
{
    private readonly PileServerOptions _options = served.Value;

    internal async Task<V1.GetOrLeaseReply> GetAsync(V1.GetOrLeaseRequest request, CancellationToken cancel)
    {
        CallLimits.Key(request.Key.Length, _options);
        TimeSpan life = Span(request.LeaseMs, ServerLimits.LeaseMsMax, "lease_ms", ServerLimits.LeaseMsDefault);
        TimeSpan wait = Span(request.WaitMs, ServerLimits.LeaseWaitMsMax, "wait_ms", 0);
        ServedTable table = state.Tables.Get(request.Table);
        byte[] key = request.Key.ToByteArray();
        if (Answer(table, key, life, cancel, out KeyLease lease) is { } answer)
        {
            return answer;
        }

        if (wait == TimeSpan.Zero)
        {
            return new V1.GetOrLeaseReply { Taken = true };
        }

        room.BeginWait(key.Length);
        try
        {
            return await WaitAsync(table, key, life, wait, lease, cancel).ConfigureAwait(false);
        }
        finally
        {
            room.EndWait(key.Length);
        }
    }

    internal V1.SetReply Set(V1.SetLeasedRequest request)
    {
        CallLimits.Key(request.Key.Length, _options);
        CallLimits.Value(request.Value.Length, _options);
        ServedTable table = state.Tables.Get(request.Table);
        return EntriesService.ReplyOf(table, table.Leases.Store(request.Key.ToByteArray(), request.Lease, table.Entries, ReceivedBytes.Of(request.Value), TableTerms.Of(request.Terms)));
    }

    internal V1.EndLeaseReply End(V1.EndLeaseRequest request)
    {
        CallLimits.Key(request.Key.Length, _options);
        return new V1.EndLeaseReply { WasHeld = state.Tables.Get(request.Table).Leases.End(request.Key.ToByteArray(), request.Lease) };
    }

    private async Task<V1.GetOrLeaseReply> WaitAsync(ServedTable table, byte[] key, TimeSpan life, TimeSpan wait, KeyLease lease, CancellationToken cancel)
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancel, state.Stopping);
        long began = room.Time.GetTimestamp();
        while (true)
        {
            TimeSpan left = wait - room.Time.GetElapsedTime(began);
            if (left <= TimeSpan.Zero)
            {
                return new V1.GetOrLeaseReply { Taken = true };
            }

            await lease.Ended.WaitAsync(left, room.Time, ends.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ends.Token.ThrowIfCancellationRequested();
            if (Answer(table, key, life, cancel, out lease) is { } answer)
            {
                return answer;
            }
        }
    }

    /// <summary>The value, or a new lease; null where somebody else has one.</summary>
    private V1.GetOrLeaseReply? Answer(ServedTable table, byte[] key, TimeSpan life, CancellationToken cancel, out KeyLease lease)
    {
        lease = null!;
        if (Value(table, key) is { } value)
        {
            return value;
        }

        lease = table.Leases.Join(key, life, out bool isNew);
        if (!isNew)
        {
            return null;
        }

        bool isGiven = false;
        try
        {
            // Whoever had the lease before may have stored the value since the look. What is there and not read is what a Clear is about to take.
            V1.GetOrLeaseReply? late = table.Entries.ContainsKey(key) ? Value(table, key) : null;
            cancel.ThrowIfCancellationRequested();
            isGiven = late is null;
            return late ?? new V1.GetOrLeaseReply { Lease = lease.Number };
        }
        finally
        {
            _ = !isGiven && table.Leases.End(lease);
        }
    }

    private V1.GetOrLeaseReply? Value(ServedTable table, byte[] key)
    {
        if (!table.Entries.TryLease(key, out PileLease found))
        {
            return null;
        }

        using (found)
        {
            return found.Length <= _options.MessageBytesMax ? new V1.GetOrLeaseReply { Value = ByteString.CopyFrom(found.Bytes) } : throw CallLimits.TooLong(found.Length, _options);
        }
    }

    private static TimeSpan Span(ulong ms, int msMax, string name, int msDefault) => ms <= (ulong)msMax
        ? TimeSpan.FromMilliseconds(ms == 0 ? msDefault : (int)ms)
        : throw CallFailure.Refused($"'{name}' = {ms:N0} must lie between 0 and {msMax:N0} milliseconds.");
}
