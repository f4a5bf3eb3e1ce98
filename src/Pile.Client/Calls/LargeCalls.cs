// Values that travel in chunks: beyond one message, or from and to a stream of the caller's.
// A value is stored when all its bytes have come, and not at all otherwise.
using System;
using System.Buffers;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;

namespace Pile.Client.Calls;

/// <summary>GetLarge and SetLarge.</summary>
internal static class LargeCalls
{
    /// <summary>Reads a value as a whole.</summary>
    /// <param name="link">The way to the server.</param>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="began">When the call began that this is a part of: its deadline counts.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The value, or null where there is none.</returns>
    internal static async Task<byte[]?> GetAsync(ServerLink link, string table, byte[] key, long began, CancellationToken cancel)
    {
        byte[]? value = null;
        int used = 0;
        long length = await GetAsync(
            link,
            table,
            key,
            bytes => value = new byte[bytes],
            chunk =>
            {
                chunk.CopyTo(value.AsMemory(used));
                used += chunk.Length;
                return ValueTask.CompletedTask;
            },
            began,
            cancel).ConfigureAwait(false);
        return length < 0 ? null : value;
    }

    /// <summary>Reads a value into a stream of the caller's.</summary>
    /// <returns>Its length; -1 where there is none.</returns>
    internal static async Task<long> GetAsync(ServerLink link, string table, byte[] key, Stream destination, CancellationToken cancel)
    {
        long began = link.Time.GetTimestamp();
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        return await GetAsync(
            link, table, key, static _ => { }, async chunk => await WithinAsync(link, WriteAsync(destination, chunk, ends.Token), "take", began, ends, cancel).ConfigureAwait(false), began, cancel).ConfigureAwait(false);

        static async Task<int> WriteAsync(Stream destination, ReadOnlyMemory<byte> chunk, CancellationToken ends)
        {
            await destination.WriteAsync(chunk, ends).ConfigureAwait(false);
            return chunk.Length;
        }
    }

