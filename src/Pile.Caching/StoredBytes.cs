// Stores bytes for adapters, whose callers are not told that a cache is full: then a speculative table has no value rather than the former
// one, which the caller believes replaced, and a durable one, of which nothing may be lost, refuses.
using System;
using System.Buffers;
using Pile.Cache;

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
