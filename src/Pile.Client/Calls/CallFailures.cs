// From what gRPC threw to what callers are told: the server's own sentence where it has sent one, and whether the call may be made again.
// A call that the server has refused has done nothing; of one that got no answer nobody knows.
using System;
using System.IO;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Authentication;
using Google.Protobuf;
using Grpc.Core;
using Pile.Client.Http2;

namespace Pile.Client.Calls;

/// <summary>Failures of calls.</summary>
internal static class CallFailures
{
    // How the server begins to say that one message is too long. Batches, which are no calls of gRPC's here, are told what it says of them.
    private const string MessageTooLong = "A message has ";

    /// <summary>The failure of a call.</summary>
    /// <param name="failure">What gRPC threw.</param>
    /// <param name="endpoint">The server's address.</param>
    /// <param name="isIdempotent">Whether the call may be done twice.</param>
    internal static PileClientException Of(RpcException failure, string endpoint, bool isIdempotent)
    {
        V1.ErrorDetail? detail = DetailOf(failure.Trailers);
        StatusCode code = IsLost(failure) ? StatusCode.Unavailable : failure.StatusCode;
        bool isUndone = (detail is not null && IsRefusal(failure.StatusCode, detail)) || IsUnsent(failure.Status.DebugException);
        return Of(code, detail, failure.Status.Detail, endpoint, isIdempotent || isUndone, failure);
    }

    /// <summary>A failure that the server has described, or not.</summary>
    internal static PileClientException Of(StatusCode code, V1.ErrorDetail? detail, string text, string endpoint, bool isRetrySafe, Exception? cause)
    {
        string said = detail is { Text.Length: > 0 } ? detail.Text : text;
        bool isMessageTooLarge = code == StatusCode.ResourceExhausted
            && (detail is null || (cause is RpcException && detail.Status == V1.PileStatus.TooLarge && said.StartsWith(MessageTooLong, StringComparison.Ordinal)));
        string message = code switch
        {
            _ when detail is null && Untrusted(cause) is { } reason =>
                $"No TLS with the server at {endpoint}: {reason.TrimEnd('.')}. Look at the address, at Tls.AuthorityFile (who has signed its certificate), and at Tls.CertificateFile where it asks for one.",
            StatusCode.Unavailable when detail is null => $"The server at {endpoint} can't be reached: {SpeaksOtherwise(cause, endpoint) ?? Reason(cause) ?? said}",
            StatusCode.DeadlineExceeded when detail is null => $"The server at {endpoint} did not answer in time. Give the call a longer deadline, or look what keeps the server.",
            StatusCode.Unimplemented when detail is null => $"The server at {endpoint} does not serve this call ({said}): is it a pile-server, and new enough?",
            _ when isMessageTooLarge =>
                $"The server at {endpoint} takes no message of this size ({said}). Raise its MessageBytesMax; values of more than {ClientLimits.WholeValueBytesMax:N0} bytes go in chunks, unless they are stored under a condition or a lease.",
            _ => said.Length > 0 ? said : $"The server at {endpoint} ended the call with {code}.",
        };
        return new PileClientException(message, code, detail is null ? null : (PileStatus)(int)detail.Status, endpoint, isRetrySafe, cause)
        {
            IsMessageTooLarge = isMessageTooLarge,
            RetryAfter = detail is { RetryAfterMs: > 0 } ? TimeSpan.FromMilliseconds(ulong.Min(detail.RetryAfterMs, 60_000)) : null,
        };
    }

    /// <summary>The same failure for another caller: the stack of an exception that is thrown twice is nobody's.</summary>
    internal static PileClientException Copy(PileClientException told) => new(told.Message, told.Code, told.Status, told.Endpoint, told.IsRetrySafe, told.InnerException)
    {
        IsMessageTooLarge = told.IsMessageTooLarge,
        RetryAfter = told.RetryAfter,
    };

    /// <summary>A call whose time was over.</summary>
    internal static PileClientException TooLate(string endpoint, TimeSpan deadline, bool isRetrySafe, Exception? cause) => new(
        $"The server at {endpoint} did not answer within {deadline.TotalSeconds:0.###} s (Deadline). Give its calls a longer one, or look what keeps the server.", StatusCode.DeadlineExceeded, null, endpoint, isRetrySafe, cause);

    /// <summary>A call whose time was over before there was a connection.</summary>
    /// <param name="deadline">Its time.</param>
    /// <param name="lost">Why the last connection did not come about, or was lost.</param>
    internal static PileClientException Unreached(TimeSpan deadline, PileClientException lost) => new(
        $"No connection came about within {deadline.TotalSeconds:0.###} s (Deadline). {lost.Message}", StatusCode.Unavailable, lost.Status, lost.Endpoint, isRetrySafe: true, lost);

    /// <summary>A store without room. Its answer within a batch says no more than that.</summary>
    internal static PileClientException Full(string endpoint) => new(
        $"The server at {endpoint} has no room for the value, and to evict others gives it none. What its key had is as it was. Remove entries, raise its memory limit, or free space on the device of its files, where its log says that this is low.",
        StatusCode.ResourceExhausted, PileStatus.Full, endpoint, isRetrySafe: true);

