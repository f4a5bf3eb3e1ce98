// The calls that are under way for the keys of a table: at most one for a key that others join, and beside it those that must not wait for it.
// Writes through to a store are calls too: nobody loads a key meanwhile, and the next write of the key waits for the end.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Primitives;

namespace Pile.Cache.Factories;

/// <summary>Calls under way in one table. Thread-safe.</summary>
internal sealed class KeyFlights<TValue> : IKeyFlights
    where TValue : notnull
{
    private readonly Dictionary<FlightKey, ValueFlight<TValue>> _flights;

    /// <summary>Calls beside one of the same key: it waits for their caller, is a write that came after they had begun, or they are their callers' own.</summary>
    private readonly HashSet<ValueFlight<TValue>> _beside = [];

    private readonly Lock _gate = new();
    private readonly TableBase _table;
    private readonly FlightKey.Comparer _comparerOfFlights;
    private int _underWay;

    internal KeyFlights(TableBase table)
    {
        _table = table;
        _comparerOfFlights = new FlightKey.Comparer(table);
        _flights = new Dictionary<FlightKey, ValueFlight<TValue>>(_comparerOfFlights);
        Comparer = new FlightKey.Comparer(table);
        table.Flights = this;
    }

    /// <summary>Held while a call begins, is joined, left or ended. No interrupt of a thread ends a wait for it: who waits for a call would wait for ever.</summary>
    internal Lock Gate => _gate;

    /// <summary>How keys are compared.</summary>
    internal FlightKey.Comparer Comparer { get; }

    /// <summary>Whether the call of a key goes on though somebody has given up waiting for it.</summary>
    internal bool GoesOnAlready(FlightKey id)
    {
        using (_gate.EnterAnyhow())
        {
            return _flights.TryGetValue(id, out ValueFlight<TValue>? flight) && flight.IsInBackground;
        }
    }

    /// <summary>Joins the call of a key, or begins one.</summary>
    /// <param name="id">The key.</param>
    /// <param name="expected">The version of the entry that it is to replace.</param>
    /// <param name="stamp">Removals by tag that there had been.</param>
    /// <param name="outer">The call within which the caller is.</param>
    /// <param name="isNew">Whether it is the caller's to run.</param>
    internal ValueFlight<TValue> Join(FlightKey id, PileEntryVersion expected, long stamp, FactoryFlight? outer, out bool isNew)
    {
        using (_gate.EnterAnyhow())
        {
            bool isUnderWay = _flights.TryGetValue(id, out ValueFlight<TValue>? flight) && !Fault.CacheFlightsNotShared;
            isNew = !(isUnderWay && FactoryFlight.TryWait(outer, flight!));
            if (!isNew)
            {
                flight!.Waiting++;
                return flight;
            }

            // One that waits for the caller is not waited for: the factory is called beside it.
            flight = new ValueFlight<TValue>(_table, id, stamp, expected, outer) { Waiting = 1 };
            _ = FactoryFlight.TryWait(outer, flight);
            if (!_flights.TryAdd(id, flight))
            {
                _ = _beside.Add(flight);
            }

            _ = Interlocked.Increment(ref _underWay);
            return flight;
        }
    }

    /// <summary>Begins a call in the background, unless one is under way for the key.</summary>
    internal ValueFlight<TValue>? BeginAlone(FlightKey id, PileEntryVersion version, long stamp)
    {
        using (_gate.EnterAnyhow())
        {
            if (_flights.ContainsKey(id))
            {
                return null;
            }

            var flight = new ValueFlight<TValue>(_table, id, stamp, version, outer: null) { IsInBackground = true };
            _flights.Add(id, flight);
            _ = Interlocked.Increment(ref _underWay);
            return flight;
        }
    }

    /// <summary>Begins a call that nobody joins, beside those of its key.</summary>
    internal ValueFlight<TValue> BeginBeside(FlightKey id, long stamp)
    {
        var flight = new ValueFlight<TValue>(_table, id, stamp, default, outer: null) { Waiting = 1 };
        using (_gate.EnterAnyhow())
        {
            _ = _beside.Add(flight);
            _ = Interlocked.Increment(ref _underWay);
        }

        return flight;
    }

    /// <summary>Begins a write. A call that makes the key's value goes on beside it.</summary>
    /// <param name="id">The key.</param>
    /// <param name="stamp">Removals by tag that there had been.</param>
    /// <param name="outer">The call within which the caller is.</param>
    /// <param name="before">The write that is under way for the key, and is to be waited for; null for none.</param>
    /// <returns>It; null when there is another one, which the caller waits for, or would wait for in a circle.</returns>
    internal ValueFlight<TValue>? BeginWrite(FlightKey id, long stamp, FactoryFlight? outer, out ValueFlight<TValue>? before)
    {
        using (_gate.EnterAnyhow())
        {
            if (_flights.TryGetValue(id, out before))
            {
                if (before.IsWrite)
                {
                    before = FactoryFlight.TryWait(outer, before) ? before : null;
                    return null;
                }

                _ = _flights.Remove(id);
                _ = _beside.Add(before);
            }

            before = null;
            var flight = new ValueFlight<TValue>(_table, id, stamp, default, outer) { IsWrite = true, Waiting = 1 };
            _ = FactoryFlight.TryWait(outer, flight);
            _flights.Add(id, flight);
            _ = Interlocked.Increment(ref _underWay);
            return flight;
        }
    }

    /// <summary>Waits no more for a call. One that nobody waits for is abandoned, unless it goes on.</summary>
    internal void Leave(ValueFlight<TValue> flight, bool goesOn)
    {
        using (_gate.EnterAnyhow())
        {
            flight.IsInBackground |= goesOn && !flight.IsWrite;
            if (--flight.Waiting == 0 && !flight.IsInBackground && !flight.IsOver)
            {
                // Nobody joins it any more. Until its factory has returned, who removes the key still has to find it.
                if (TryRemoveLocked(flight))
                {
                    _ = _beside.Add(flight);
                }

                flight.Abandon();
            }
        }
    }

    /// <summary>Ends a call: who asks from now on begins another.</summary>
    internal void End(ValueFlight<TValue> flight)
    {
        using (_gate.EnterAnyhow())
        {
            LeaveLocked(flight);
            flight.Dispose();
            _ = Interlocked.Decrement(ref _underWay);
        }
    }

    /// <summary>Keeps what is being made of a key from being stored: the key is about to be removed, or was written to what it is made from.</summary>
    public void Outdate(ReadOnlySpan<byte> key)
    {
        // Counted before its factory is called: one that is not seen here begins after this, and makes what is to be there then.
        if (Volatile.Read(ref _underWay) != 0)
        {
            Outdate(new FlightKey(key.ToArray(), _table.Key(key).Hash));
        }
    }

    /// <inheritdoc cref="Outdate(ReadOnlySpan{byte})"/>
    internal void Outdate(FlightKey id)
    {
        ValueFlight<TValue>[] flights;
        using (_gate.EnterAnyhow())
        {
            flights = [.. _beside.Where(other => !other.IsWrite && Comparer.Equals(other.Key, id))];
            if (_flights.TryGetValue(id, out ValueFlight<TValue>? flight) && !flight.IsWrite)
            {
                // Who asks from now on does not join it. Who removes the key from now on finds it still, for it is not marked yet.
                _ = _flights.Remove(id);
                _ = _beside.Add(flight);
                flights = [flight, .. flights];
            }
        }

        Array.ForEach(flights, Outdate);
    }

    /// <summary>Keeps what is being made of some keys from being stored. Writes go on: what they store is what is to be there.</summary>
    internal void OutdateWhere(Predicate<FlightKey> isMeant)
    {
        ValueFlight<TValue>[] flights;
        using (_gate.EnterAnyhow())
        {
            ValueFlight<TValue>[] joined = [.. _flights.Values.Where(IsMeant)];
            Array.ForEach(joined, flight => _flights.Remove(flight.Key));
            flights = [.. joined, .. _beside.Where(IsMeant)];
            _beside.UnionWith(joined);
        }

        Array.ForEach(flights, Outdate);

        bool IsMeant(ValueFlight<TValue> flight) => !flight.IsWrite && isMeant(flight.Key);
    }

    private static void Outdate(ValueFlight<TValue> flight)
    {
        lock (flight.Gate)
        {
            flight.IsOutdated = true;
        }
    }

    private void LeaveLocked(ValueFlight<TValue> flight)
    {
        if (!TryRemoveLocked(flight))
        {
            _ = _beside.Remove(flight);
        }
    }

    /// <summary>Takes a call away that others could join. The table's comparer is not asked: who waits must be told of the end though it throws.</summary>
    private bool TryRemoveLocked(ValueFlight<TValue> flight)
    {
        _comparerOfFlights.IsByReference = true;
        bool isThere = _flights.Remove(flight.Key);
        _comparerOfFlights.IsByReference = false;
        return isThere;
    }
}
