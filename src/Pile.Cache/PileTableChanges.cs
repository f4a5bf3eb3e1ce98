// Changes that depend on what is there: compare-and-set by version, read-change-write, and questions about an entry's version, size
// and end.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Cache.Engine;
using Pile.Cache.Entries;

namespace Pile.Cache;

/// <summary>Versions, sizes and ends of entries.</summary>
public static class PileTableChanges
{
    /// <summary>Reads a value with its version.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; default when false.</param>
    /// <param name="version">Its version, for <see cref="TrySet{TKey, TValue}"/>.</param>
    public static bool TryGet<TKey, TValue>(
        this PileTable<TKey, TValue> table, TKey key, [MaybeNullWhen(false)] out TValue value, out PileEntryVersion version)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        if (table.TryLease(key, out PileLease lease, out version))
        {
            return table.Read(lease, out value);
        }

        value = default;
        return false;
    }

    /// <summary>Leases the stored bytes of a value with its version.</summary>
    internal static bool TryLease<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, out PileLease lease, out PileEntryVersion version)
        where TKey : notnull
        where TValue : notnull
    {
        bool isThere = table.TryLeaseAt(key, oldestMs: 0, out lease, out long location);
        version = isThere ? table.Core.InfoOf(location).Version : default;
        return isThere;
    }

    /// <summary>Stores a value if the key's entry still has a version.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; copied.</param>
    /// <param name="expected">The version.</param>
    /// <param name="options">The entry's terms: those of the entry that is replaced are not kept.</param>
    /// <returns>Refused when there is no entry of that version.</returns>
    public static PileSetResult TrySet<TKey, TValue>(
        this PileTable<TKey, TValue> table, TKey key, TValue value, PileEntryVersion expected, in PileEntryOptions options = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.Set(key, value, options, SetCondition.Version, expected);
    }

    /// <summary>Stores a value if the key has an entry.</summary>
    /// <inheritdoc cref="PileTable{TKey, TValue}.Set(TKey, TValue, in PileEntryOptions)"/>
    public static PileSetResult Replace<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, TValue value, in PileEntryOptions options = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.Set(key, value, options, SetCondition.Present, default);
    }

    /// <summary>Removes an entry if it still has a version.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="expected">The version.</param>
    public static bool TryRemove<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, PileEntryVersion expected)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.Remove(key, isConditional: true, expected);
    }

    /// <summary>Reads, changes and replaces a value as one step: nobody's change in between is lost.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TState">What the change needs.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="state">Given to the change.</param>
    /// <param name="change">Makes the new value of the old one; called again when somebody else was quicker. It runs without any lock, and
    /// what it throws comes through. It must not change the same key: it is called again for that each time, and the call never ends.</param>
    /// <param name="options">The entry's terms: those of the entry that is replaced are not kept.</param>
    /// <returns>Refused when the key has no entry, or the end that the options say has passed.</returns>
    public static PileSetResult Update<TKey, TValue, TState>(
        this PileTable<TKey, TValue> table, TKey key, TState state, Func<TValue, TState, TValue> change, in PileEntryOptions options = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(change);
        while (table.TryGet(key, out TValue? value, out PileEntryVersion version))
        {
            PileSetResult result = table.TrySet(key, change(value, state), version, options);
            if (result.Outcome != PileSetOutcome.Refused || EntryTermsOf.Options(table.Parts, options).HasEnded)
            {
                // Nobody was quicker where the end has passed: that is refused whatever is there.
                return result;
            }
        }

        return new PileSetResult(PileSetOutcome.Refused, 0);
    }

    /// <summary>Lets an entry end now, as if its time had come: no read shows it, and GetOrAdd asks its factory, but may serve the entry if that fails and
    /// the entry is kept past its end (<see cref="PileFactoryOptions.FailSafe"/>).</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <returns>Whether the key had an entry that had not ended.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Thread-safe. What a factory is making of the key is not stored. Of an entry that is kept it costs a copy; where there is no room for
    /// that, the entry is gone. One without an end is never kept, and is gone too: where nothing but this is to end it, give it a far end, as 365 days.</remarks>
    public static bool Expire<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.Expire(key);
    }

    /// <summary>When an entry ends, as it is now.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="end">When, or null for never. Of a sliding entry it moves with each use; this is none.</param>
    /// <returns>Whether the key has an entry that has not ended.</returns>
    public static bool TryGetExpiration<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, out DateTimeOffset? end)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        bool isThere = table.TryPeek(key, out EntryInfo info);
        end = isThere && info.EndTicks <= DateTimeOffset.MaxValue.UtcTicks ? new DateTimeOffset(info.EndTicks, TimeSpan.Zero) : null;
        return isThere;
    }

    /// <summary>Bytes of a value as it is stored; -1 when the key has no entry. Counts as no use.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    public static int SizeOf<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.TryPeek(key, out EntryInfo info) ? info.ValueBytes : -1;
    }

    /// <summary>Uses an entry as a read does, so that a sliding one ends later, without reading it.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <returns>Whether the key has an entry that has not ended.</returns>
    public static bool Refresh<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        if (!table.TryLeaseAt(key, oldestMs: 0, out PileLease lease, out _))
        {
            return false;
        }

        lease.Dispose();
        return true;
    }
}
