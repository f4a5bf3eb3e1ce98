// One stream of batches: what has arrived is done and answered, and sent as a whole when nothing more has arrived. A batch that fails is
// answered and the stream goes on. When the server stops, the stream ends with the batch that is being done.
using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>Streams of batches. Thread-safe.</summary>
internal sealed class BatchStream(ServerState state, BatchWork work, ReplyBudget replying, ServerMetrics metrics, ILogger<BatchStream> logger)
{
    private static readonly WriteOptions _withoutFlush = new(WriteFlags.BufferHint);

    internal async Task RunAsync(IAsyncStreamReader<PackedRequest> requests, IServerStreamWriter<PackedReply> replies, ServerCallContext context)
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, state.Stopping);
        replies.WriteOptions = _withoutFlush;
        HttpResponse response = context.GetHttpContext().Response;

        // Clients may wait for headers before they send.
        await response.StartAsync(context.CancellationToken).ConfigureAwait(false);
        var waiting = new Waiting(replying);
        try
        {
            await AnswerAsync(requests, replies, response, waiting, context, ends.Token).ConfigureAwait(false);
        }
        finally
        {
            waiting.Give();
        }
    }

    private async Task AnswerAsync(
        IAsyncStreamReader<PackedRequest> requests, IServerStreamWriter<PackedReply> replies, HttpResponse response, Waiting waiting, ServerCallContext context, CancellationToken ends)
    {
        while (true)
        {
            Task<bool> next = requests.MoveNext(ends);
            if (!next.IsCompleted || response.BodyWriter.UnflushedBytes >= ServerLimits.UnflushedBytesMax)
            {
                // Waits while the client doesn't read: replies to what has arrived must not pile up, however small the requests are.
                _ = await response.BodyWriter.FlushAsync(context.CancellationToken).ConfigureAwait(false);
                waiting.Give();
            }

            bool isThere;
            try
            {
                isThere = await next.ConfigureAwait(false);
            }
            catch (Exception failure) when (failure is OperationCanceledException or RpcException { StatusCode: StatusCode.Cancelled } && !state.IsServing && !context.CancellationToken.IsCancellationRequested)
            {
                throw CallFailure.Of(StatusCode.Unavailable, PileStatus.Disposed, "The server is stopping. What a batch without a reply asked may have been done or not.", ServerLimits.RetryAfterMs);
            }

            if (!isThere)
            {
                // A call that was cancelled before it read on ends here too: it has failed.
                context.CancellationToken.ThrowIfCancellationRequested();
                return;
            }

            await replies.WriteAsync(Answer(requests.Current, waiting), context.CancellationToken).ConfigureAwait(false);
        }
    }

    private PackedReply Answer(PackedRequest request, Waiting waiting)
    {
        int done = 0;
        PackedReply? answer = null;
        try
        {
            answer = work.Do(request, out done);
            waiting.Take(answer.Values.Length);
            return answer;
        }
        catch (Exception failure)
        {
            answer?.Return();
            RpcException told = FailureInterceptor.Told(failure, "pile.v1.Entries/Batches", state, logger);
            metrics.Fail("pile.v1.Entries/Batches", told.StatusCode);
            PackedReply reply = PackedReply.Rent();
            reply.Failure = new V1.BatchFailure { Id = request.Id, Code = (uint)told.StatusCode, Error = FailureInterceptor.DetailOf(told), Done = (uint)done };
            return reply;
        }
        finally
        {
            request.Return();
        }
    }

    /// <summary>What replies of a stream that are not sent yet count for.</summary>
    private sealed class Waiting(ReplyBudget budget)
    {
        private long _counted;

        internal void Take(long bytes)
        {
            long counted = ReplyBudget.CountedOf(bytes);
            budget.Take(counted);
            _counted += counted;
        }

        internal void Give()
        {
            budget.Give(_counted);
            _counted = 0;
        }
    }
}
