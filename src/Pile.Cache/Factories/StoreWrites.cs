// Writes through to a store. A write is a call under way for its key, as a load is: the next write of the key waits for it, who misses the key joins
// it, and what loads were making when the store had changed is not stored. The store comes first: what the table shows, the store has had.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Entries;
using Pile.Cache.Keys;

namespace Pile.Cache.Factories;

/// <summary>Writes of one view of a table. Thread-safe.</summary>
/// <param name="table">The table.</param>
/// <param name="behind">The store.</param>
/// <param name="options">Terms of entries.</param>
internal sealed class StoreWrites<TKey, TValue>(PileTable<TKey, TValue> table, IPileStore<TKey, TValue> behind, PileFactoryOptions options)
    where TKey : notnull
    where TValue : notnull
{
    private readonly FactoryStore<TKey, TValue> _store = new(table);
    private readonly KeyFlights<TValue> _flights = table.Factories.Flights;

    /// <summary>Writes a value.</summary>
    internal async Task<PileSetResult> SetAsync(TKey key, TValue value, PileEntryOptions? given, CancellationToken cancellationToken)
    {
        NullRefusal.Unless(value);
        PileEntryOptions entry = given ?? options.Entry;
        long stamp = table.Parts.Tags.Now;

        // What can't be an entry's is refused before the store has it.
        _ = EntryTermsOf.Options(table.Parts, entry);
        PileSetResult result = default;
        await WriteAsync(
            key,
            stamp,
            () => behind.SaveAsync(key, value, cancellationToken),
            flight =>
            {
                result = _store.Write(flight, value, entry, options, out ulong[] tags);
                if (!result.IsStored)
                {
                    _ = table.Core.Remove(flight.Key.Bytes, isConditional: false, default);
                }

                return (new PileAnswer<TValue>(value), tags);
            },
            cancellationToken).ConfigureAwait(false);
        return result;
    }

    /// <summary>Deletes a value.</summary>
    internal async Task<bool> RemoveAsync(TKey key, CancellationToken cancellationToken)
    {
        bool wasThere = false;
        await WriteAsync(
            key,
            table.Parts.Tags.Now,
            () => behind.DeleteAsync(key, cancellationToken),
            flight =>
            {
                wasThere = table.Core.Remove(flight.Key.Bytes, isConditional: false, default);
                return (default, []);
            },
            cancellationToken).ConfigureAwait(false);
        return wasThere;
    }

    private async Task WriteAsync(
        TKey key, long stamp, Func<ValueTask> write, Func<ValueFlight<TValue>, (PileAnswer<TValue> Answer, ulong[] Tags)> store, CancellationToken cancellationToken)
    {
        table.ThrowIfEnded();
        FactoryFlight? outer = FactoryFlight.OfFlow;
        ValueFlight<TValue> flight = await TurnAsync(key, _store.KeyOf(key), stamp, outer, cancellationToken).ConfigureAwait(false);
        (PileAnswer<TValue> Answer, ulong[] Tags) made = default;
        Exception? failure = null;
        bool isBegun = false;
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            flight.Enter();
            isBegun = true;
            await write().ConfigureAwait(false);

            // What was being loaded before is of another value: it is not stored from here on.
            _flights.Outdate(flight.Key);
            made = store(flight);
        }
        catch (Exception thrown)
        {
            failure = isBegun ? Forget(flight, thrown) : thrown;
        }

        _flights.End(flight);
        flight.End(made.Answer, made.Tags, failure, isOfFactory: false);
        FactoryFlight.EndWait(outer, flight);
        flight.Failure?.Throw();
    }

    /// <summary>Waits until no other write of the key is under way, and begins one.</summary>
    private async ValueTask<ValueFlight<TValue>> TurnAsync(TKey key, FlightKey id, long stamp, FactoryFlight? outer, CancellationToken cancellationToken)
    {
        table.Factories.RefuseCircle(key, id, outer);
        while (true)
        {
            if (_flights.BeginWrite(id, stamp, outer, out ValueFlight<TValue>? before) is { } flight)
            {
                return flight;
            }

            if (before is null)
            {
                throw new InvalidOperationException(
                    $"The write of the key '{FactoryStore<TKey, TValue>.Shown(key)}' in the table '{table.Name}', made by a store within another write, would wait for a write that waits for that one. Make it after the outer one, or write keys in one order.");
            }

            try
            {
                await before.Done.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                FactoryFlight.EndWait(outer, before);
            }
        }
    }

    /// <summary>Lets the table have no entry of a key of which it is not known what the store has.</summary>
    /// <returns>What the failure is to the caller.</returns>
    private Exception Forget(ValueFlight<TValue> flight, Exception failure)
    {
        try
        {
            _flights.Outdate(flight.Key);
            _ = table.Core.Remove(flight.Key.Bytes, isConditional: false, default);
            return failure;
        }
        catch (Exception second)
        {
            // The table has ended meanwhile, or can't be written to.
            return new AggregateException(failure, second);
        }
    }
}
