// Does what the hot requests ask, on the table that they name: checks the whole request first, so that one that can't be done changes
// nothing, then goes through its items in groups whose cache misses overlap. It runs to its end on the caller's thread.
using System;
using System.Collections.Generic;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Server.Leases;
using Pile.Server.Packed;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The work of Get, Set, Remove, and of batches of them. Thread-safe.</summary>
internal sealed class BatchWork(ServerState state, PileServerOptions options, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Does what a request asks.</summary>
    /// <param name="request">The request.</param>
    /// <param name="done">Items of a batch that took effect, also when it throws.</param>
    internal PackedReply Do(PackedRequest request, out int done)
    {
        done = 0;
        bool isOne = request.Kind is PackedKind.Get or PackedKind.Set or PackedKind.Remove;
        if (isOne)
        {
            CallLimits.Key(request.Keys.Length, options);
            CallLimits.Value(request.Values.Length, options);
        }
        else
        {
            Check(request);
        }

        ServedTable table = state.Tables.Get(request.Table);
        PackedReply reply = PackedReply.Rent();
        reply.Id = request.Id;
        bool isDone = false;
        try
        {
            switch (request.Kind)
            {
                case PackedKind.Get:
                    GetOne(table.Entries, request, reply);
                    break;
                case PackedKind.GetMany:
                    reply.Form = ReplyForm.Values;
                    Get(table.Entries, request, reply);
                    break;
                default:
                    reply.Form = isOne ? ReplyForm.Outcome : ReplyForm.Outcomes;
                    Change(table, request, reply, ref done);
                    break;
            }

            isDone = true;
            return reply;
        }
        finally
        {
            if (!isDone)
            {
                reply.Return();
            }
        }
    }

    private static void Change(ServedTable table, PackedRequest request, PackedReply reply, ref int done)
    {
        List<KeyLease>? outdated = null;
        try
        {
            switch (request.Kind)
            {
                case PackedKind.Set:
                    reply.AddOutcome(SetOne(table, request, ref outdated));
                    break;
                case PackedKind.SetMany:
                    Set(table, request, reply, ref done, ref outdated);
                    break;
                case PackedKind.Remove:
                    reply.AddOutcome(table.Entries.Remove(KeyToChange(table, request, ref outdated)) ? V1.Outcome.Removed : V1.Outcome.Missing);
                    break;
                default:
                    Remove(table, request, reply, ref done, ref outdated);
                    break;
            }
        }
        finally
        {
            table.Leases.EndOutdated(outdated);
        }
    }

    private void GetOne(PileTable<byte[], byte[]> entries, PackedRequest request, PackedReply reply)
    {
        byte[] key = KeyArrays.OfThread.Put(0, request.Keys);
        PileEntryVersion version = default;
        PileLease lease;
        if (!(request.WantsVersion ? entries.TryLease(key, out lease, out version) : entries.TryLease(key, out lease)))
        {
            reply.AddMissing();
            return;
        }

        using (lease)
        {
            Add(reply, lease.Bytes);
        }

        if (request.WantsVersion)
        {
            reply.Version = version;
        }

        AddEnd(entries, key, request, reply);
    }

    // After the value, so that a sliding end is that of this use. Where another value was stored meanwhile the end may be its: who keeps the
    // value is told of that by a watch.
    private void AddEnd(PileTable<byte[], byte[]> entries, byte[] key, PackedRequest request, PackedReply reply)
    {
        if (request.WantsEnd && (!entries.TryGetExpiration(key, out DateTimeOffset? end) || end is not null))
        {
            // An entry that is gone by now ends at once.
            reply.EndsInMs = end is null ? 1 : (ulong)long.Max(1, (long)(end.Value - _time.GetUtcNow()).TotalMilliseconds);
        }
    }

    private void Add(PackedReply reply, ReadOnlySpan<byte> value)
    {
        if (!reply.TryAdd(value, options.MessageBytesMax))
        {
            throw CallLimits.TooLong(value.Length, options);
        }
    }

    private static V1.Outcome SetOne(ServedTable table, PackedRequest request, ref List<KeyLease>? outdated)
    {
        PileTable<byte[], byte[]> entries = table.Entries;
        PileEntryOptions terms = TableTerms.Of(request.Terms);
        PileSetResult result = request.When switch
        {
            V1.SetWhen.Always => entries.Set(KeyToChange(table, request, ref outdated), request.Values, terms),
            V1.SetWhen.Absent => entries.Set(KeyToChange(table, request, ref outdated), request.Values, terms, SetCondition.Absent),
            V1.SetWhen.Present => entries.Set(KeyToChange(table, request, ref outdated), request.Values, terms, SetCondition.Present),
            _ => throw CallFailure.Refused($"'when' = {(int)request.When} is none: there are SET_WHEN_ALWAYS (0), SET_WHEN_ABSENT (1) and SET_WHEN_PRESENT (2)."),
        };
        return result.Outcome == PileSetOutcome.Full ? throw EntriesService.Full(table) : TableTerms.OutcomeOf(result.Outcome);
    }

    // The key of a change that nothing refuses any more.
    private static byte[] KeyToChange(ServedTable table, PackedRequest request, ref List<KeyLease>? outdated)
    {
        table.Leases.Outdate(request.Keys, ref outdated);
        return KeyArrays.OfThread.Put(0, request.Keys);
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
            if (IsFull)
            {
                return;
            }

            if (status != PileStatus.Ok)
            {
                reply.AddMissing();
            }
            else
            {
                IsFull = !reply.TryAdd(bytes, bytesMax);
            }
        }
    }
}
