// Reads of the server for a near table: one for all who ask for a key at the same time, kept where it counts. Its value is asked for with
// its end, so that what is kept here never outlives it.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client.Calls;

namespace Pile.Client.Near;

/// <summary>The way to the server of a near table. Thread-safe.</summary>
internal sealed class NearReads(ServerLink link, string table, NearEntries entries, PileNearOptions options)
{
    private readonly long _bound = (long)(options.StalenessMax.TotalSeconds * link.Time.TimestampFrequency);
    private long _misses;

    internal long Misses => Volatile.Read(ref _misses);

    /// <summary>Reads a value. The array may be others' too.</summary>
    internal async Task<byte[]?> ReadAsync(PileKey key, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        entries.RefuseEnded();
        _ = Interlocked.Increment(ref _misses);
        for (int tries = 0; tries < ClientLimits.NearReadsMax; tries++)
        {
            long now = link.Time.GetTimestamp();
            NearFlight flight = entries.Join(key, now, now - _bound, out bool isNew);
            if (isNew)
            {
                _ = FlyAsync(flight);
            }

            NearAnswer answer = await flight.Task.WaitAsync(cancel).ConfigureAwait(false);
            if (answer.IsGood)
            {
                return answer.Value;
            }
        }

        // A key that changes all the time. What is read now may be newer than what others keep: theirs goes.
        try
        {
            return (await AskAsync(key, cancel).ConfigureAwait(false)).Value;
        }
        finally
        {
            entries.Drop(key);
        }
    }

    // Without the token of any caller: others may wait for it too.
    private async Task FlyAsync(NearFlight flight)
    {
        try
        {
            (byte[]? value, ulong endsInMs, bool isLarge) = await AskAsync(flight.Key, CancellationToken.None).ConfigureAwait(false);
            bool isKept = TryTerms(flight, endsInMs, out PileEntryOptions terms) && !isLarge && value?.Length <= options.ValueBytesMax;
            flight.SetResult(new NearAnswer(entries.End(flight, isKept ? value : null, terms), value));
        }
        catch (Exception failure)
        {
            try
            {
                _ = entries.End(flight, null, default);
            }
            finally
            {
                // Whatever becomes of what is here: who waits is told. Seen, also where all of them have gone.
                flight.SetException(failure);
                _ = flight.Task.Exception;
            }
        }
    }

    // Half of what is left, counted from before the call: an entry with a sliding end that is used here is then used there in time, too.
    private bool TryTerms(NearFlight flight, ulong endsInMs, out PileEntryOptions terms)
    {
        TimeSpan life = options.TimeToLiveMax ?? TimeSpan.MaxValue;
        if (endsInMs != 0)
        {
            TimeSpan left = WireForm.SpanOf(endsInMs / 2);
            life = life < left ? life : left;
        }

        if (life == TimeSpan.MaxValue)
        {
            terms = default;
            return true;
        }

        life -= link.Time.GetElapsedTime(flight.Began);
        terms = life > TimeSpan.Zero ? new PileEntryOptions { TimeToLive = life } : default;
        return life > TimeSpan.Zero;
    }

    private async Task<(byte[]? Value, ulong EndsInMs, bool IsLarge)> AskAsync(PileKey key, CancellationToken cancel)
    {
        long began = link.Time.GetTimestamp();
        try
        {
            var request = new V1.GetRequest { Table = table, Key = WireForm.KeyOf(key), WantEnd = true };
            V1.GetReply reply = await link.CallAsync(link.Entries.GetAsync, request, isIdempotent: true, began, cancel).ConfigureAwait(false);
            return (reply.Found ? reply.Value.ToByteArray() : null, reply.EndsInMs, false);
        }
        catch (PileClientException failure) when (failure.Status == PileStatus.TooLarge && key.Length <= ClientLimits.KeyBytesMax)
        {
            return (await LargeCalls.GetAsync(link, table, key.ToArray(), began, cancel).ConfigureAwait(false), 0, true);
        }
    }
}
