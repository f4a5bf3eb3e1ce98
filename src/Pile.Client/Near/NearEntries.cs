// The entries of a near table, and the reads of the server that are under way for it. The order that matters: an entry is kept, or dropped, under
// the lock of its key's part, and so is the look whether the read that brought it still counts. So nothing that was read before a change is
// kept after it, and reads that count never overlap for a key: a later one is never older.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cache;

namespace Pile.Client.Near;

/// <summary>Entries of a table, here. Thread-safe.</summary>
internal sealed class NearEntries
{
    private readonly Part[] _parts = new Part[ClientLimits.NearParts];
    private readonly PileTable<byte[], byte[]> _table;
    private long _changes;

    internal NearEntries(PileTable<byte[], byte[]> table)
    {
        _table = table;
        for (int index = 0; index < _parts.Length; index++)
        {
            _parts[index] = new Part();
        }
    }

    /// <summary>Changes that have come.</summary>
    internal long Changes => Volatile.Read(ref _changes);

    private bool IsEnded => _table.Core.IsEnded;

    /// <summary>Refuses what is asked after the end; what was asked before ends as it would have.</summary>
    /// <exception cref="ObjectDisposedException">The near cache was disposed.</exception>
    internal void RefuseEnded() => ObjectDisposedException.ThrowIf(IsEnded, typeof(PileNearCache));

    /// <summary>Copies a value.</summary>
    /// <returns>Its bytes, also where they don't fit; -1 where it is not here.</returns>
    internal int Copy(ReadOnlySpan<byte> key, Span<byte> destination) => _table.Core.Copy(key, destination);

    /// <summary>Leases a value.</summary>
    internal bool TryLease(scoped ReadOnlySpan<byte> key, out PileLease lease) => _table.Core.TryLease(key, oldestMs: 0, out lease, out _);

    /// <summary>The read of a key that is under way, or a new one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="now">A time stamp of now.</param>
    /// <param name="oldest">Reads that began before are left alone: a new one takes their place.</param>
    /// <param name="isNew">Whether the caller has to make the call.</param>
    internal NearFlight Join(PileKey key, long now, long oldest, out bool isNew)
    {
        Part part = PartOf(key);
        lock (part.Gate)
        {
            isNew = !part.Flights.TryGetValue(key, out NearFlight? flight) || flight.Began < oldest;
            if (isNew)
            {
                PileKey own = key.ToOwned();
                part.Flights[own] = flight = new NearFlight(own, now);
            }

            return flight!;
        }
    }

    /// <summary>Ends a read, and keeps what it has brought.</summary>
    /// <param name="flight">The read.</param>
    /// <param name="value">The value to be kept, or null to keep none.</param>
    /// <param name="options">Its terms.</param>
    /// <returns>False where it does not count any more.</returns>
    internal bool End(NearFlight flight, byte[]? value, in PileEntryOptions options)
    {
        Part part = PartOf(flight.Key);
        lock (part.Gate)
        {
            if (!part.Flights.TryGetValue(flight.Key, out NearFlight? present) || present != flight)
            {
                return false;
            }

            _ = part.Flights.Remove(flight.Key);
            byte[] key = flight.Key.ToArray();
            try
            {
                if (value is null || key.Length > CacheLimits.KeyBytesMax || _table.Set(key, value, options).Outcome is PileSetOutcome.Full)
                {
                    // Not as a key of a store, which refuses those that are too long: the server refuses them, and that is what is told.
                    _ = _table.Core.Remove(key, isConditional: false, default);
                }
            }
            catch (ObjectDisposedException) when (IsEnded)
            {
                // Nothing is kept any more; who waits for the read has it all the same.
            }

            return true;
        }
    }

    /// <summary>Drops an entry, and outdates the read of it.</summary>
    internal void Drop(PileKey key)
    {
        _ = Interlocked.Increment(ref _changes);
        ReadOnlySpan<byte> bytes = key.AsMemory().Span;
        Part part = PartOf(key);
        lock (part.Gate)
        {
            _ = part.Flights.Remove(key);
            try
            {
                _ = _table.Core.Remove(bytes, isConditional: false, default);
            }
            catch (ObjectDisposedException) when (IsEnded)
            {
                // It is gone with all the others.
            }
        }
    }

    /// <summary>Drops all entries, and outdates all reads.</summary>
    internal void Clear()
    {
        _ = Interlocked.Increment(ref _changes);
        foreach (Part part in _parts)
        {
            lock (part.Gate)
            {
                part.Flights.Clear();
            }
        }

        // What a read that began since has kept may go too: it is read again.
        try
        {
            _table.Clear();
        }
        catch (ObjectDisposedException) when (IsEnded)
        {
            // They are gone.
        }
    }

    internal PileCacheStatistics Figures() => _table.GetStatistics();

    private Part PartOf(PileKey key) => _parts[(key.GetHashCode() & int.MaxValue) % _parts.Length];

    private sealed class Part
    {
        internal Lock Gate { get; } = new();

        internal Dictionary<PileKey, NearFlight> Flights { get; } = [];
    }
}
