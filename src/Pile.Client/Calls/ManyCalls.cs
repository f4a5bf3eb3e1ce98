// Calls on many entries: cut into messages that the server takes, sent one after the other, their answers put together. A scan is one too.
// Values that are too many for one reply are asked for in two halves, and one that is too large for any comes in chunks.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;

namespace Pile.Client.Calls;

/// <summary>GetMany, SetMany, RemoveMany and Scan.</summary>
internal static class ManyCalls
{
    internal static async Task<byte[]?[]> GetAsync(ServerLink link, string table, IReadOnlyList<PileKey> keys, CancellationToken cancel)
    {
        byte[]?[] values = new byte[]?[keys.Count];
        for (int first = 0; first < keys.Count;)
        {
            int count = CountOf(keys.Count, first, index => keys[index].Length);
            await GetAsync(link, table, keys, first, count, values, link.Time.GetTimestamp(), cancel).ConfigureAwait(false);
            first += count;
        }

        return values;
    }

    internal static async Task<PileClientOutcome[]> SetAsync(
        ServerLink link, string table, IReadOnlyList<KeyValuePair<PileKey, ReadOnlyMemory<byte>>> entries, V1.EntryTerms? terms, CancellationToken cancel)
    {
        var outcomes = new PileClientOutcome[entries.Count];
        for (int first = 0; first < entries.Count;)
        {
            if (entries[first].Value.Length > ClientLimits.WholeValueBytesMax)
            {
                outcomes[first] = (PileClientOutcome)(int)await LargeCalls.SetAsync(link, table, entries[first].Key, entries[first].Value, terms, cancel).ConfigureAwait(false);
                first++;
                continue;
            }

            int count = CountOf(entries.Count, first, index => entries[index].Key.Length + entries[index].Value.Length);
            var request = new V1.SetBatch { Table = table, Terms = terms };
            var keys = new PackedBytes();
            var values = new PackedBytes();
            for (int index = first; index < first + count; index++)
            {
                request.KeyLengths.Add(keys.Add(entries[index].Key));
                request.ValueLengths.Add(values.Add(entries[index].Value));
            }

            request.Keys = keys.ToByteString();
            request.Values = values.ToByteString();
            V1.OutcomeBatch reply = await link.CallAsync(link.Entries.SetManyAsync, request, isIdempotent: true, cancel).ConfigureAwait(false);
            Check(link, reply.Outcomes.Count, count);
            for (int index = 0; index < count; index++)
            {
                outcomes[first + index] = (PileClientOutcome)(int)reply.Outcomes[index];
            }

            first += count;
        }

        return outcomes;
    }

    internal static async Task<int> RemoveAsync(ServerLink link, string table, IReadOnlyList<PileKey> keys, CancellationToken cancel)
    {
        int removed = 0;
        for (int first = 0; first < keys.Count;)
        {
            int count = CountOf(keys.Count, first, index => keys[index].Length);
            var request = new V1.RemoveBatch { Table = table };
            var packed = new PackedBytes();
            for (int index = first; index < first + count; index++)
            {
                request.KeyLengths.Add(packed.Add(keys[index]));
            }

            request.Keys = packed.ToByteString();
            V1.OutcomeBatch reply = await link.CallAsync(link.Entries.RemoveManyAsync, request, isIdempotent: true, cancel).ConfigureAwait(false);
            Check(link, reply.Outcomes.Count, count);
            foreach (V1.Outcome outcome in reply.Outcomes)
            {
                removed += outcome == V1.Outcome.Removed ? 1 : 0;
            }

            first += count;
        }

        return removed;
    }

