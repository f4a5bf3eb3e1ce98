// Values as bytes: stored from spans and sequences, read into spans and writers. For tables whose values are byte[], and 0 bytes
// allocated a call where the key needs no array.
using System;
using System.Buffers;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache;

/// <summary>Bytes in tables of byte[].</summary>
public static class PileTableBytes
{
    /// <summary>Stores bytes.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The bytes, 0 to 268,435,455 of them; copied.</param>
    /// <param name="options">The entry's terms.</param>
    /// <inheritdoc cref="PileTable{TKey, TValue}.Set(TKey, TValue, in PileEntryOptions)"/>
    public static PileSetResult Set<TKey>(this PileTable<TKey, byte[]> table, TKey key, ReadOnlySpan<byte> value, in PileEntryOptions options = default)
        where TKey : notnull => table.Set(key, value, options, SetCondition.None);

    /// <summary>Stores bytes under a condition that is no version.</summary>
    internal static PileSetResult Set<TKey>(this PileTable<TKey, byte[]> table, TKey key, ReadOnlySpan<byte> value, in PileEntryOptions options, SetCondition condition)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        NullRefusal.Unless(key);
        Check.PayloadBytes(value.Length);
        EntryTerms terms = EntryTermsOf.Options(table.Parts, options);
        byte[]? rented = null;
        PileStatus kept = PileStatus.Ok;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(table.Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented, out kept);
        PileSetResult result = default;
        PileStatus status = kept != PileStatus.Ok && PileTable<TKey, byte[]>.IsRefused(terms, condition)
            ? kept
            : table.Core.Set(bytes, RecordCode.Bytes, new BytesPayload(value), terms, condition, default, out result);
        PileTable<TKey, byte[]>.Return(rented);
        return table.Result(status, result);
    }

    /// <summary>Stores a sequence of bytes as one value.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The bytes; read before anything is stored.</param>
    /// <param name="options">The entry's terms.</param>
    public static PileSetResult Set<TKey>(this PileTable<TKey, byte[]> table, TKey key, in ReadOnlySequence<byte> value, in PileEntryOptions options = default)
        where TKey : notnull
    {
        if (value.IsSingleSegment)
        {
            return table.Set(key, value.FirstSpan, options);
        }

        Check.PayloadBytes(value.Length);
        byte[] rented = ArrayPool<byte>.Shared.Rent((int)value.Length);
        try
        {
            value.CopyTo(rented);
            return table.Set(key, rented.AsSpan(0, (int)value.Length), options);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>Copies the stored bytes of a value to a span.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where to.</param>
    /// <param name="bytesWritten">The value's length; also when the destination is too short for it, and then nothing is copied. 0 when
    /// there is no entry.</param>
    /// <returns>Whether there is an entry that has not ended and the destination held it.</returns>
    /// <remarks>The bytes of a text are no UTF-8: Latin-1 where all chars are at most U+00FF, else UTF-16; <see cref="PileLease.Kind"/> of a lease says which.</remarks>
    public static bool TryGet<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, Span<byte> destination, out int bytesWritten)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        int bytes = table.CopyTo(key, destination);
        bytesWritten = int.Max(0, bytes);
        return (uint)bytes <= (uint)destination.Length;
    }

    /// <summary>Writes the stored bytes of a value to a writer, straight from the cache's memory.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="writer">Where to. What it throws comes through.</param>
    /// <returns>Whether there is an entry that has not ended.</returns>
    /// <remarks>The bytes of a text are no UTF-8: Latin-1 where all chars are at most U+00FF, else UTF-16; <see cref="PileLease.Kind"/> of a lease says which.</remarks>
    public static bool TryGet<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, IBufferWriter<byte> writer)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(writer);
        if (!table.TryLeaseAt(key, oldestMs: 0, out PileLease lease, out _))
        {
            return false;
        }

        try
        {
            writer.Write(lease.Bytes);
            return true;
        }
        finally
        {
            lease.EndScope();
        }
    }
}
