// From what went wrong to what a client is told: a gRPC status, the number that Pile has for it everywhere, a sentence, and when to try
// again. Nothing that is told or logged holds a key or a value.
using System;
using System.Globalization;
using Google.Protobuf;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>Failures of calls.</summary>
internal static class CallFailure
{
    /// <summary>The trailer that has the ErrorDetail.</summary>
    internal const string DetailTrailer = "pile-error-bin";

    /// <summary>The trailer by which gRPC clients that try again by themselves know when.</summary>
    internal const string RetryTrailer = "grpc-retry-pushback-ms";

    /// <summary>A failure that a client is told.</summary>
    internal static RpcException Of(StatusCode code, PileStatus status, string text, int retryAfterMs = 0)
    {
        var trailers = new Metadata { { DetailTrailer, DetailOf(status, text, retryAfterMs).ToByteArray() } };
        if (retryAfterMs > 0)
        {
            trailers.Add(RetryTrailer, retryAfterMs.ToString(CultureInfo.InvariantCulture));
        }

        return new RpcException(new Status(code, text), trailers);
    }

    /// <summary>What went beyond a limit of the server for the moment.</summary>
    internal static RpcException Busy(string text) => Of(StatusCode.ResourceExhausted, PileStatus.Busy, text, ServerLimits.RetryAfterMs);

    /// <summary>What finds no memory before anything is done.</summary>
    internal static RpcException NoMemory(long bytes) => Busy($"The server has no memory for {bytes:N0} bytes at the moment. Try again, or give its process more.");

    /// <summary>What is beyond a limit as it is.</summary>
    internal static RpcException TooLarge(string text) => Of(StatusCode.ResourceExhausted, PileStatus.TooLarge, text);

    /// <summary>What can't be asked so.</summary>
    internal static RpcException Refused(string text) => Of(StatusCode.InvalidArgument, PileStatus.Refused, text);

    /// <summary>The detail of a failure.</summary>
    internal static V1.ErrorDetail DetailOf(PileStatus status, string text, int retryAfterMs) =>
        new() { Status = (V1.PileStatus)(int)status, Text = text, RetryAfterMs = (ulong)retryAfterMs };

    /// <summary>The failure that an exception is, or null for one that no call should meet.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="isServing">Whether the server is not stopping.</param>
    /// <param name="mayBeDoneAgain">Whether the call is none that stores. Without memory it is to be tried again; a store may have been done by then, and
    /// says <see cref="NoMemory"/> itself before it begins.</param>
    internal static RpcException? From(Exception exception, bool isServing, bool mayBeDoneAgain = false) => exception switch
    {
        RpcException told => told,
        PileException pile => Of(CodeOf(pile.Status), pile.Status, Line(pile.Message)),
        ObjectDisposedException when isServing => Of(StatusCode.NotFound, PileStatus.Disposed, "The table was dropped while the call was made."),
        ObjectDisposedException or OperationCanceledException when !isServing => Of(StatusCode.Unavailable, PileStatus.Disposed, "The server is stopping. Try another one, or this one when it is there again.", ServerLimits.RetryAfterMs),
        OperationCanceledException => Of(StatusCode.Cancelled, PileStatus.Refused, "The call was cancelled."),
        ArgumentException mistake => Refused(Line(mistake.ParamName is null ? mistake.Message : mistake.Message.Replace($" (Parameter '{mistake.ParamName}')", "", StringComparison.Ordinal))),
        OutOfMemoryException when mayBeDoneAgain => Busy("The server has no memory for the answer at the moment. Try again, ask for less at once, or give its process more."),
        InvalidProtocolBufferException malformed => Refused($"The message is no protobuf message: {Line(malformed.Message)}"),
        _ => null,
    };

    /// <summary>The gRPC status of an outcome that is an error.</summary>
    internal static StatusCode CodeOf(PileStatus status) => status switch
    {
        PileStatus.Ok => StatusCode.OK,
        PileStatus.Stale => StatusCode.NotFound,
        PileStatus.Full or PileStatus.TooLarge => StatusCode.ResourceExhausted,
        PileStatus.Corrupted => StatusCode.DataLoss,
        PileStatus.Disposed or PileStatus.Busy => StatusCode.Unavailable,
        PileStatus.Conflict => StatusCode.Aborted,
        PileStatus.Refused or PileStatus.UnknownType or PileStatus.DestinationTooSmall => StatusCode.InvalidArgument,
        _ => StatusCode.FailedPrecondition,
    };

    private static string Line(string text) => text.ReplaceLineEndings(" ");
}
