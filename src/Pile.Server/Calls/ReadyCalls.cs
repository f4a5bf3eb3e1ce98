// Calls whose one message is there as a whole when they begin, as small ones are: done at once on the thread that begins them, with nothing
// made for them that lives on. A call that is anything else goes to Grpc.AspNetCore, with nothing taken from it.
using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>Calls that are done at once. Thread-safe.</summary>
internal sealed class ReadyCalls(ServerState state, BatchWork work, ReplyBudget replies, ServerMetrics metrics, ILogger<ReadyCalls> logger)
{
    /// <summary>Does a call, if it can be done at once.</summary>
    /// <param name="context">The call, admitted by the gate.</param>
    /// <param name="kind">What its request is.</param>
    /// <param name="method">Its name.</param>
    /// <returns>Whether it was done, or has failed.</returns>
    internal bool TryServe(HttpContext context, PackedKind kind, string method)
    {
        if (!PlainCall.Of(context.Request).IsPlain)
        {
            return false;
        }

        PipeReader body = context.Request.BodyReader;
        ReadResult read;
        try
        {
            if (!body.TryRead(out read))
            {
                return false;
            }
        }
        catch (IOException)
        {
            // The client has gone already.
            metrics.Fail(method, StatusCode.Cancelled);
            return true;
        }

        // What is longer is counted against the receive budget, and waits for that elsewhere.
        ReadOnlySequence<byte> rest = read.Buffer;
        if (!read.IsCompleted || rest.Length > ServerLimits.ReceiveFreeBytes || rest.IsEmpty || rest.FirstSpan[0] != 0
            || !PlainCall.TryTake(ref rest, long.MaxValue, out ReadOnlySequence<byte> message) || !rest.IsEmpty)
        {
            body.AdvanceTo(read.Buffer.Start);
            return false;
        }

        try
        {
            PackedReply reply = replies.Counted(context, Do(message, kind));
            PlainCall.Begin(context.Response);
            PlainCall.Write(context.Response.BodyWriter, reply, isChoice: false);
            PlainCall.End(context);
        }
        catch (Exception failure)
        {
            RpcException told = FailureInterceptor.Told(failure, method, CalledMethod.MayBeDoneAgain(method), state, logger);
            metrics.Fail(method, told.StatusCode);
            PlainCall.Fail(context, told);
        }
        finally
        {
            body.AdvanceTo(read.Buffer.End);
        }

        return true;
    }

    private PackedReply Do(in ReadOnlySequence<byte> message, PackedKind kind)
    {
        var request = PackedRequest.Read(message, kind, ServerLimits.BatchItemsMax);
        try
        {
            return work.Do(request, out _);
        }
        finally
        {
            request.Return();
        }
    }
}