    internal static async IAsyncEnumerable<PileClientEntry> ScanAsync(ServerLink link, string table, PileKey prefix, bool keysOnly, [EnumeratorCancellation] CancellationToken cancel)
    {
        var request = new V1.ScanRequest { Table = table, Prefix = WireForm.KeyOf(prefix), KeysOnly = keysOnly };
        do
        {
            // A cursor is good for one call: only the first page may be asked for again, and one that the server has refused before it began.
            V1.ScanReply reply = await link.CallAsync(link.Entries.ScanAsync, request, isIdempotent: request.Cursor.IsEmpty, cancel).ConfigureAwait(false);
            foreach (V1.ScanEntry entry in reply.Entries)
            {
                if (!entry.ValueLeftOut)
                {
                    yield return new PileClientEntry(entry.Key.Memory, entry.Value.Memory);
                }
                else if (await LargeCalls.GetAsync(link, table, entry.Key.ToByteArray(), link.Time.GetTimestamp(), cancel).ConfigureAwait(false) is { } value)
                {
                    yield return new PileClientEntry(entry.Key.Memory, value);
                }
            }

            request.Cursor = reply.Cursor;
        }
        while (!request.Cursor.IsEmpty);
    }

    private static async Task GetAsync(ServerLink link, string table, IReadOnlyList<PileKey> keys, int first, int count, byte[]?[] values, long began, CancellationToken cancel)
    {
        var request = new V1.GetBatch { Table = table };
        var packed = new PackedBytes();
        for (int index = first; index < first + count; index++)
        {
            request.KeyLengths.Add(packed.Add(keys[index]));
        }

        request.Keys = packed.ToByteString();
        V1.ValueBatch reply;
        try
        {
            reply = await link.CallAsync(link.Entries.GetManyAsync, request, isIdempotent: true, began, cancel).ConfigureAwait(false);
        }
        catch (PileClientException failure) when (failure is { Status: PileStatus.TooLarge } && count > 1)
        {
            await GetAsync(link, table, keys, first, count / 2, values, began, cancel).ConfigureAwait(false);
            await GetAsync(link, table, keys, first + (count / 2), count - (count / 2), values, began, cancel).ConfigureAwait(false);
            return;
        }
        catch (PileClientException failure) when (failure is { Status: PileStatus.TooLarge } && keys[first].Length <= ClientLimits.KeyBytesMax)
        {
            values[first] = await LargeCalls.GetAsync(link, table, keys[first].ToArray(), began, cancel).ConfigureAwait(false);
            return;
        }

        Check(link, reply.ValueLengths.Count, count);
        ReadOnlyMemory<byte> rest = reply.Values.Memory;
        for (int index = 0; index < count; index++)
        {
            uint length = reply.ValueLengths[index];
            if (length == 0)
            {
                continue;
            }

            if (length - 1 > (uint)rest.Length)
            {
                throw Wrong(link, "its lengths are more than its values");
            }

            values[first + index] = rest[..(int)(length - 1)].ToArray();
            rest = rest[(int)(length - 1)..];
        }
    }

    // At least one item, and then as many as one message should have.
    private static int CountOf(int total, int first, Func<int, int> bytesOf)
    {
        long bytes = 0;
        int count = 0;
        while (first + count < total && count < ClientLimits.ManyItemsMax && (bytes += bytesOf(first + count)) <= ClientLimits.ManyBytesMax)
        {
            count++;
        }

        return int.Max(count, 1);
    }

    private static void Check(ServerLink link, int answered, int asked)
    {
        if (answered != asked)
        {
            throw Wrong(link, $"it has {answered:N0} items where {asked:N0} were asked for");
        }
    }

    internal static PileClientException Wrong(ServerLink link, string why) =>
        new($"The server at {link.Endpoint} sent a reply that can't be: {why}.", StatusCode.Internal, PileStatus.Format, link.Endpoint, isRetrySafe: true);

    private sealed class PackedBytes
    {
        private readonly System.Buffers.ArrayBufferWriter<byte> _bytes = new(1024);

        internal uint Add(PileKey key)
        {
            int length = key.Length;
            _ = key.CopyTo(_bytes.GetSpan(length));
            _bytes.Advance(length);
            return (uint)length;
        }

        internal ByteString ToByteString() => UnsafeByteOperations.UnsafeWrap(_bytes.WrittenMemory);
    }
}
