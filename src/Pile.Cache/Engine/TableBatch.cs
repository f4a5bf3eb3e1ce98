// Many keys at once, sixteen at a time: all their buckets are asked for, then all their records, then each is read, so that the misses
// of a group overlap. One epoch a group, so that a long batch does not hold reclamation back.
using System;
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>Batched reads of one table. Thread-safe; allocates nothing.</summary>
internal static class TableBatch
{
    /// <summary>Shows the entry of each key to a visitor.</summary>
    /// <returns>How many were there.</returns>
    internal static int Visit<TKey, TFormat, TVisitor>(TableCore<TFormat> table, ReadOnlySpan<TKey> keys, ref TVisitor visitor)
        where TKey : notnull
        where TFormat : struct, IRecordFormat
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        var arena = new KeyArena<TKey>(table.Cache.Pile);
        try
        {
            int found = 0;
            for (int first = 0; first < keys.Length; first += Limits.BatchPointers)
            {
                ReadOnlySpan<TKey> group = keys.Slice(first, int.Min(Limits.BatchPointers, keys.Length - first));
                arena.Fill(group);
                found += VisitGroup(table, group, ref arena, first, ref visitor);
            }

            return found;
        }
        finally
        {
            arena.Return();
        }
    }

    /// <summary>Asks for what writes of some keys will touch: buckets, then records.</summary>
    internal static void Prefetch<TKey, TFormat>(TableCore<TFormat> table, ReadOnlySpan<TKey> group, ref KeyArena<TKey> arena)
        where TKey : notnull
        where TFormat : struct, IRecordFormat
    {
        Hashes hashes = default;
        arena.Fill(group);
        PrefetchBuckets(table, group, ref arena, ref hashes);
        EpochLine line = EpochLine.Current;
        long held = line.Enter(table.Cache.Core.Epochs.IdWord);
        if (!table.Reads.IsEnded)
        {
            PrefetchWays(table, group, ref arena, ref hashes);
            for (int index = 0; index < group.Length; index++)
            {
                table.Lookup.PrefetchRecord(new EntryKey(arena.Bytes(group, index), hashes[index]));
            }
        }

        line.Leave(held);
    }

    private static int VisitGroup<TKey, TFormat, TVisitor>(
        TableCore<TFormat> table, ReadOnlySpan<TKey> group, ref KeyArena<TKey> arena, int first, ref TVisitor visitor)
        where TKey : notnull
        where TFormat : struct, IRecordFormat
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        Hashes hashes = default;
        PrefetchBuckets(table, group, ref arena, ref hashes);
        EpochLine line = EpochLine.Current;
        long lease = line.BeginLease(table.Cache.Core.Epochs.IdWord);
        try
        {
            if (table.Reads.IsEnded)
            {
                table.ThrowEnded();
            }

            PrefetchWays(table, group, ref arena, ref hashes);
            for (int index = 0; index < group.Length; index++)
            {
                table.Lookup.PrefetchRecord(new EntryKey(arena.Bytes(group, index), hashes[index]));
            }

            int found = 0;
            for (int index = 0; index < group.Length; index++)
            {
                found += VisitOne(table, line, new EntryKey(arena.Bytes(group, index), hashes[index]), first + index, ref visitor) ? 1 : 0;
            }

            return found;
        }
        finally
        {
            line.EndScope(lease);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool VisitOne<TFormat, TVisitor>(TableCore<TFormat> table, EpochLine line, scoped EntryKey key, int index, ref TVisitor visitor)
        where TFormat : struct, IRecordFormat
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        long location = table.Reads.FindGood(line, key.Bytes, key.Hash, oldestMs: 0);
        if (location <= 0)
        {
            if (location < 0)
            {
                table.ThrowEnded();
            }

            visitor.Visit(index, isThere: false, default, default);
            return false;
        }

        ulong a = table.Lookup.HeadA(location);

        if ((a & KeyedHead.LinkedBit) != 0)
        {
            return VisitLinked(table, key, location, index, ref visitor);
        }

        visitor.Visit(index, isThere: true, KeyedHead.Lane(a), table.Reads.ValueAt(location, a));
        return true;
    }

    /// <summary>Shows a value that stands elsewhere; where the entry was replaced since it was found, under a lease, which looks again.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool VisitLinked<TFormat, TVisitor>(TableCore<TFormat> table, scoped EntryKey key, long location, int index, ref TVisitor visitor)
        where TFormat : struct, IRecordFormat
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        ulong a = table.Lookup.HeadA(location);
        if (table.Reads.TryLinked(table.Reads.LinkAt(location, a), a, out ReadOnlySpan<byte> value, out RecordCode lane))
        {
            visitor.Visit(index, isThere: true, lane, value);
            return true;
        }

        bool isThere = table.Reads.TryLease(key, oldestMs: 0, out PileLease lease, out _);
        try
        {
            visitor.Visit(index, isThere, isThere ? lease.Code : default, isThere ? lease.Bytes : default);
        }
        finally
        {
            lease.EndScope();
        }

        return isThere;
    }

    private static void PrefetchBuckets<TKey, TFormat>(TableCore<TFormat> table, ReadOnlySpan<TKey> group, ref KeyArena<TKey> arena, ref Hashes hashes)
        where TKey : notnull
        where TFormat : struct, IRecordFormat
    {
        for (int index = 0; index < group.Length; index++)
        {
            EntryKey key = table.Key(arena.Bytes(group, index));
            hashes[index] = key.Hash;
            table.Index.Prefetch(key.Low);
        }
    }

    private static void PrefetchWays<TKey, TFormat>(TableCore<TFormat> table, ReadOnlySpan<TKey> group, ref KeyArena<TKey> arena, ref Hashes hashes)
        where TKey : notnull
        where TFormat : struct, IRecordFormat
    {
        for (int index = 0; TFormat.IsDurable && table.Records.AreSlots && index < group.Length; index++)
        {
            table.Lookup.PrefetchWay(new EntryKey(arena.Bytes(group, index), hashes[index]));
        }
    }

    [InlineArray(Limits.BatchPointers)]
    private struct Hashes
    {
        private ulong _first;
    }
}
