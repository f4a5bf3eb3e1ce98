// Does what the hot requests ask, on the table that they name: checks the whole request first, so that one that can't be done changes
// nothing, then goes through its items in groups whose cache misses overlap. It runs to its end on the caller's thread.
using System;
using System.Collections.Generic;
using Pile.Cache;
using Pile.Server.Leases;
using Pile.Server.Packed;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The work of Get, GetMany, SetMany and RemoveMany. Thread-safe.</summary>
internal sealed class BatchWork(ServerState state, PileServerOptions options)
{
    /// <summary>Reads one entry.</summary>
    internal PackedReply Get(PackedRequest request)
    {
        ReadOnlySpan<byte> key = request.Keys;
        CallLimits.Key(key.Length, options);
        PileTable<byte[], byte[]> entries = state.Tables.Get(request.Table).Entries;
        byte[] array = KeyArrays.OfThread.Put(0, key);
        PackedReply reply = PackedReply.Rent();
        if (request.WantsVersion)
        {
            if (!entries.TryGet(array, out byte[]? value, out PileEntryVersion version))
            {
                reply.AddMissing();
                return reply;
            }

            reply.Version = version;
            return reply.TryAdd(value, options.MessageBytesMax) ? reply : throw CallLimits.TooLong(value.Length, options);
        }

        if (!entries.TryLease(array, out PileLease lease))
        {
            reply.AddMissing();
            return reply;
        }

        using (lease)
        {
            return reply.TryAdd(lease.Bytes, options.MessageBytesMax) ? reply : throw CallLimits.TooLong(lease.Length, options);
        }
    }

    /// <summary>Does a batch.</summary>
    /// <param name="request">The batch.</param>
    /// <param name="done">Items that took effect, also when it throws.</param>
    internal PackedReply Do(PackedRequest request, out int done)
    {
        done = 0;
        Check(request);
        ServedTable table = state.Tables.Get(request.Table);
        PackedReply reply = PackedReply.Rent();
        reply.Id = request.Id;
        if (request.Kind == PackedKind.GetMany)
        {
            Get(table.Entries, request, reply);
            return reply;
        }

        reply.HasOutcomes = true;
        List<KeyLease>? outdated = null;
        try
        {
            if (request.Kind == PackedKind.SetMany)
            {
                Set(table, request, reply, ref done, ref outdated);
            }
            else
            {
                Remove(table, request, reply, ref done, ref outdated);
            }
        }
        finally
        {
            table.Leases.EndOutdated(outdated);
        }

        return reply;
    }

    private void Get(PileTable<byte[], byte[]> entries, PackedRequest request, PackedReply reply)
    {
        KeyArrays arrays = KeyArrays.OfThread;
        ReadOnlySpan<byte> keys = request.Keys;
        int count = request.KeyLengths.Count;
        for (int first = 0; first < count; first += ServerLimits.KeysTogether)
        {
            int group = int.Min(ServerLimits.KeysTogether, count - first);
            for (int index = 0; index < group; index++)
            {
                int length = (int)request.KeyLengths[first + index];
                _ = arrays.Put(index, keys[..length]);
                keys = keys[length..];
            }

            var collector = new Collector(reply, options.MessageBytesMax);
            _ = entries.LeaseMany(arrays.Group(group), ref collector);
            if (collector.IsFull)
            {
                throw CallFailure.TooLarge($"The values of this batch take more than {options.MessageBytesMax:N0} bytes (MessageBytesMax): the first {reply.Items.Count:N0} fit. Ask for fewer at once, or by GetLarge.");
            }
        }
    }

    private static void Set(ServedTable table, PackedRequest request, PackedReply reply, ref int done, ref List<KeyLease>? outdated)
    {
        PileEntryOptions terms = TableTerms.Of(request.Terms);
        KeyArrays arrays = KeyArrays.OfThread;
        ReadOnlySpan<byte> keys = request.Keys;
        ReadOnlySpan<byte> values = request.Values;
        for (; done < request.KeyLengths.Count; done++)
        {
            int keyBytes = (int)request.KeyLengths[done];
            int valueBytes = (int)request.ValueLengths[done];
            table.Leases.Outdate(keys[..keyBytes], ref outdated);
            PileSetResult result = table.Entries.Set(arrays.Put(0, keys[..keyBytes]), values[..valueBytes], terms);
            reply.AddOutcome(TableTerms.OutcomeOf(result.Outcome));
            keys = keys[keyBytes..];
            values = values[valueBytes..];
        }
    }

    private static void Remove(ServedTable table, PackedRequest request, PackedReply reply, ref int done, ref List<KeyLease>? outdated)
    {
        KeyArrays arrays = KeyArrays.OfThread;
        ReadOnlySpan<byte> keys = request.Keys;
        for (; done < request.KeyLengths.Count; done++)
        {
            int length = (int)request.KeyLengths[done];
            table.Leases.Outdate(keys[..length], ref outdated);
            reply.AddOutcome(table.Entries.Remove(arrays.Put(0, keys[..length])) ? V1.Outcome.Removed : V1.Outcome.Missing);
            keys = keys[length..];
        }
    }

    private void Check(PackedRequest request)
    {
        if (request.Kind == PackedKind.None)
        {
            throw CallFailure.Refused("The message has no batch: set one of get, set and remove.");
        }

        int count = request.KeyLengths.Count;
        if (count > options.BatchItemsMax)
        {
            throw CallFailure.TooLarge($"The batch has {count:N0} keys; at most {options.BatchItemsMax:N0} go at once (BatchItemsMax). Send several batches.");
        }

        long bytes = 0;
        for (int index = 0; index < count; index++)
        {
            uint length = request.KeyLengths[index];
            CallLimits.Key(length, options);
            bytes += length;
        }

        if (bytes != request.Keys.Length)
        {
            throw CallFailure.Refused($"key_lengths adds up to {bytes:N0} bytes, and keys has {request.Keys.Length:N0}.");
        }

        if (request.Kind != PackedKind.SetMany)
        {
            return;
        }

        if (request.ValueLengths.Count != count)
        {
            throw CallFailure.Refused($"value_lengths has {request.ValueLengths.Count:N0} items, and key_lengths {count:N0}: there is one value for each key.");
        }

        bytes = 0;
        for (int index = 0; index < count; index++)
        {
            uint length = request.ValueLengths[index];
            CallLimits.Value(length, options);
            bytes += length;
        }

        if (bytes != request.Values.Length)
        {
            throw CallFailure.Refused($"value_lengths adds up to {bytes:N0} bytes, and values has {request.Values.Length:N0}.");
        }
    }

    private struct Collector(PackedReply reply, int bytesMax) : IPileVisitor
    {
        internal bool IsFull { get; private set; }

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
            if (status != PileStatus.Ok)
            {
                reply.AddMissing();
            }
            else
            {
                IsFull = IsFull || !reply.TryAdd(bytes, bytesMax);
            }
        }
    }
}
