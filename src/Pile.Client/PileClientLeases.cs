// Values that one client of all computes while the others wait for it: by a lease, which the server gives to one who asks for what is not
// there. A lease ends by itself, so that nobody waits for a client that has died.
using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client;

/// <summary>Leases of keys, and values computed under them.</summary>
public static class PileClientLeases
{
    /// <summary>Reads an entry, or computes it, once among all clients of the server that ask so.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key; must not change until the call is done.</param>
    /// <param name="compute">Makes the value, not null, with a token that ends with <paramref name="cancel"/>. What it throws comes through, and another caller computes.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="leaseTime">How long computing may take before another client may begin too: 1 ms to 10 minutes; null for 10 seconds.</param>
    /// <param name="cancel">Ends the call, and the wait for another client, which has no other end than that client's lease.</param>
    /// <returns>The value. Where the key was changed while it was computed, or took longer than the lease, or is too large for one message of the server
    /// (its MessageBytesMax), it is returned and not stored.</returns>
    /// <exception cref="PileClientException">A call failed. Where the server refuses the computed value, another caller computes.</exception>
    /// <exception cref="InvalidOperationException">Null was computed.</exception>
    public static async Task<byte[]> GetOrAddAsync(
        this PileClientTable table, PileKey key, Func<CancellationToken, ValueTask<byte[]>> compute, PileClientTerms terms = default, TimeSpan? leaseTime = null, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(compute);
        WireForm.Check(terms);
        TimeSpan half = table.Link.Deadline == Timeout.InfiniteTimeSpan ? ClientLimits.LeaseWait : table.Link.Deadline / 2;
        TimeSpan wait = half < ClientLimits.LeaseWait ? half : ClientLimits.LeaseWait;
        while (true)
        {
            PileClientLease answer = await table.GetOrLeaseAsync(key, leaseTime, wait, cancel).ConfigureAwait(false);
            if (answer.Value is { } value)
            {
                return value;
            }

            if (answer.IsLeased)
            {
                return await ComputeAsync(table, key, answer, compute, terms, cancel).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Reads an entry, or gets a lease to compute it.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key.</param>
    /// <param name="leaseTime">How long the lease lasts: 1 ms to 10 minutes; null for 10 seconds.</param>
    /// <param name="wait">How long to wait for another client that has the lease; at most 10 minutes and less than the client's deadline. Zero: not at all.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The value; or a lease, for <see cref="SetLeasedAsync"/> or <see cref="EndLeaseAsync"/>; or neither, when another client has it and the wait is over,
    /// or when a value beyond one message was removed before it was read.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<PileClientLease> GetOrLeaseAsync(this PileClientTable table, PileKey key, TimeSpan? leaseTime = null, TimeSpan wait = default, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentOutOfRangeException.ThrowIfLessThan(wait, TimeSpan.Zero);
        var request = new V1.GetOrLeaseRequest
        {
            Table = table.Name,
            Key = WireForm.KeyOf(key),
            LeaseMs = WireForm.Milliseconds(leaseTime, nameof(leaseTime)),
            WaitMs = (ulong)wait.TotalMilliseconds,
        };
        long began = table.Link.Time.GetTimestamp();
        try
        {
            V1.GetOrLeaseReply reply = await table.Link.CallAsync(table.Link.Entries.GetOrLeaseAsync, request, isIdempotent: true, began, cancel).ConfigureAwait(false);
            return reply.HasValue ? new PileClientLease(reply.Value.ToByteArray(), 0) : new PileClientLease(null, reply.Lease);
        }
        catch (PileClientException failure) when (failure.Status == PileStatus.TooLarge && key.Length <= ClientLimits.KeyBytesMax)
        {
            return new PileClientLease(await LargeCalls.GetAsync(table.Link, table.Name, key.ToArray(), began, cancel).ConfigureAwait(false), 0);
        }
    }

    /// <summary>Stores what a lease was given for, and ends the lease.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key.</param>
    /// <param name="lease">What <see cref="GetOrLeaseAsync"/> gave.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Inserted, Replaced or Expired; Refused where the lease has ended, by time or because the key was changed.</returns>
    /// <exception cref="ArgumentException">It is no lease.</exception>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<PileClientOutcome> SetLeasedAsync(
        this PileClientTable table, PileKey key, PileClientLease lease, ReadOnlyMemory<byte> value, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(table);
        RefuseNone(lease);
        var request = new V1.SetLeasedRequest { Table = table.Name, Key = WireForm.KeyOf(key), Value = WireForm.ValueOf(value), Terms = WireForm.TermsOf(terms), Lease = lease.Number };
        return (PileClientOutcome)(int)(await table.Link.CallAsync(table.Link.Entries.SetLeasedAsync, request, isIdempotent: false, cancel).ConfigureAwait(false)).Outcome;
    }

    /// <summary>Gives a lease back without a value: one of those who wait gets the next one.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key.</param>
    /// <param name="lease">What <see cref="GetOrLeaseAsync"/> gave.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether it had not ended before.</returns>
    /// <exception cref="ArgumentException">It is no lease.</exception>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<bool> EndLeaseAsync(this PileClientTable table, PileKey key, PileClientLease lease, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(table);
        RefuseNone(lease);
        var request = new V1.EndLeaseRequest { Table = table.Name, Key = WireForm.KeyOf(key), Lease = lease.Number };
        return (await table.Link.CallAsync(table.Link.Entries.EndLeaseAsync, request, isIdempotent: true, cancel).ConfigureAwait(false)).WasHeld;
    }

    private static async ValueTask<byte[]> ComputeAsync(
        PileClientTable table, PileKey key, PileClientLease lease, Func<CancellationToken, ValueTask<byte[]>> compute, PileClientTerms terms, CancellationToken cancel)
    {
        bool givesBack = true;
        try
        {
            byte[] computed = await compute(cancel).ConfigureAwait(false) ?? throw new InvalidOperationException("Null was computed, and a value can't be null. Throw, or compute an empty value.");
            try
            {
                _ = await table.SetLeasedAsync(key, lease, computed, terms, cancel).ConfigureAwait(false);
            }
            catch (PileClientException unheard) when (unheard.Code is StatusCode.Unavailable or StatusCode.DeadlineExceeded)
            {
                // The server can't be reached, and would not be for this: the lease ends by itself.
                givesBack = false;
                throw;
            }
            catch (PileClientException tooLarge) when (tooLarge.IsMessageTooLarge)
            {
                // What goes in chunks goes without the lease, and could come after a removal that the value is older than. So it is not kept.
                return computed;
            }

            givesBack = false;
            return computed;
        }
        finally
        {
            if (givesBack)
            {
                await GiveBackAsync(table, key, lease).ConfigureAwait(false);
            }
        }
    }

    private static async Task GiveBackAsync(PileClientTable table, PileKey key, PileClientLease lease)
    {
        try
        {
            // Without the caller's token: where that has ended, the others wait the more.
            _ = await table.EndLeaseAsync(key, lease, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is PileClientException or ObjectDisposedException)
        {
            // The caller hears why computing failed. The lease ends by itself.
        }
    }

    private static void RefuseNone(PileClientLease lease)
    {
        if (!lease.IsLeased)
        {
            throw new ArgumentException($"It is no lease: {nameof(PileClientLease.IsLeased)} says whether {nameof(GetOrLeaseAsync)} gave one.", nameof(lease));
        }
    }
}
