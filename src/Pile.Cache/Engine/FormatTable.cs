// A table in memory or in files: one of the two is there. A struct inside PileTable, so that a table in memory pays one predicted
// branch for it and no load (as FormatWrites in the pile).
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Operations of a table of either record format. Thread-safe.</summary>
internal readonly struct FormatTable(TableCore<MemoryRecord>? memory, TableCore<DurableRecord>? files)
{
    private readonly TableCore<MemoryRecord>? _memory = memory;
    private readonly TableCore<DurableRecord>? _files = files;

    /// <summary>What does not know the format.</summary>
    internal TableBase Parts => (TableBase?)_memory ?? _files!;

    /// <summary>The table in memory, or null.</summary>
    internal TableCore<MemoryRecord>? Memory => _memory;

    /// <summary>The table in files, or null.</summary>
    internal TableCore<DurableRecord>? Files => _files;

    /// <inheritdoc cref="TableReads{TFormat}.IsEnded"/>
    internal bool IsEnded => _memory is { } memory ? memory.Reads.IsEnded : _files!.Reads.IsEnded;

    /// <inheritdoc cref="TableReads{TFormat}.Copy"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Copy(scoped ReadOnlySpan<byte> key, scoped Span<byte> destination) => _memory is { } memory
        ? memory.Reads.Copy(key, memory.Key(key).Hash, destination)
        : _files!.Reads.Copy(key, _files.Key(key).Hash, destination);

    /// <inheritdoc cref="TableReads{TFormat}.TryLease"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryLease(scoped ReadOnlySpan<byte> key, long oldestMs, out PileLease lease, out long location) => _memory is { } memory
        ? memory.Reads.TryLease(memory.Key(key), oldestMs, out lease, out location)
        : _files!.Reads.TryLease(_files.Key(key), oldestMs, out lease, out location);

    /// <inheritdoc cref="TableReads{TFormat}.TryLook"/>
    internal bool TryLook(scoped ReadOnlySpan<byte> key, out EntryInfo info) => _memory is { } memory
        ? memory.Reads.TryLook(memory.Key(key), out info)
        : _files!.Reads.TryLook(_files.Key(key), out info);

    /// <inheritdoc cref="TableReads{TFormat}.InfoOf"/>
    internal EntryInfo InfoOf(long location) => _memory is { } memory ? memory.Reads.InfoOf(location) : _files!.Reads.InfoOf(location);

    /// <inheritdoc cref="TableNotes{TFormat}.TryLease"/>
    internal bool TryLeaseKept(scoped ReadOnlySpan<byte> key, out PileLease lease, out KeptEntry kept) => _memory is { } memory
        ? memory.Notes.TryLease(memory.Key(key), out lease, out kept)
        : _files!.Notes.TryLease(_files.Key(key), out lease, out kept);

    /// <inheritdoc cref="TableNotes{TFormat}.Extend"/>
    internal bool Extend(scoped ReadOnlySpan<byte> key, PileEntryVersion version, long untilTicks, long goesTicks) => _memory is { } memory
        ? memory.Notes.Extend(memory.Key(key), version, untilTicks, goesTicks)
        : _files!.Notes.Extend(_files.Key(key), version, untilTicks, goesTicks);

    /// <inheritdoc cref="TableNotes{TFormat}.Expire"/>
    internal bool Expire(scoped ReadOnlySpan<byte> key) => _memory is { } memory ? memory.Notes.Expire(memory.Key(key)) : _files!.Notes.Expire(_files.Key(key));

    /// <inheritdoc cref="TableWrites{TFormat}.Set"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus Set<TPayload>(
        scoped ReadOnlySpan<byte> key, RecordCode lane, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct => _memory is { } memory
        ? memory.Writes.Set(memory.Key(key), lane, value, terms, condition, expected, out result)
        : terms.HasNoRoom ? NoRoom(out result)
        : _files!.Writes.Set(_files.Key(key), lane, value, terms, condition, expected, out result);

    /// <inheritdoc cref="TableShares{TFormat}.Set"/>
    internal PileStatus SetShared(scoped ReadOnlySpan<byte> key, LinkedValue linked, in EntryTerms terms, out PileSetResult result) => _memory is { } memory
        ? memory.Shares.Set(memory.Key(key), linked, terms, SetCondition.None, default, out result)
        : terms.HasNoRoom ? NoRoom(out result)
        : _files!.Shares.Set(_files.Key(key), linked, terms, SetCondition.None, default, out result);

    /// <summary>What the entry at a location leads to, or default. Inside an epoch.</summary>
    internal LinkedValue LinkAt(long location) => _memory is { } memory
        ? memory.Reads.LinkAt(location, memory.Lookup.HeadA(location))
        : _files!.Reads.LinkAt(location, _files.Lookup.HeadA(location));

    /// <summary>Removes an entry, or only one of a version.</summary>
    internal bool Remove(scoped ReadOnlySpan<byte> key, bool isConditional, PileEntryVersion expected)
    {
        RemovalReason why = isConditional ? RemovalReason.OfVersion : RemovalReason.Any;
        return _memory is { } memory ? memory.Removals.Remove(memory.Key(key), why, expected) : _files!.Removals.Remove(_files.Key(key), why, expected);
    }

    /// <inheritdoc cref="TableBatch.Visit"/>
    internal int Visit<TKey, TVisitor>(ReadOnlySpan<TKey> keys, ref TVisitor visitor)
        where TKey : notnull
        where TVisitor : struct, IEntryVisitor, allows ref struct => _memory is { } memory
        ? TableBatch.Visit(memory, keys, ref visitor)
        : TableBatch.Visit(_files!, keys, ref visitor);

    /// <inheritdoc cref="TableBatch.Prefetch"/>
    internal void Prefetch<TKey>(ReadOnlySpan<TKey> group, ref Keys.KeyArena<TKey> arena)
        where TKey : notnull
    {
        if (_memory is { } memory)
        {
            TableBatch.Prefetch(memory, group, ref arena);
        }
        else
        {
            TableBatch.Prefetch(_files!, group, ref arena);
        }
    }

    /// <inheritdoc cref="TableItems.ReadKeys"/>
    internal void ReadKeys(uint first, uint end, uint homes, bool withHidden, List<long> locations, List<byte[]> keys)
    {
        if (_memory is { } memory)
        {
            TableItems.ReadKeys(memory, first, end, homes, withHidden, locations, keys);
        }
        else
        {
            TableItems.ReadKeys(_files!, first, end, homes, withHidden, locations, keys);
        }
    }

    /// <inheritdoc cref="TableItems.TryCopyUnused"/>
    internal bool TryCopyUnused(scoped ReadOnlySpan<byte> key, [NotNullWhen(true)] out byte[]? value) => _memory is { } memory
        ? TableItems.TryCopyUnused(memory, key, out value)
        : TableItems.TryCopyUnused(_files!, key, out value);

    /// <inheritdoc cref="TableItems.Read"/>
    internal void ReadItems<TKey, TValue>(
        PileTable<TKey, TValue> table, uint first, uint end, uint homes, List<long> locations, List<ListedItem<TKey, TValue>> items)
        where TKey : notnull
        where TValue : notnull
    {
        if (_memory is { } memory)
        {
            TableItems.Read(table, memory, first, end, homes, locations, items);
        }
        else
        {
            TableItems.Read(table, _files!, first, end, homes, locations, items);
        }
    }

    /// <inheritdoc cref="TableWalk{TFormat}.Reserve"/>
    internal void Reserve(long entries)
    {
        _memory?.Walk.Reserve(entries);
        _files?.Walk.Reserve(entries);
    }

    /// <summary>Removes every entry.</summary>
    internal void Clear() => Parts.Clear();

    private static PileStatus NoRoom(out PileSetResult result)
    {
        result = new PileSetResult(PileSetOutcome.Full, 0);
        return PileStatus.Ok;
    }
}
