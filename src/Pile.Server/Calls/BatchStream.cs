// One stream of batches: what has arrived is done and answered, and sent as a whole when nothing more has arrived. A batch that fails is
// answered and the stream goes on. When the server stops, batches that have arrived are answered first. A plain stream (PlainCall) is read and
// written here, message by message; one that is compressed, or has a deadline, by Grpc.AspNetCore.
using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>Streams of batches. Thread-safe.</summary>
internal sealed class BatchStream(ServerState state, BatchWork work, ReplyBudget replying, ReplyPace pace, ServerMetrics metrics, IOptions<PileServerOptions> served, ILogger<BatchStream> logger)
{
    internal const string FullName = "/" + Method;

    private const string Method = "pile.v1.Entries/Batches";

    private static readonly WriteOptions _withoutFlush = new(WriteFlags.BufferHint);

    private readonly int _messageBytesMax = served.Value.MessageBytesMax;

    /// <summary>The handler of streams.</summary>
    /// <param name="inner">That of gRPC, for streams that are not plain.</param>
    internal RequestDelegate Before(RequestDelegate inner) => context => PlainCall.Of(context.Request) is (IsPlain: true, IsTimeless: true) ? RunAsync(context) : inner(context);

    /// <summary>Runs a stream by gRPC's own reader and writer.</summary>
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
            await AnswerAsync(requests, replies, response, waiting, context, ends).ConfigureAwait(false);
        }
        finally
        {
            waiting.Give();
        }
    }

    private async Task AnswerAsync(
        IAsyncStreamReader<PackedRequest> requests, IServerStreamWriter<PackedReply> replies, HttpResponse response, Waiting waiting, ServerCallContext context, CancellationTokenSource ends)
    {
        while (true)
        {
            Task<bool> next = requests.MoveNext(ends.Token);
            if (!next.IsCompleted || response.BodyWriter.UnflushedBytes >= ServerLimits.UnflushedBytesMax)
            {
                // Waits while the client doesn't read: replies to what has arrived must not pile up, however small the requests are.
                try
                {
                    _ = await pace.FlushAsync(response, context.CancellationToken).ConfigureAwait(false);
                }
                catch
                {
                    // Not with a read under way: what it reads from is another call's as soon as this one has ended.
                    await ends.CancelAsync().ConfigureAwait(false);
                    await ((Task)next).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    throw;
                }

                waiting.Give();
            }

            bool isThere;
            try
            {
                isThere = await next.ConfigureAwait(false);
            }
            catch (Exception failure) when (failure is OperationCanceledException or RpcException { StatusCode: StatusCode.Cancelled } && !state.IsServing && !context.CancellationToken.IsCancellationRequested)
            {
                throw Stopping();
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

    private async Task RunAsync(HttpContext context)
    {
        var waiting = new Waiting(replying);
        try
        {
            PipeReader requests = context.Request.BodyReader;
            using CancellationTokenRegistration stop = state.Stopping.UnsafeRegister(static requests => ((PipeReader)requests!).CancelPendingRead(), requests);
            await AnswerAllAsync(context, requests, waiting).ConfigureAwait(false);
            PlainCall.End(context);
        }
        catch (Exception failure) when (failure is not RpcException && context.RequestAborted.IsCancellationRequested)
        {
            // The client has gone: there is nobody to be told.
        }
        catch (Exception failure)
        {
            PlainCall.Fail(context, FailureInterceptor.Told(failure, Method, mayBeDoneAgain: false, state, logger));
        }
        finally
        {
            waiting.Give();
        }
    }

    private async Task AnswerAllAsync(HttpContext context, PipeReader requests, Waiting waiting)
    {
        LiftRate(context.Features);
        PlainCall.Begin(context.Response);

        PipeWriter replies = context.Response.BodyWriter;

        // Clients may wait for headers before they send.
        _ = await replies.FlushAsync(context.RequestAborted).ConfigureAwait(false);
        while (true)
        {
            ValueTask<ReadResult> next = requests.ReadAsync(context.RequestAborted);
            if (!next.IsCompleted && replies.UnflushedBytes > 0)
            {
                // Waits while the client doesn't read, here and below: replies to what has arrived must not pile up, however small the requests are.
                try
                {
                    _ = await pace.FlushAsync(context.Response, context.RequestAborted).ConfigureAwait(false);
                }
                catch
                {
                    // Not with a read under way: what it reads from is another call's as soon as this one has ended.
                    requests.CancelPendingRead();
                    await ((Task)next.AsTask()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    throw;
                }

                waiting.Give();
            }

            ReadResult read = await next.ConfigureAwait(false);
            ReadOnlySequence<byte> rest = read.Buffer;
            while (PlainCall.TryTake(ref rest, _messageBytesMax, out ReadOnlySequence<byte> message))
            {
                PlainCall.Write(replies, Answer(PackedRequest.Read(message, PackedKind.None, ServerLimits.BatchItemsMax), waiting), isChoice: true);
                if (replies.UnflushedBytes >= ServerLimits.UnflushedBytesMax)
                {
                    _ = await pace.FlushAsync(context.Response, context.RequestAborted).ConfigureAwait(false);
                    waiting.Give();
                }
            }

            bool isHalf = !rest.IsEmpty;
            requests.AdvanceTo(rest.Start, read.Buffer.End);
            if (read.IsCompleted)
            {
                if (isHalf)
                {
                    throw CallFailure.Of(StatusCode.Internal, PileStatus.Refused, "The stream has ended within a message.");
                }

                return;
            }

            if (read.IsCanceled)
            {
                throw Stopping();
            }
        }
    }

    // A stream lives as long as its client likes, and the rate of requests is for their whole bodies.
    private static void LiftRate(IFeatureCollection features)
    {
        if (features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
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
            RpcException told = FailureInterceptor.Told(failure, Method, mayBeDoneAgain: request.Kind == PackedKind.GetMany, state, logger);
            metrics.Fail(Method, told.StatusCode);
            PackedReply reply = PackedReply.Rent();
            reply.Form = ReplyForm.Values;
            reply.Failure = new V1.BatchFailure { Id = request.Id, Code = (uint)told.StatusCode, Error = FailureInterceptor.DetailOf(told), Done = (uint)done };
            return reply;
        }
        finally
        {
            request.Return();
        }
    }

    private static RpcException Stopping() => CallFailure.Of(
        StatusCode.Unavailable, PileStatus.Disposed, "The server is stopping. What a batch without a reply asked may have been done or not.", ServerLimits.RetryAfterMs);

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
