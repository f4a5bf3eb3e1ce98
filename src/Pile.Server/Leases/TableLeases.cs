// The leases of one table. A call that changes a key outdates its lease before the change, so that a value that was computed from what had been
// before is never stored, and ends it after the change, so that whoever waited finds the change. With a lease's value the look
// whether it is still good and the store are one step, under the gate. Where there are no leases, a change costs a look at a number.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache;
using Pile.Server.Tables;

namespace Pile.Server.Leases;

/// <summary>Leases of a table. Thread-safe.</summary>
internal sealed class TableLeases(LeaseRoom room)
{
    private static readonly PileSetResult _refused = new(PileSetOutcome.Refused, 0);

    private readonly Lock _gate = new();
    private readonly Dictionary<byte[], KeyLease> _leases = new(new NameComparer());
    private RemovedTag _lastTag = new("");
    private long _tagBytes;
    private int _count;

    /// <summary>How many there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>The lease of a key that somebody has, or a new one.</summary>
    /// <param name="key">The key; kept.</param>
    /// <param name="life">How long a new one lasts.</param>
    /// <param name="isNew">Whether it is the caller's.</param>
    /// <exception cref="Grpc.Core.RpcException">There are as many as there may be.</exception>
    internal KeyLease Join(byte[] key, TimeSpan life, out bool isNew)
    {
        lock (_gate)
        {
            isNew = !_leases.TryGetValue(key, out KeyLease? lease);
            if (lease is not null)
            {
                return lease;
            }

            lease = new KeyLease(key, LeaseRoom.NewNumber(), _lastTag);
            room.Take(lease.Bytes);
            bool isKept = false;
            try
            {
                lease.Timer = room.Time.CreateTimer(_ => End(lease), null, life, Timeout.InfiniteTimeSpan);
                _leases.Add(key, lease);
                isKept = true;
            }
            finally
            {
                if (!isKept)
                {
                    lease.Timer?.Dispose();
                    room.Give(lease.Bytes);
                }
            }

            Volatile.Write(ref _count, _leases.Count);
            return lease;
        }
    }

    /// <summary>Stores what a lease was given for, and ends it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="number">The lease's number.</param>
    /// <param name="entries">The table.</param>
    /// <param name="value">The value.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <returns>What became of it; Refused when the lease has ended, a tag of the entry was removed since it began, or there is an entry.</returns>
    internal PileSetResult Store(byte[] key, ulong number, PileTable<byte[], byte[]> entries, byte[] value, in PileEntryOptions terms)
    {
        KeyLease? lease;
        PileSetResult result = _refused;
        lock (_gate)
        {
            lease = FindLocked(key, number);
            if (lease is not null)
            {
                // What throws here, for terms that can't be, leaves the lease as it is.
                result = IsRemoved(lease, terms.Tags) ? _refused : entries.Add(key, value, terms);
                RemoveLocked(lease);
            }
        }

        lease?.End();
        return result;
    }

    /// <summary>Gives a lease back.</summary>
    /// <returns>Whether it had not ended.</returns>
    internal bool End(byte[] key, ulong number)
    {
        KeyLease? lease;
        lock (_gate)
        {
            lease = FindLocked(key, number);
        }

        return lease is not null && End(lease);
    }

    /// <summary>Ends a lease.</summary>
    /// <returns>Whether it had not ended.</returns>
    internal bool End(KeyLease lease)
    {
        bool isThere;
        lock (_gate)
        {
            isThere = RemoveLocked(lease);
        }

        lease.End();
        return isThere;
    }

    /// <summary>Keeps what is being computed of a key from being stored: the key is about to be changed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="outdated">Gets its lease, if there is one: to be ended when the change is made.</param>
    internal void Outdate(scoped ReadOnlySpan<byte> key, ref List<KeyLease>? outdated)
    {
        if (Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            if (_leases.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(key, out KeyLease? lease))
            {
                lease.IsOutdated = true;
                (outdated ??= []).Add(lease);
            }
        }
    }

    /// <summary>Begins a change of one key.</summary>
    internal LeaseChange Change(scoped ReadOnlySpan<byte> key)
    {
        List<KeyLease>? outdated = null;
        Outdate(key, ref outdated);
        return new LeaseChange(this, outdated);
    }

    /// <summary>Begins a removal of all keys.</summary>
    internal LeaseChange ChangeAll()
    {
        lock (_gate)
        {
            return new LeaseChange(this, OutdateAllLocked());
        }
    }

    /// <summary>Begins a removal of all entries with a tag: leases go on, and what is computed is not stored with that tag. All of them end
    /// when more tags were removed than are remembered.</summary>
    internal LeaseChange ChangeTag(string tag)
    {
        lock (_gate)
        {
            if (_leases.Count == 0)
            {
                _tagBytes = 0;
                return default;
            }

            _tagBytes += ServerLimits.RemovedTagBytes + (sizeof(char) * (long)tag.Length);
            if (_tagBytes > ServerLimits.RemovedTagsBytesMax)
            {
                _tagBytes = 0;
                return new LeaseChange(this, OutdateAllLocked());
            }

            _lastTag = _lastTag.Next = new RemovedTag(tag);
            return default;
        }
    }

    /// <summary>Ends leases that were outdated by a change that is made by now.</summary>
    internal void EndOutdated(List<KeyLease>? outdated) => outdated?.ForEach(lease => End(lease));

    private static bool IsRemoved(KeyLease lease, IReadOnlyCollection<string>? tags)
    {
        for (RemovedTag? removed = lease.LastTag.Next; removed is not null && tags is not null; removed = removed.Next)
        {
            if (tags.Contains(removed.Tag, StringComparer.Ordinal))
            {
                return true;
            }
        }

        return false;
    }

    private KeyLease? FindLocked(byte[] key, ulong number) =>
        _leases.TryGetValue(key, out KeyLease? lease) && lease.Number == number && !lease.IsOutdated ? lease : null;

    private List<KeyLease>? OutdateAllLocked()
    {
        foreach (KeyLease lease in _leases.Values)
        {
            lease.IsOutdated = true;
        }

        return _leases.Count == 0 ? null : [.. _leases.Values];
    }

    private bool RemoveLocked(KeyLease lease)
    {
        if (!_leases.TryGetValue(lease.Key, out KeyLease? present) || !ReferenceEquals(present, lease))
        {
            return false;
        }

        _ = _leases.Remove(lease.Key);
        Volatile.Write(ref _count, _leases.Count);
        room.Give(lease.Bytes);
        return true;
    }
}
