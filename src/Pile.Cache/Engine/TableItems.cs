// Reads entries as keys and values, for lists of a table: copies, made under one lease.
// Which entries there are is TableWalk's business.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Pile.Cache.Entries;
using Pile.Cache.Files;
using Pile.Cache.Keys;
using Pile.Epochs;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Entries as keys and values. Thread-safe.</summary>
internal static class TableItems
{
    /// <summary>Reads the entries of a few buckets that have not ended.</summary>
    /// <param name="table">The table, for values that are read by their key.</param>
    /// <param name="core">Its parts.</param>
    /// <param name="first">The first bucket.</param>
    /// <param name="end">The one after the last.</param>
    /// <param name="homes">How many there were when the list began.</param>
    /// <param name="locations">Space to work in.</param>
    /// <param name="items">Gets them, those included that can't be read.</param>
    internal static void Read<TKey, TValue, TFormat>(
        PileTable<TKey, TValue> table, TableCore<TFormat> core, uint first, uint end, uint homes, List<long> locations, List<ListedItem<TKey, TValue>> items)
        where TKey : notnull
        where TValue : notnull
        where TFormat : struct, IRecordFormat
    {
        items.Clear();
        EpochLine line = EpochLine.Current;
        long lease = line.BeginLease(core.Cache.Core.Epochs.IdWord);
        try
        {
            List(core, first, end, homes, withHidden: false, locations);
            foreach (long location in locations)
            {
                KeyValuePair<TKey, TValue> item = default;
                try
                {
                    item = new KeyValuePair<TKey, TValue>(KeyCodec<TKey>.Decode(table.Cache.Pile, core.Reads.KeyAt(location)), default!);
                    if (TryRead(table, core, location, core.Lookup.HeadA(location), out TValue? value))
                    {
                        items.Add(new ListedItem<TKey, TValue>(new KeyValuePair<TKey, TValue>(item.Key, value!)));
                    }
                }
                catch (Exception unreadable)
                {
                    items.Add(new ListedItem<TKey, TValue>(item, ExceptionDispatchInfo.Capture(unreadable)));
                }
            }
        }
        finally
        {
            line.EndScope(lease);
        }
    }

    /// <summary>Reads the keys of a few buckets' entries, as they are stored.</summary>
    /// <param name="core">The table.</param>
    /// <param name="first">The first bucket.</param>
    /// <param name="end">The one after the last.</param>
    /// <param name="homes">How many there were when the list began.</param>
    /// <param name="withHidden">Whether those are among them that have ended, or are shown to nobody.</param>
    /// <param name="locations">Space to work in.</param>
    /// <param name="keys">Gets them.</param>
    internal static void ReadKeys<TFormat>(TableCore<TFormat> core, uint first, uint end, uint homes, bool withHidden, List<long> locations, List<byte[]> keys)
        where TFormat : struct, IRecordFormat
    {
        keys.Clear();
        EpochLine line = EpochLine.Current;
        long lease = line.BeginLease(core.Cache.Core.Epochs.IdWord);
        try
        {
            List(core, first, end, homes, withHidden, locations);
            foreach (long location in locations)
            {
                keys.Add(core.Reads.KeyAt(location).ToArray());
            }
        }
        finally
        {
            line.EndScope(lease);
        }
    }

    /// <summary>Copies the value of an entry that has not ended; counts as no use.</summary>
    internal static bool TryCopyUnused<TFormat>(TableCore<TFormat> core, scoped ReadOnlySpan<byte> key, [NotNullWhen(true)] out byte[]? value)
        where TFormat : struct, IRecordFormat
    {
        // By a lease, which looks again where the entry is replaced meanwhile and its value is gone.
        bool isThere = core.Notes.TryLease(core.Key(key), out PileLease lease, out KeptEntry kept);
        try
        {
            value = isThere && kept.IsShown ? lease.Bytes.ToArray() : null;
            return value is not null;
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>Where the entries are, inside the epoch.</summary>
    private static void List<TFormat>(TableCore<TFormat> core, uint first, uint end, uint homes, bool withHidden, List<long> locations)
        where TFormat : struct, IRecordFormat
    {
        locations.Clear();
        core.Walk.List(first, end, homes, locations);
        long now = core.Clock.Now;
        _ = locations.RemoveAll(location => !(withHidden ? IsThere(core, location) : IsListed(core, location, now)));
    }

    private static bool IsListed<TFormat>(TableCore<TFormat> core, long location, long now)
        where TFormat : struct, IRecordFormat =>
        IsThere(core, location) && (!core.Reads.HasEnded(location, core.Lookup.HeadA(location), now) || IsReplaced(core, location));

    /// <summary>Whether the key of an entry whose shared object is gone has another one by now: it was there throughout.</summary>
    private static bool IsReplaced<TFormat>(TableCore<TFormat> core, long location)
        where TFormat : struct, IRecordFormat
    {
        // A table that nobody has asked for yet finds no key: there the entry is over.
        if (!KeyedHead.IsShared(core.Lookup.HeadA(location)) || core.Options.Comparer is NamedComparer)
        {
            return false;
        }

        EntryKey key = core.Key(core.Reads.KeyAt(location));
        return core.Reads.Use(key.Bytes, key.Hash, core.Lookup.Find(key.Bytes, key.Hash), oldestMs: 0, isUse: false).IsThere;
    }

    private static bool IsThere<TFormat>(TableCore<TFormat> core, long location)
        where TFormat : struct, IRecordFormat =>
        core.Lookup.IsGood(location) && !(TFormat.IsDurable && !core.Lookup.IsOfEra(location));

    private static bool TryRead<TKey, TValue, TFormat>(
        PileTable<TKey, TValue> table, TableCore<TFormat> core, long location, ulong a, out TValue? value)
        where TKey : notnull
        where TValue : notnull
        where TFormat : struct, IRecordFormat
    {
        if ((a & KeyedHead.LinkedBit) != 0)
        {
            // Its object may be gone by now, when the entry was replaced: then the key has another value, or none.
            value = default;
            if (!core.Notes.TryLease(core.Key(core.Reads.KeyAt(location)), out PileLease lease, out KeptEntry kept))
            {
                return false;
            }

            if (!kept.IsShown)
            {
                lease.EndScope();
                return false;
            }

            return table.Read(lease, out value);
        }

        ReadOnlySpan<byte> bytes = core.Reads.ValueAt(location, a);
        if (!TypedPayloads.TryRead(table.Cache.Pile, KeyedHead.Lane(a), bytes, out value))
        {
            TypedPayloads.ThrowMismatch<TValue>(table.Cache.Pile, default, KeyedHead.Lane(a), bytes);
        }

        return true;
    }
}
