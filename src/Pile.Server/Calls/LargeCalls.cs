// Values that travel in chunks. One that is being sent was copied out of the cache first, because a lease must not wait for a network; one that
// comes is collected, counted against the receive budget from its first message on, and stored as a whole or not at all.
using System;
using System.Buffers;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Options;
using Pile.Cache;
using Pile.Server.Leases;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>GetLarge and SetLarge. Thread-safe.</summary>
internal sealed class LargeCalls(ServerState state, ReceiveBudget budget, IOptions<PileServerOptions> served)
{
    private readonly PileServerOptions _options = served.Value;

    internal async Task GetAsync(PileTable<byte[], byte[]> entries, byte[] key, IServerStreamWriter<V1.ValueChunk> replies, CancellationToken cancel)
    {
        byte[]? value = null;
        int length = entries.SizeOf(key);
        while (length >= 0)
        {
            // Sent memory is counted as received memory is: it is as large, and as slow to go.
            budget.Take(length);
            value = ArrayPool<byte>.Shared.Rent(length);
            if (entries.TryGet(key, value, out int bytes))
            {
                budget.Give(length - bytes);
                length = bytes;
                break;
            }

            // Gone, or replaced by a longer one in between.
            Return(ref value, length);
            length = bytes == 0 ? -1 : bytes;
        }

        if (value is null)
        {
            await replies.WriteAsync(new V1.ValueChunk(), cancel).ConfigureAwait(false);
            return;
        }

        try
        {
            int sent = int.Min(length, ServerLimits.ChunkBytes);
            await replies.WriteAsync(new V1.ValueChunk { Found = true, ValueBytes = (ulong)length, Chunk = UnsafeByteOperations.UnsafeWrap(value.AsMemory(0, sent)) }, cancel).ConfigureAwait(false);
            while (sent < length)
            {
                int chunk = int.Min(length - sent, ServerLimits.ChunkBytes);
                await replies.WriteAsync(new V1.ValueChunk { Chunk = UnsafeByteOperations.UnsafeWrap(value.AsMemory(sent, chunk)) }, cancel).ConfigureAwait(false);
                sent += chunk;
            }
        }
        finally
        {
            Return(ref value, length);
        }
    }

    internal async Task<V1.SetReply> SetAsync(IAsyncStreamReader<V1.SetLargeRequest> requests, CancellationToken cancel)
    {
        if (!await NextAsync(requests, cancel).ConfigureAwait(false) || requests.Current.Head is not { } head)
        {
            throw CallFailure.Refused("The first message of SetLarge must have 'head'.");
        }

        CallLimits.Key(head.Key.Length, _options);
        CallLimits.Value((long)ulong.Min(head.ValueBytes, long.MaxValue), _options);
        ServedTable table = state.Tables.Get(head.Table);
        PileEntryOptions terms = TableTerms.Of(head.Terms);
        int length = (int)head.ValueBytes;
        budget.Take(length);

        byte[]? value = ArrayPool<byte>.Shared.Rent(length);
        try
        {
            int received = 0;
            do
            {
                ByteString chunk = requests.Current.Chunk;
                if (received > 0 && requests.Current.Head is not null)
                {
                    throw CallFailure.Refused("'head' stands in the first message of SetLarge only.");
                }

                if (chunk.Length > ServerLimits.ChunkBytes || chunk.Length > length - received)
                {
                    throw CallFailure.Refused($"A chunk has {chunk.Length:N0} bytes: at most {ServerLimits.ChunkBytes:N0} are allowed, and {length - received:N0} of the value were to come.");
                }

                chunk.Span.CopyTo(value.AsSpan(received));
                received += chunk.Length;
            }
            while (await NextAsync(requests, cancel).ConfigureAwait(false));

            // A call that was cancelled before it read on ends here too: its client believes that nothing was stored.
            cancel.ThrowIfCancellationRequested();
            return received == length
                ? Store(table, head.Key.ToByteArray(), value.AsSpan(0, length), terms)
                : throw CallFailure.Refused($"'value_bytes' says {length:N0} bytes, and {received:N0} came. Nothing was stored.");
        }
        finally
        {
            Return(ref value, length);
        }
    }

    private static async Task<bool> NextAsync(IAsyncStreamReader<V1.SetLargeRequest> requests, CancellationToken cancel)
    {
        try
        {
            return await requests.MoveNext(cancel).ConfigureAwait(false);
        }
        catch (IOException gone)
        {
            // What Kestrel says of a client that has reset the call, or whose connection has ended; its token may be cancelled only after.
            throw new OperationCanceledException("The client has gone.", gone);
        }
    }

    private static V1.SetReply Store(ServedTable table, byte[] key, ReadOnlySpan<byte> value, in PileEntryOptions terms)
    {
        using LeaseChange change = table.Leases.Change(key);
        return EntriesService.ReplyOf(table.Entries.Set(key, value, terms));
    }

    private void Return(ref byte[]? value, int counted)
    {
        budget.Give(counted);
        ArrayPool<byte>.Shared.Return(value!);
        value = null;
    }
}
