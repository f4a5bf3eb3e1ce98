// What one call does when the value is not in the cache: ask the cache behind, else the factory, and tell the cache behind. It runs inside
// the table's single flight, or in one beside it for calls that do not want to read what is there.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Factories;

namespace Pile.Caching.Hybrid;

/// <summary>The work of one call.</summary>
internal sealed class HybridWork<TState, T>(
    string key, TState state, Func<TState, CancellationToken, ValueTask<T>> factory, HybridForm<T> form, HybridTerms terms, HybridBehind? behind, TimeProvider time)
{
    private volatile bool _isDone;

    /// <summary>The value, when this work has made or read it.</summary>
    internal T? Value { get; private set; }

    /// <summary>Whether it has. Volatile: set after the value, by a call that may go on in the background while its caller looks here.</summary>
    internal bool IsDone => _isDone;

    /// <summary>Makes the value and its entry in a call that is under way, whose flow this is; none where only caches are to be asked.</summary>
    /// <param name="part">The part of its life after which what is behind is not taken: less than 1 ahead of the end of an entry, which may
    /// be that very value.</param>
    /// <param name="token">Ends it.</param>
    internal ValueTask<PileAnswer<byte[]>> MakeAsync(double part, CancellationToken token) => MakeAsync(FactoryFlight.OfFlow, part, token);

    /// <summary>The same in a call that is told.</summary>
    internal async ValueTask<PileAnswer<byte[]>> MakeAsync(FactoryFlight? flight, double part, CancellationToken token)
    {
        // Before anything is asked: what is removed from here on takes this value with it.
        long begunTicks = time.GetUtcNow().UtcTicks;
        if (behind is not null && !terms.Has(HybridCacheEntryFlags.DisableDistributedCacheRead)
            && await behind.ReadAsync(key, token).ConfigureAwait(false) is { } found && IsWithin(part, found) && TryRead(behind, found, out T? read))
        {
            Done(read);
            TimeSpan left = TimeSpan.FromTicks(long.Max(1, found.EndTicks - time.GetUtcNow().UtcTicks));
            return new PileAnswer<byte[]>(found.Value) { Entry = terms.Entry(left, found.Tags) };
        }

        if (terms.Has(HybridCacheEntryFlags.DisableUnderlyingData))
        {
            return new PileAnswer<byte[]> { LeavesEntry = true };
        }

        T made = await factory(state, token).ConfigureAwait(false);
        return await KeepAsync(made, begunTicks, flight, token).ConfigureAwait(false);
    }

    /// <summary>Makes the entry of a value, and tells the cache behind.</summary>
    /// <param name="made">The value.</param>
    /// <param name="begunTicks">When it began to be made.</param>
    /// <param name="flight">The call in which it was made; null where it was given.</param>
    /// <param name="token">Ends it.</param>
    internal async ValueTask<PileAnswer<byte[]>> KeepAsync(T made, long begunTicks, FactoryFlight? flight, CancellationToken token)
    {
        byte[]? bytes = form.Write(made);
        Done(made);
        if (bytes is null)
        {
            return HybridUnkept.Answer;
        }

        if (behind is not null && !terms.Has(HybridCacheEntryFlags.DisableDistributedCacheWrite))
        {
            await WriteAsync(behind, bytes, begunTicks, flight, token).ConfigureAwait(false);
        }

        return new PileAnswer<byte[]>(bytes) { Entry = terms.Entry(terms.Expiration, terms.Tags) };
    }

    /// <summary>Writes the value there, unless its key was removed or set since it began to be made; what is outdated on its way is taken away again.</summary>
    private async ValueTask WriteAsync(HybridBehind to, byte[] bytes, long begunTicks, FactoryFlight? flight, CancellationToken token)
    {
        long endTicks = long.Min(DateTime.MaxValue.Ticks, begunTicks + long.Min(terms.Expiration.Ticks, DateTime.MaxValue.Ticks - begunTicks));

        // Begun before the look: who removes or sets the key outdates the call first, and then keeps what is there from being believed for as long as
        // this is under way.
        using ChangesUnderWay.Change change = to.Begin(key, outdatedTicks: 0);
        if (IsOutdated(flight))
        {
            return;
        }

        try
        {
            await to.WriteAsync(key, new HybridEnvelope(begunTicks, endTicks, terms.Tags, bytes), terms.Expiration, token).ConfigureAwait(false);
        }
        finally
        {
            // Nor does a caller who has gone leave there what was removed.
            if (IsOutdated(flight))
            {
                await to.RemoveAsync(key, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }

    private static bool IsOutdated(FactoryFlight? flight)
    {
        if (flight is null)
        {
            return false;
        }

        lock (flight.Gate)
        {
            return flight.IsOutdated;
        }
    }

    private bool IsWithin(double part, HybridEnvelope found) =>
        time.GetUtcNow().UtcTicks - found.CreatedTicks < (found.EndTicks - found.CreatedTicks) * part;

    private bool TryRead(HybridBehind from, HybridEnvelope found, [MaybeNullWhen(false)] out T value)
    {
        if (form.TryRead(found.Value, out value, out Exception? failure))
        {
            return true;
        }

        from.TellUnreadable(key, typeof(T), failure);
        return false;
    }

    private void Done(T? value)
    {
        Value = value;
        _isDone = true;
    }
}