    /// <summary>Whether the same call may succeed a moment later.</summary>
    internal static bool IsPassing(PileClientException failure) => failure.Code switch
    {
        StatusCode.Unavailable or StatusCode.Aborted => true,
        StatusCode.ResourceExhausted => failure.RetryAfter is not null,
        _ => false,
    };

    /// <summary>Whether the server has said no before it did anything. What nobody has foreseen, what came too late and what met damage or a device
    /// that fails may have been done in part.</summary>
    private static bool IsRefusal(StatusCode code, V1.ErrorDetail detail) => (PileStatus)(int)detail.Status != PileStatus.Poisoned && code is
        StatusCode.InvalidArgument or StatusCode.NotFound or StatusCode.AlreadyExists or StatusCode.FailedPrecondition or StatusCode.OutOfRange or StatusCode.Aborted
        or StatusCode.ResourceExhausted or StatusCode.Unauthenticated or StatusCode.PermissionDenied or StatusCode.Unavailable or StatusCode.Unimplemented;

    /// <summary>Whether the connection was lost under a call, or the server had enough of it. Of one that went silent, that a server closed at its stop, or
    /// that ended before HTTP/2 began on it, gRPC says that something internal failed; of one with too many streams, that a resource is used up.</summary>
    internal static bool IsLost(RpcException failure)
    {
        bool isOfConnection = false;
        for (Exception? cause = failure.Status.DebugException; cause is not null && !isOfConnection; cause = cause.InnerException)
        {
            // Of one that ends as HTTP/2 begins on it the framework has no name for what went wrong.
            isOfConnection = cause is IOException or HttpRequestException { HttpRequestError: HttpRequestError.InvalidResponse or HttpRequestError.Unknown };
        }

        return failure.StatusCode == StatusCode.Unavailable
            || (failure.StatusCode is StatusCode.Internal or StatusCode.ResourceExhausted && isOfConnection && DetailOf(failure.Trailers) is null);
    }

    /// <summary>Whether a connection failed before anything was sent over it.</summary>
    internal static bool IsUnsent(Exception? cause) => cause is HttpRequestException
    {
        HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError or HttpRequestError.VersionNegotiationError,
    };

    /// <summary>Whether this is how connections fail.</summary>
    internal static bool IsConnection(Exception cause) => cause is HttpRequestException or IOException or SocketException or AuthenticationException;

    /// <summary>What the server said, or null.</summary>
    internal static V1.ErrorDetail? DetailOf(Metadata trailers)
    {
        if (trailers.Get(ClientLimits.DetailTrailer) is not { IsBinary: true } entry)
        {
            return null;
        }

        try
        {
            return V1.ErrorDetail.Parser.ParseFrom(entry.ValueBytes);
        }
        catch (InvalidProtocolBufferException)
        {
            // The status of gRPC counts by itself: what stands beside it is no detail then.
            return null;
        }
    }

    // How TLS has failed, or null: gRPC says only that an inner exception knows.
    private static string? Untrusted(Exception? cause)
    {
        for (Exception? inner = (cause as RpcException)?.Status.DebugException ?? cause; inner is not null; inner = inner.InnerException)
        {
            if (inner is AuthenticationException)
            {
                return inner.Message;
            }
        }

        return null;
    }

    // Who ends a connection before the first word of HTTP/2 mostly speaks something else; null where it ended otherwise.
    private static string? SpeaksOtherwise(Exception? cause, string endpoint)
    {
        for (Exception? inner = (cause as RpcException)?.Status.DebugException ?? cause; inner is not null; inner = inner.InnerException)
        {
            if (inner is HttpProtocolException { ErrorCode: Http2Call.Http11Required })
            {
                return Http2Call.IsHttp11;
            }

            if (inner.Message == Http2Call.NothingHeard || inner is HttpIOException { HttpRequestError: HttpRequestError.InvalidResponse, InnerException: HttpIOException { HttpRequestError: HttpRequestError.ResponseEnded } })
            {
                return Http2Call.NothingHeard + (endpoint.StartsWith("http:", StringComparison.Ordinal) ? " Does it listen by TLS (https://)?"
                    : endpoint.StartsWith("https:", StringComparison.Ordinal) ? " Where it asks for a certificate, look at Tls.CertificateFile; its log says why."
                    : "");
            }
        }

        return null;
    }

    // The innermost reason is the one that helps: "Connection refused" rather than "An error occurred while sending the request." What the framework
    // has disposed of when the connection was lost is none: it sounds as if the client had been.
    private static string? Reason(Exception? cause)
    {
        Exception? inner = cause is RpcException rpc ? rpc.Status.DebugException : cause;
        while (inner?.InnerException is not null and not ObjectDisposedException)
        {
            inner = inner.InnerException;
        }

        return inner?.Message;
    }
}
