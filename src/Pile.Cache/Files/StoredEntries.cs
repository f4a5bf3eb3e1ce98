// Entries of a table as they are stored, for who has not the types that it was made for: keys as their bytes, values as descriptions.
// What a value of a known type is stored as is the pile's to say, as for any table.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Codecs;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>Entries without types. Thread-safe.</summary>
internal static class StoredEntries
{
    /// <summary>Reads a value.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key's stored bytes.</param>
    /// <param name="value">The value.</param>
    /// <exception cref="PileCorruptedException">Its bytes are damaged.</exception>
    internal static bool TryRead(this PileTable<byte[], byte[]> table, byte[] key, out StoredValue value)
    {
        if (!table.TryLeaseAt(key, oldestMs: 0, out PileLease lease, out _))
        {
            value = default;
            return false;
        }

        try
        {
            PileDescription description = ObjectPileDescribe.DescribeBytes(table.Cache.Pile, lease.Code, lease.Bytes);
            value = new StoredValue(lease.Kind, description.TypeName, lease.Bytes.ToArray(), description.Value as string, lease.Code == RecordCode.Typed ? DescriptionJson.Write(description) : null);
            return true;
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>Stores a value in the form that it has in a table of TValue.</summary>
    internal static PileSetResult Store<TValue>(this PileTable<byte[], byte[]> table, byte[] key, TValue value, in PileEntryOptions options, SetCondition condition)
        where TValue : notnull
    {
        table.ThrowIfEnded();
        EntryTerms terms = EntryTermsOf.Options(table.Parts, options);
        var target = new SetTarget(table.Core, key, terms, condition, default);
        PileStatus status = TypedPayloads.Send(table.Cache.Pile, value, ref target);
        return table.Result(status, target.Result);
    }

    /// <summary>Stores the bytes of an unmanaged value, in the form that it has in a table of its type.</summary>
    internal static PileSetResult StoreValue(this PileTable<byte[], byte[]> table, byte[] key, ReadOnlySpan<byte> value, in PileEntryOptions options, SetCondition condition)
    {
        table.ThrowIfEnded();
        PileStatus status = table.Core.Set(key, RecordCode.Value, new BytesPayload(value), EntryTermsOf.Options(table.Parts, options), condition, default, out PileSetResult result);
        return table.Result(status, result);
    }

    /// <summary>A copy of an entry's value; counts as no use.</summary>
    /// <returns>False when the key has no entry.</returns>
    internal static bool TryCopyUnused(this PileTable<byte[], byte[]> table, byte[] key, [NotNullWhen(true)] out byte[]? value) => table.Core.TryCopyUnused(key, out value);

    /// <summary>The stored bytes of all keys whose entries have not ended, as <see cref="PileTableItems.Enumerate{TKey, TValue}"/> lists them.</summary>
    internal static IEnumerable<byte[]> Keys(this PileTable<byte[], byte[]> table)
    {
        using var steps = new KeySteps(table);
        while (steps.MoveNext())
        {
            yield return steps.Current;
        }
    }

    /// <summary>The stored bytes of a key of text.</summary>
    internal static byte[] KeyOf(string text)
    {
        byte[] bytes = new byte[TextKey.BytesMax(text.Length)];
        return bytes[..TextKey.Write(text, bytes)];
    }
}
