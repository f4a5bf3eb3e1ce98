// A table: values by key. This file is the door for typed values; spans, batches, versions and lists are in files of their own
// (PileTableBytes, PileTableBatches, PileTableChanges, PileTableItems), as extensions of this class.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Factories;
using Pile.Cache.Keys;
using Pile.Memory;

namespace Pile.Cache;

/// <summary>A named table of a cache.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>All members are thread-safe. Reads take no lock; those that copy or lend bytes allocate nothing. A read sees the last Set
/// that returned before it began, or a later one. Keys are compared by the table's comparer over their bytes.</remarks>
public sealed class PileTable<TKey, TValue> : IPileTableCore
    where TKey : notnull
    where TValue : notnull
{
    private readonly FormatTable _core;
    private readonly TableBase _parts;

    internal PileTable(PileCache cache, FormatTable core)
    {
        Cache = cache;
        _core = core;
        _parts = core.Parts;
        Factories = new TableFactories<TKey, TValue>(this);
        if (_parts.Options.InitialCapacity > 0)
        {
            core.Reserve(_parts.Options.InitialCapacity);
        }
    }

    /// <summary>The cache that the table belongs to.</summary>
    public PileCache Cache { get; }

    /// <summary>The table's name.</summary>
    public string Name => _parts.Options.Name;

    /// <summary>Entries, those included that have ended and are not removed yet; exact while nobody writes.</summary>
    public long Count => _parts.Counts.Entries;

    internal FormatTable Core => _core;

    /// <summary>What does not know the format.</summary>
    internal TableBase Parts => _parts;

    /// <summary>Calls of factories.</summary>
    internal TableFactories<TKey, TValue> Factories { get; }

    FormatTable IPileTableCore.Core => _core;

    /// <inheritdoc/>
    void IPileTableCore.Clear()
    {
        Factories.Flights.OutdateWhere(static _ => true);
        _core.Clear();
    }

    /// <summary>What the table holds and has done.</summary>
    public PileCacheStatistics GetStatistics() => new PileCacheStatistics
    {
        IndexBytes = _parts.Index.TakenBytes,
        MemoryLimitBytes = Cache.Pile.MemoryLimitBytes,
    }.Plus(_parts);

    /// <summary>Stores a value.</summary>
    /// <param name="key">The key, of at most 15,360 bytes.</param>
    /// <param name="value">The value; copied.</param>
    /// <param name="options">The entry's terms; the table's defaults where it says nothing.</param>
    /// <returns>What became of it. Full: nothing was changed, and a former entry of the key is still there.</returns>
    /// <exception cref="ArgumentNullException">Key or value is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The key is too long, or an end is out of its range.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    public PileSetResult Set(TKey key, TValue value, in PileEntryOptions options = default) =>
        Set(key, value, options, SetCondition.None, default);

    /// <summary>Stores a value if the key has no entry.</summary>
    /// <inheritdoc cref="Set(TKey, TValue, in PileEntryOptions)"/>
    public PileSetResult Add(TKey key, TValue value, in PileEntryOptions options = default) =>
        Set(key, value, options, SetCondition.Absent, default);

    /// <summary>Reads a value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value, a new object or a copy; default when false.</param>
    /// <returns>Whether the key has an entry that has not ended.</returns>
    /// <exception cref="ArgumentNullException">The key is null.</exception>
    /// <exception cref="PileTypeMismatchException">The entry was stored as bytes that are no TValue: its type may have changed since.</exception>
    /// <exception cref="PileUnknownTypeException">The entry's type is one that the program has not shown to the pile.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value) => TryGet(key, TimeSpan.MaxValue, out value);

    /// <summary>Reads a value that is no older than a span.</summary>
    /// <param name="key">The key.</param>
    /// <param name="maxAge">The most time since it was stored, to the millisecond.</param>
    /// <param name="value">The value, a new object or a copy; default when false.</param>
    public bool TryGet(TKey key, TimeSpan maxAge, [MaybeNullWhen(false)] out TValue value)
    {
        if (!TryLeaseAt(key, OldestMs(maxAge), out PileLease lease, out _))
        {
            value = default;
            return false;
        }

        return Read(lease, out value);
    }

    /// <summary>Leases the stored bytes of a value, without a copy.</summary>
    /// <param name="key">The key.</param>
    /// <param name="lease">The lease; dispose it soon. The bytes are not aligned; those of a text are Latin-1 or UTF-16, as <see cref="PileLease.Kind"/> says. Empty when false.</param>
    /// <returns>Whether the key has an entry that has not ended.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLease(TKey key, out PileLease lease) => TryLeaseAt(key, oldestMs: 0, out lease, out _);

    /// <summary>Whether a key has an entry that has not ended. Counts as no use.</summary>
    /// <param name="key">The key.</param>
    public bool ContainsKey(TKey key) => TryPeek(key, out _);

    /// <summary>Removes an entry.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether there was one that had not ended.</returns>
    public bool Remove(TKey key) => Remove(key, isConditional: false, default);

    /// <summary>Removes all entries. Takes time in proportion to their number; what is stored meanwhile may stay.</summary>
    /// <exception cref="PileFullException">Each 512th Clear of a durable table needs what those before it left to be gone, and in a full directory there is no room for that, as
    /// while somebody reads (a lease, a pin). Nothing was cleared.</exception>
    /// <remarks>Entries of a durable table in a full directory for whose removal there is no room yet are not shown any more, and removed later, in the background or by
    /// who needs room.</remarks>
    public void Clear()
    {
        ThrowIfEnded();
        Factories.Flights.OutdateWhere(static _ => true);
        _core.Clear();
    }

    /// <inheritdoc/>
    string IPileTableCore.Describe() => $"keys of {typeof(TKey)} and values of {typeof(TValue)}, compared by '{_parts.Options.Comparer.Name}'";

    /// <summary>Stores under a condition.</summary>
    internal PileSetResult Set(TKey key, TValue value, in PileEntryOptions options, SetCondition condition, PileEntryVersion expected)
    {
        NullRefusal.Unless(key);
        NullRefusal.Unless(value);
        EntryTerms terms = EntryTermsOf.Options(_parts, options);
        PileStatus status;
        PileSetResult result;
        if (KeyCodec<TKey>.Kind == KeyKind.Raw)
        {
            var target = new SetTarget(_core, RawValue.AsBytes(in key), terms, condition, expected);
            status = TypedPayloads.Send(Cache.Pile, value, ref target);
            result = target.Result;
        }
        else
        {
            byte[]? rented = null;
            ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented, out PileStatus kept);
            try
            {
                if (kept != PileStatus.Ok && IsRefused(terms, condition))
                {
                    return Result(kept, default);
                }

                var target = new SetTarget(_core, bytes, terms, condition, expected);
                status = TypedPayloads.Send(Cache.Pile, value, ref target);
                result = target.Result;
            }
            finally
            {
                Return(rented);
            }
        }

        return Result(status, result);
    }

    /// <summary>What is answered for a status of the pile.</summary>
    internal PileSetResult Result(PileStatus status, PileSetResult result)
    {
        if (status != PileStatus.Ok && status != PileStatus.Full)
        {
            _parts.ThrowRefused(status);
        }

        return status == PileStatus.Full ? new PileSetResult(PileSetOutcome.Full, 0) : result;
    }

    /// <summary>Whether nothing is stored under such terms and condition where the schema of the key's type is not kept: nothing has that key then.</summary>
    internal static bool IsRefused(in EntryTerms terms, SetCondition condition) => !terms.HasEnded && condition is SetCondition.None or SetCondition.Absent;

    /// <summary>Copies a value's bytes.</summary>
    /// <returns>Its length, also when it does not fit; -1 when there is none.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int CopyTo(TKey key, Span<byte> destination)
    {
        if (KeyCodec<TKey>.Kind == KeyKind.Raw)
        {
            return _core.Copy(RawValue.AsBytes(in key), destination);
        }

        return CopyEncoded(key, destination);
    }

    /// <summary>Leases, and tells where the record stands, which is good as long as the lease is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryLeaseAt(TKey key, long oldestMs, out PileLease lease, out long location) => KeyCodec<TKey>.Kind == KeyKind.Raw
        ? _core.TryLease(RawValue.AsBytes(in key), oldestMs, out lease, out location)
        : TryLeaseEncoded(key, oldestMs, out lease, out location);

    /// <summary>What is known of an entry without using it; false when there is none.</summary>
    internal bool TryPeek(TKey key, out EntryInfo info)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        bool isThere = _core.TryLook(bytes, out info);
        Return(rented);
        return isThere;
    }

    /// <summary>Removes under a condition.</summary>
    internal bool Remove(TKey key, bool isConditional, PileEntryVersion expected)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        Factories.Flights.Outdate(bytes);
        bool isGone = _core.Remove(bytes, isConditional, expected);
        Return(rented);
        return isGone;
    }

    /// <summary>Lets an entry end now.</summary>
    internal bool Expire(TKey key)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        Factories.Flights.Outdate(bytes);
        bool wasGood = _core.Expire(bytes);
        Return(rented);
        return wasGood;
    }

    /// <summary>Reads a leased value, and ends the lease.</summary>
    internal bool Read(PileLease lease, [MaybeNullWhen(false)] out TValue value)
    {
        try
        {
            if (!TypedPayloads.TryRead(Cache.Pile, lease.Code, lease.Bytes, out value))
            {
                TypedPayloads.ThrowMismatch<TValue>(Cache.Pile, default, lease.Code, lease.Bytes);
            }

            return true;
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>Whether an entry that can't be read is a miss where a factory can make it anew: its type is unknown or has changed. The value of a durable table
    /// may be the only copy.</summary>
    internal bool IsMissOver(Exception unreadable) => _parts.IsSpeculative && unreadable is PileUnknownTypeException or PileTypeMismatchException;

    /// <summary>The creation time below which entries are too old; 0 for none.</summary>
    internal long OldestMs(TimeSpan maxAge)
    {
        if (maxAge == TimeSpan.MaxValue)
        {
            return 0;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(maxAge, TimeSpan.Zero);
        long now = _parts.Clock.Now;
        return now <= maxAge.Ticks ? 0 : CacheClock.ToMs(now - maxAge.Ticks);
    }

    /// <summary>Refuses a call after the end.</summary>
    internal void ThrowIfEnded()
    {
        if (_core.IsEnded)
        {
            _parts.ThrowEnded();
        }
    }

    internal static void Return(byte[]? rented)
    {
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int CopyEncoded(TKey key, Span<byte> destination)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        int copied = _core.Copy(bytes, destination);
        Return(rented);
        return copied;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLeaseEncoded(TKey key, long oldestMs, out PileLease lease, out long location)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Encode(Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        bool isThere = _core.TryLease(bytes, oldestMs, out lease, out location);
        Return(rented);
        return isThere;
    }
}
