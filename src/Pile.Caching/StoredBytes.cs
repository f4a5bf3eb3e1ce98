// Stores bytes for adapters, whose callers are not told that a cache is full: then a speculative table has no value rather than the former
// one, which the caller believes replaced, and a durable one, of which nothing may be lost, refuses.
using System;
using System.Buffers;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Segments;

namespace Pile.Caching;

/// <summary>Stores of adapters.</summary>
internal static class StoredBytes
{
    /// <summary>Stores a value, or sees to it that there is none.</summary>
    /// <exception cref="PileFullException">The table is durable, and has no room.</exception>
    internal static void Set(PileTable<string, byte[]> table, string key, in ReadOnlySequence<byte> value, in PileEntryOptions terms) =>
        Settle(table, key, value.Length, table.Set(key, value, terms));

    /// <inheritdoc cref="Set(PileTable{string, byte[]}, string, in ReadOnlySequence{byte}, in PileEntryOptions)"/>
    internal static void Set(PileTable<string, byte[]> table, string key, ReadOnlySpan<byte> value, in PileEntryOptions terms) =>
        Settle(table, key, value.Length, table.Set(key, value, terms));

    /// <summary>Stores a value that began to be made at a stamp: a tag that was removed since takes it too.</summary>
    /// <inheritdoc cref="Set(PileTable{string, byte[]}, string, in ReadOnlySequence{byte}, in PileEntryOptions)"/>
    internal static void SetMade(PileTable<string, byte[]> table, string key, ReadOnlySpan<byte> value, in PileEntryOptions options, long stamp)
    {
        EntryTerms terms = EntryTermsOf.Options(table.Parts, options);
        terms = terms with { Note = terms.Note is null ? null : terms.Note with { Stamp = stamp } };
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<string>.Encode(table.Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        PileStatus status = table.Core.Set(bytes, RecordCode.Bytes, new BytesPayload(value), terms, SetCondition.None, default, out PileSetResult result);
        PileTable<string, byte[]>.Return(rented);
        Settle(table, key, value.Length, table.Result(status, result));
    }

    private static void Settle(PileTable<string, byte[]> table, string key, long bytes, PileSetResult result)
    {
        if (result.Outcome != PileSetOutcome.Full)
        {
            return;
        }

        if (table.Parts.Options.Kind == PileTableKind.Durable)
        {
            throw new PileFullException(
                $"The durable table '{table.Name}' has no room for the {bytes:N0} bytes of '{key}', within the {table.Cache.Pile.MemoryLimitBytes:N0} of its cache. Nothing was changed. Raise MemoryLimitBytes, or remove entries.");
        }

        _ = table.Remove(key);
    }
}
