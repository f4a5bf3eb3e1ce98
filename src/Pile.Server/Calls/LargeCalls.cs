// Values that travel in chunks. One that is being sent was copied out of the cache first, because a lease must not wait for a network; one that
// comes is collected (ReceivedValue), and stored as a whole or not at all. Both are counted by what there is of them, and have a pace to keep.
using System;
using System.Buffers;
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
internal sealed class LargeCalls(ServerState state, ReceiveBudget received, ReplyBudget sent, IOptions<PileServerOptions> served, TimeProvider? time = null, ArrayPool<byte>? pool = null)
{
    private readonly PileServerOptions _options = served.Value;
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly ArrayPool<byte> _pool = pool ?? ArrayPool<byte>.Shared;

    internal async Task GetAsync(PileTable<byte[], byte[]> entries, byte[] key, IServerStreamWriter<V1.ValueChunk> replies, CancellationToken cancel)
    {
        // A write that is cancelled takes the call's end with it: only for clients that do not read.
        using var pace = new LargePace(_time, cancel, state.StoppingLate);
        byte[]? value = Copy(entries, key, out int length);
        if (value is null)
        {
            await replies.WriteAsync(new V1.ValueChunk(), cancel).ConfigureAwait(false);
            return;
        }

        try
        {
            int gone = 0;
            do
            {
                state.Stopping.ThrowIfCancellationRequested();
                int bytes = int.Min(length - gone, ServerLimits.ChunkBytes);
                V1.ValueChunk chunk = new() { Chunk = UnsafeByteOperations.UnsafeWrap(value.AsMemory(gone, bytes)) };
                if (gone == 0)
                {
                    chunk.Found = true;
                    chunk.ValueBytes = (ulong)length;
                }

                await replies.WriteAsync(chunk, pace.Ends).ConfigureAwait(false);
                gone += bytes;
                pace.Allow(gone);
            }
            while (gone < length);
        }
        catch (Exception failure) when (pace.IsReason(failure))
        {
            throw pace.Failure();
        }
        finally
        {
            Return(ref value, length);
        }
    }

    /// <summary>A counted copy of a value; null when there is none.</summary>
    private byte[]? Copy(PileTable<byte[], byte[]> entries, byte[] key, out int length)
    {
        length = entries.SizeOf(key);
        while (length >= 0)
        {
            sent.RequireRoom(length);
            byte[]? value = sent.Rent(_pool, length);
            int counted = length;
            bool isCopied = false;
            try
            {
                isCopied = entries.TryGet(key, value.AsSpan(0, counted), out length);
            }
            finally
            {
                // Gone, replaced by a longer one in between, or damaged.
                if (!isCopied)
                {
                    Return(ref value, counted);
                }
            }

            if (isCopied)
            {
                sent.Give(counted - length);
                return value;
            }

            length = length == 0 ? -1 : length;
        }

        return null;
    }

    internal async Task<V1.SetReply> SetAsync(IAsyncStreamReader<V1.SetLargeRequest> requests, CancellationToken cancel)
    {
        using var pace = new LargePace(_time, cancel, state.Stopping);
        try
        {
            return await SetAsync(requests, pace).ConfigureAwait(false);
        }
        catch (Exception failure) when (pace.IsReason(failure))
        {
            throw pace.Failure();
        }
    }

    private async Task<V1.SetReply> SetAsync(IAsyncStreamReader<V1.SetLargeRequest> requests, LargePace pace)
    {
        if (!await requests.MoveNext(pace.Ends).ConfigureAwait(false) || requests.Current.Head is not { } head)
        {
            throw CallFailure.Refused("The first message of SetLarge must have 'head'.");
        }

        CallLimits.Key(head.Key.Length, _options);
        CallLimits.Value((long)ulong.Min(head.ValueBytes, long.MaxValue), _options);
        received.RequireRoom(ReceivedValue.BytesNeeded((int)head.ValueBytes), (long)head.ValueBytes);
        ServedTable table = state.Tables.Get(head.Table);
        PileEntryOptions terms = TableTerms.Of(head.Terms);
        byte[] key = head.Key.ToByteArray();
        using var value = new ReceivedValue((int)head.ValueBytes, int.Max(0, head.CalculateSize() - ServerLimits.ReceiveFreeBytes), received, _pool);
        while (true)
        {
            value.Add(requests.Current.Chunk.Span);

            // The reader holds its message until the next one is there, and it counts no more when that is asked for.
            (requests.Current.Head, requests.Current.Chunk) = (null, ByteString.Empty);
            pace.Allow(value.Received);
            if (!await requests.MoveNext(pace.Ends).ConfigureAwait(false))
            {
                // A call that was cancelled before it read on ends here too: its client believes that nothing was stored.
                pace.Require();
                return Store(table, key, value.Whole, terms);
            }

            if (requests.Current.Head is not null)
            {
                throw CallFailure.Refused("'head' stands in the first message of SetLarge only.");
            }
        }
    }

    private static V1.SetReply Store(ServedTable table, byte[] key, ReadOnlySpan<byte> value, in PileEntryOptions terms)
    {
        using LeaseChange change = table.Leases.Change(key);
        return EntriesService.ReplyOf(table, table.Entries.Set(key, value, terms));
    }

    private void Return(ref byte[]? value, int counted)
    {
        sent.Give(counted);
        _pool.Return(value!);
        value = null;
    }
}
