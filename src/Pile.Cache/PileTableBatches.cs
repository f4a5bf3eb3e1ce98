// Many keys in one call, sixteen at a time: buckets and records are asked for together, so that the misses of a group overlap.
// A batch is no transaction: each entry is read or written by itself, while others go on.
using System;
using Pile.Cache.Engine;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Batched reads and writes of tables.</summary>
public static class PileTableBatches
{
    /// <summary>Shows the stored bytes of many values to a visitor, without a copy.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TVisitor">A struct, so that the call is direct; it may be a ref struct.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="keys">The keys, in any number.</param>
    /// <param name="visitor">Called once per key, in order: Ok and the bytes, or Stale where there is no entry that has not ended.</param>
    /// <returns>How many entries were there.</returns>
    /// <exception cref="ArgumentNullException">A key is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Each is a read as any: it counts as a use. Takes no lock and allocates nothing where keys are unmanaged. The visitor runs
    /// inside a lease: it should be quick, and may read from any table.</remarks>
    public static int LeaseMany<TKey, TValue, TVisitor>(this PileTable<TKey, TValue> table, ReadOnlySpan<TKey> keys, ref TVisitor visitor)
        where TKey : notnull
        where TValue : notnull
        where TVisitor : struct, IPileVisitor, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(table);
        var shown = new BytesVisitor<TVisitor> { Visitor = visitor };
        try
        {
            return table.Core.Visit(keys, ref shown);
        }
        finally
        {
            visitor = shown.Visitor;
        }
    }

    /// <summary>Reads many values.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="keys">The keys, in any number.</param>
    /// <param name="values">As long as the keys; default where there is no entry.</param>
    /// <param name="found">As long as the keys, or empty: whether each has an entry that has not ended.</param>
    /// <returns>How many entries were there.</returns>
    /// <exception cref="ArgumentException">A span is too short.</exception>
    /// <exception cref="ArgumentNullException">A key is null.</exception>
    /// <exception cref="PileTypeMismatchException">An entry was stored as bytes that are no TValue.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Takes no lock; allocates nothing where keys and values are unmanaged.</remarks>
    public static int GetMany<TKey, TValue>(this PileTable<TKey, TValue> table, ReadOnlySpan<TKey> keys, Span<TValue?> values, Span<bool> found = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        RefuseShort(keys.Length, values.Length, found.IsEmpty ? keys.Length : found.Length, nameof(values), nameof(found));
        var reader = new ValueReader<TValue>(table.Cache.Pile, values, found);
        return table.Core.Visit(keys, ref reader);
    }

    /// <summary>Stores many values.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="keys">The keys, in any number. One that comes twice has the later value in the end.</param>
    /// <param name="values">As many values; copied.</param>
    /// <param name="options">The terms of all these entries.</param>
    /// <param name="outcomes">As long as the keys, or empty: what became of each.</param>
    /// <returns>How many are stored.</returns>
    /// <exception cref="ArgumentException">A span is too short.</exception>
    /// <exception cref="ArgumentNullException">A key is null: those of earlier groups of 16 are stored. Or a value is: those before it are.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    public static int SetMany<TKey, TValue>(
        this PileTable<TKey, TValue> table, ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, in PileEntryOptions options = default, Span<PileSetOutcome> outcomes = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        RefuseShort(keys.Length, values.Length, outcomes.IsEmpty ? keys.Length : outcomes.Length, nameof(values), nameof(outcomes));
        var arena = new KeyArena<TKey>(table.Cache.Pile);
        int stored = 0;
        try
        {
            for (int first = 0; first < keys.Length; first += Limits.BatchPointers)
            {
                int end = int.Min(first + Limits.BatchPointers, keys.Length);
                table.Core.Prefetch(keys[first..end], ref arena);
                for (int index = first; index < end; index++)
                {
                    PileSetResult result = table.Set(keys[index], values[index], options);
                    stored += result.IsStored ? 1 : 0;
                    if (!outcomes.IsEmpty)
                    {
                        outcomes[index] = result.Outcome;
                    }
                }
            }
        }
        finally
        {
            arena.Return();
        }

        return stored;
    }

    /// <summary>Removes many entries.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="keys">The keys, in any number.</param>
    /// <returns>How many entries there were that had not ended.</returns>
    /// <exception cref="ArgumentNullException">A key is null; the entries of those of earlier groups are removed.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    public static int RemoveMany<TKey, TValue>(this PileTable<TKey, TValue> table, ReadOnlySpan<TKey> keys)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        var arena = new KeyArena<TKey>(table.Cache.Pile);
        int removed = 0;
        try
        {
            for (int first = 0; first < keys.Length; first += Limits.BatchPointers)
            {
                int end = int.Min(first + Limits.BatchPointers, keys.Length);
                table.Core.Prefetch(keys[first..end], ref arena);
                for (int index = first; index < end; index++)
                {
                    removed += table.Remove(keys[index]) ? 1 : 0;
                }
            }
        }
        finally
        {
            arena.Return();
        }

        return removed;
    }

    private static void RefuseShort(int keys, int first, int second, string firstName, string secondName)
    {
        if (first < keys || second < keys)
        {
            throw new ArgumentException($"{firstName} ({first}) and {secondName} ({second}) must be as long as keys ({keys}), or {secondName} empty.", firstName);
        }
    }

    private ref struct BytesVisitor<TVisitor> : IEntryVisitor
        where TVisitor : struct, IPileVisitor, allows ref struct
    {
        internal TVisitor Visitor;

        public void Visit(int index, bool isThere, RecordCode lane, ReadOnlySpan<byte> bytes) =>
            Visitor.Visit(index, isThere ? PileStatus.Ok : PileStatus.Stale, bytes);
    }

    private readonly ref struct ValueReader<TValue>(ObjectPile pile, Span<TValue?> values, Span<bool> found) : IEntryVisitor
        where TValue : notnull
    {
        private readonly Span<TValue?> _values = values;
        private readonly Span<bool> _found = found;

        public void Visit(int index, bool isThere, RecordCode lane, ReadOnlySpan<byte> bytes)
        {
            if (!isThere)
            {
                _values[index] = default;
            }
            else if (!TypedPayloads.TryRead(pile, lane, bytes, out _values[index]))
            {
                TypedPayloads.ThrowMismatch<TValue>(pile, default, lane, bytes);
            }

            if (!_found.IsEmpty)
            {
                _found[index] = isThere;
            }
        }
    }
}
