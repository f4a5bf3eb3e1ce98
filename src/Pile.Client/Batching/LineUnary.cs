// What a line does by calls of their own: batches of a client who may not have streams (they need Read and Write), and reads of values that
// are beyond one message.
using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>Batches by unary calls. Thread-safe.</summary>
internal sealed class LineUnary(ServerLink link)
{
    /// <summary>Does a batch and answers its calls. It is tried once: who tries again leaves out the calls that have ended.</summary>
    /// <exception cref="PileClientException">It failed; no call was answered.</exception>
    internal async Task SendAsync(ItemBatch batch, CancellationToken cancel)
    {
        V1.BatchRequest request = RequestOf(batch);
        if (batch.Kind == BatchKind.Get)
        {
            V1.ValueBatch values = await link.OnceAsync(link.Entries.GetManyAsync, request.Get, isIdempotent: true, link.Deadline, cancel).ConfigureAwait(false);
            Give(new V1.BatchReply { Values = values }, batch);
            return;
        }

        V1.OutcomeBatch outcomes = batch.Kind == BatchKind.Set
            ? await link.OnceAsync(link.Entries.SetManyAsync, request.Set, isIdempotent: true, link.Deadline, cancel).ConfigureAwait(false)
            : await link.OnceAsync(link.Entries.RemoveManyAsync, request.Remove, isIdempotent: true, link.Deadline, cancel).ConfigureAwait(false);
        Give(new V1.BatchReply { Outcomes = outcomes }, batch);
    }

    /// <summary>Reads the one value of a batch in chunks. It does not fail: the call does.</summary>
    internal async Task GetLargeAsync(ItemBatch batch, CancellationToken cancel)
    {
        PendingItem item = batch.Items[0];
        try
        {
            byte[]? value = await LargeCalls.GetAsync(link, batch.Table, batch.KeyOf(0), item.BeganAt, cancel).ConfigureAwait(false);
            item.Answer(value is not null, value);
        }
        catch (Exception failure)
        {
            item.Fail(failure is OperationCanceledException ? new ObjectDisposedException(nameof(PileClient)) : failure);
        }
        finally
        {
            batch.Return();
        }
    }

    private static V1.BatchRequest RequestOf(ItemBatch batch)
    {
        // The same bytes as on a stream, behind the frame's prefix.
        var buffer = new ArrayBufferWriter<byte>();
        batch.WriteTo(buffer);
        return V1.BatchRequest.Parser.ParseFrom(buffer.WrittenSpan[5..]);
    }

    private void Give(V1.BatchReply reply, ItemBatch batch)
    {
        byte[] message = Google.Protobuf.MessageExtensions.ToByteArray(reply);
        var answer = new BatchAnswer();
        answer.Read(message);
        if (!answer.TryGive(message, batch, link.Endpoint))
        {
            throw ManyCalls.Wrong(link, "it does not fit to what was asked");
        }
    }
}
