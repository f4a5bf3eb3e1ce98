// Objects as values, by any codec of Pile's: PileContractCodec writes what MessagePack libraries of other languages read.
// Bytes are the table's own business: nothing of the type is stored beside them.
using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client;

/// <summary>Objects in the tables of a server.</summary>
public static class PileClientObjects
{
    /// <summary>Reads an object.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key.</param>
    /// <param name="codec">Reads the value's bytes, where they came in. What it throws comes through.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The object, or null where there is no entry.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async ValueTask<T?> GetAsync<T>(this PileClientTable table, PileKey key, IPileCodec<T> codec, CancellationToken cancel = default)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(codec);
        var found = new Found<T>(codec);
        _ = await table.GetAsync(key, found, static (bytes, found) => found.Value = found.Codec.Read(bytes), cancel).ConfigureAwait(false);
        return found.Value;
    }

    /// <summary>Stores an object, in place of an entry that is there.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The entry's key.</param>
    /// <param name="value">The object.</param>
    /// <param name="codec">Writes it. What it throws comes through.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Inserted, Replaced, or Expired.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static ValueTask<PileClientOutcome> SetAsync<T>(
        this PileClientTable table, PileKey key, T value, IPileCodec<T> codec, PileClientTerms terms = default, CancellationToken cancel = default)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(codec);
        var bytes = new ArrayBufferWriter<byte>();
        codec.Write(value, bytes);
        return table.SetAsync(key, bytes.WrittenMemory, terms, cancel);
    }

    private sealed class Found<T>(IPileCodec<T> codec)
        where T : class
    {
        internal IPileCodec<T> Codec => codec;

        internal T? Value { get; set; }
    }
}
