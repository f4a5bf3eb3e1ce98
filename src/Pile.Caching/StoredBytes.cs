// Stores bytes for adapters, in one piece or several, and what began to be made before.
// What is done where there is no room is FullTable's.
using System;
using System.Buffers;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Factories;
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
        FullTable.Settle(table, key, value.Length, table.Set(key, value, terms));

    /// <inheritdoc cref="Set(PileTable{string, byte[]}, string, in ReadOnlySequence{byte}, in PileEntryOptions)"/>
    internal static void Set(PileTable<string, byte[]> table, string key, ReadOnlySpan<byte> value, in PileEntryOptions terms) =>
        FullTable.Settle(table, key, value.Length, table.Set(key, value, terms));

    /// <summary>Stores a value that began to be made at a stamp: a tag that was removed since takes it too.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">The entry's terms; what the table's factories have beside them, fail-safe and jitter, is for it too.</param>
    /// <param name="stamp">The stamp.</param>
    /// <param name="flight">The call that made it: nothing is stored where its key was removed since. Null for none.</param>
    /// <exception cref="PileFullException">The table is durable, and has no room, for a value that no call made: whoever called has that, and the
    /// table what it had.</exception>
    internal static void SetMade(PileTable<string, byte[]> table, string key, ReadOnlySpan<byte> value, in PileEntryOptions options, long stamp, FactoryFlight? flight)
    {
        PileSetResult result;
        if (flight is null)
        {
            result = Write(table, key, value, options, stamp);
        }
        else
        {
            lock (flight.Gate)
            {
                if (flight.IsOutdated)
                {
                    return;
                }

                result = Write(table, key, value, options, stamp);
            }
        }

        // Not with the gate: a removal takes those of other calls.
        if (flight is null || table.Parts.Options.Kind != PileTableKind.Durable)
        {
            FullTable.Settle(table, key, value.Length, result);
        }
    }

    private static PileSetResult Write(PileTable<string, byte[]> table, string key, ReadOnlySpan<byte> value, in PileEntryOptions options, long stamp)
    {
        PileFactoryOptions? factory = table.Parts.Options.Factory;
        EntryTerms terms = MadeTerms.Of(table.Parts, options, factory).At(stamp, factory);
        byte[]? rented = null;
        ReadOnlySpan<byte> bytes = KeyCodec<string>.Encode(table.Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented);
        PileStatus status = table.Core.Set(bytes, RecordCode.Bytes, new BytesPayload(value), terms, SetCondition.None, default, out PileSetResult result);
        PileTable<string, byte[]>.Return(rented);
        return table.Result(status, result);
    }
}