    // It is tried again only before the first chunk was given.
    private static async Task<long> GetAsync(
        ServerLink link, string table, byte[] key, Action<long> begin, Func<ReadOnlyMemory<byte>, ValueTask> give, long began, CancellationToken cancel)
    {
        int tries = 0;
        while (true)
        {
            PileClientException failure;
            bool isBegun = false;
            TimeSpan time = link.Left(began);
            using CallBound bound = link.BoundOf(time, cancel);
            try
            {
                var request = new V1.GetLargeRequest { Table = table, Key = Google.Protobuf.UnsafeByteOperations.UnsafeWrap(key) };
                using AsyncServerStreamingCall<V1.ValueChunk> call = link.Entries.GetLarge(request, await link.OptionsAsync(time, bound, cancel).ConfigureAwait(false));
                if (!await call.ResponseStream.MoveNext(cancel).ConfigureAwait(false) || !call.ResponseStream.Current.Found)
                {
                    return -1;
                }

                ulong length = call.ResponseStream.Current.ValueBytes;
                if (length > ClientLimits.ValueBytesMax)
                {
                    throw ManyCalls.Wrong(link, $"a value of {length:N0} bytes is more than there can be");
                }

                isBegun = true;
                begin((long)length);
                ulong left = length;
                do
                {
                    Google.Protobuf.ByteString chunk = call.ResponseStream.Current.Chunk;
                    left = (ulong)chunk.Length <= left ? left - (ulong)chunk.Length : throw ManyCalls.Wrong(link, "more bytes came than were said");
                    await give(chunk.Memory).ConfigureAwait(false);
                }
                while (await call.ResponseStream.MoveNext(cancel).ConfigureAwait(false));

                link.Budget.Succeeded();
                return left == 0 ? (long)length : throw ManyCalls.Wrong(link, $"{left:N0} bytes of {length:N0} did not come");
            }
            catch (RpcException thrown)
            {
                failure = link.FailureOf(thrown, isIdempotent: true, cancel, bound);
            }

            if (isBegun)
            {
                throw failure;
            }

            await link.BeforeAgainAsync(failure, tries++, began, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>Stores a value that is in memory. It is tried again as a plain store is.</summary>
    internal static async Task<V1.Outcome> SetAsync(ServerLink link, string table, PileKey key, ReadOnlyMemory<byte> value, V1.EntryTerms? terms, CancellationToken cancel)
    {
        long began = link.Time.GetTimestamp();
        for (int tries = 0; ; tries++)
        {
            int sent = 0;
            PileClientException failure;
            try
            {
                (V1.Outcome outcome, _) = await SendAsync(link, HeadOf(table, key, value.Length, terms), most =>
                {
                    ReadOnlyMemory<byte> chunk = value.Slice(sent, int.Min(most, value.Length - sent));
                    sent += chunk.Length;
                    return new ValueTask<ReadOnlyMemory<byte>>(chunk);
                }, began, cancel).ConfigureAwait(false);
                return outcome;
            }
            catch (PileClientException thrown)
            {
                failure = thrown;
            }

            await link.BeforeAgainAsync(failure, tries, began, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>Stores a value that is read from a stream. It is not tried again: the stream was read.</summary>
    internal static async Task<V1.Outcome> SetAsync(ServerLink link, string table, PileKey key, Stream value, long length, V1.EntryTerms? terms, CancellationToken cancel)
    {
        long began = link.Time.GetTimestamp();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(ClientLimits.ChunkBytes);
        bool isWhole = false;
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        try
        {
            (V1.Outcome outcome, isWhole) = await SendAsync(link, HeadOf(table, key, length, terms), async most =>
            {
                Task<int> read = value.ReadAtLeastAsync(buffer.AsMemory(0, most), most, throwOnEndOfStream: false, ends.Token).AsTask();
                int count = await WithinAsync(link, read, "give", began, ends, cancel).ConfigureAwait(false);
                return count == most ? buffer.AsMemory(0, count) : throw new EndOfStreamException($"The stream ended {most - count:N0} bytes before the {length:N0} that it was to have. Nothing was stored.");
            }, began, cancel).ConfigureAwait(false);
            return outcome;
        }
        finally
        {
            // Otherwise the caller's stream, or a write that was left, may have it yet.
            if (isWhole)
            {
                ArrayPool<byte>.Shared.Return(buffer);
            }
        }
    }

    // Waits for a stream of the caller's, as long as the call may still take.
    private static async Task<int> WithinAsync(ServerLink link, Task<int> asked, string what, long began, CancellationTokenSource ends, CancellationToken cancel)
    {
        try
        {
            return await asked.WaitAsync(link.Left(began), link.Time, cancel).ConfigureAwait(false);
        }
        catch (TimeoutException late) when (!asked.IsFaulted)
        {
            await ends.CancelAsync().ConfigureAwait(false);
            throw new PileClientException(
                $"The stream of the value did not {what} its bytes within {link.Deadline.TotalSeconds:0.###} s (Deadline).", StatusCode.DeadlineExceeded, null, link.Endpoint, isRetrySafe: true, late);
        }
    }

    private static V1.SetLargeHead HeadOf(string table, PileKey key, long length, V1.EntryTerms? terms) => new() { Table = table, Key = WireForm.KeyOf(key), ValueBytes = (ulong)length, Terms = terms };

    private static async Task<(V1.Outcome Outcome, bool IsWhole)> SendAsync(
        ServerLink link, V1.SetLargeHead head, Func<int, ValueTask<ReadOnlyMemory<byte>>> next, long began, CancellationToken cancel)
    {
        TimeSpan left = link.Left(began);
        using CallBound bound = link.BoundOf(left, cancel);
        CallOptions options = await link.OptionsAsync(left, bound, cancel).ConfigureAwait(false);
        ServerChannel channel = link.Large.Take();
        (V1.Outcome Outcome, bool IsWhole) sent = default;
        try
        {
            using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = channel.Entries.SetLarge(options);
            sent = await SendAsync(call, head, next, cancel).ConfigureAwait(false);
            link.Budget.Succeeded();
            return sent;
        }
        catch (RpcException thrown)
        {
            throw link.FailureOf(thrown, isIdempotent: true, cancel, bound);
        }
        finally
        {
            link.Large.Give(channel, sent.IsWhole);
        }
    }

    /// <summary>Sends a value over a call that has begun.</summary>
    /// <returns>What became of it, and whether all of it was written; if not, a write may still hold a chunk.</returns>
    internal static async Task<(V1.Outcome Outcome, bool IsWhole)> SendAsync(
        AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call, V1.SetLargeHead head, Func<int, ValueTask<ReadOnlyMemory<byte>>> next, CancellationToken cancel)
    {
        var message = new V1.SetLargeRequest { Head = head };
        long left = (long)head.ValueBytes;
        bool isWritten;
        do
        {
            ReadOnlyMemory<byte> chunk = await next((int)long.Min(left, ClientLimits.ChunkBytes)).ConfigureAwait(false);
            message.Chunk = Google.Protobuf.UnsafeByteOperations.UnsafeWrap(chunk);
            left -= chunk.Length;
            isWritten = await TryAsync(call, call.RequestStream.WriteAsync(message, cancel)).ConfigureAwait(false);
            message = new V1.SetLargeRequest();
        }
        while (isWritten && left > 0);

        bool isWhole = isWritten && await TryAsync(call, call.RequestStream.CompleteAsync()).ConfigureAwait(false);
        return ((await call.ResponseAsync.ConfigureAwait(false)).Outcome, isWhole);
    }

    // A write that has begun as its call ends may never end: HttpClient lets go of what waits for room at that moment, and one that comes to wait just
    // after is forgotten, deadline and all (docs/decisions/0074). So the answer ends the waiting too.
    private static async Task<bool> TryAsync(AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call, Task write)
    {
        if (!write.IsCompleted && await Task.WhenAny(write, call.ResponseAsync).ConfigureAwait(false) != write && !write.IsCompleted)
        {
            // If it fails yet, that was seen.
            _ = write.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            return false;
        }

        try
        {
            await write.ConfigureAwait(false);
            return true;
        }
        catch (Exception broken) when (broken is RpcException or InvalidOperationException or OperationCanceledException || CallFailures.IsConnection(broken))
        {
            // The call has ended before all was sent, by the server, the connection, its deadline or the caller: the answer says by which.
            return false;
        }
    }
}
