// The exception of every call that failed: what the server said, or that it could not be reached in time. Argument mistakes are the
// framework's exceptions, a cancelled call is OperationCanceledException, a disposed client ObjectDisposedException.
using System;
using Grpc.Core;

namespace Pile.Client;

/// <summary>A call that failed.</summary>
public sealed class PileClientException : Exception
{
    /// <summary>Makes the exception.</summary>
    /// <param name="message">What went wrong, and the way out.</param>
    /// <param name="code">The status of gRPC.</param>
    /// <param name="status">What the server said, or null where it said nothing.</param>
    /// <param name="endpoint">The server's address.</param>
    /// <param name="isRetrySafe">Whether the same call can be made again without doing anything twice.</param>
    /// <param name="innerException">The cause, or null.</param>
    public PileClientException(string message, StatusCode code, PileStatus? status, string endpoint, bool isRetrySafe, Exception? innerException = null)
        : base(message, innerException)
    {
        Code = code;
        Status = status;
        Endpoint = endpoint;
        IsRetrySafe = isRetrySafe;
    }

    /// <summary>The status of gRPC: UNAVAILABLE where the server can't be reached, DEADLINE_EXCEEDED where it was too slow.</summary>
    public StatusCode Code { get; }

    /// <summary>What the server said. Null where no server of Pile's has answered.</summary>
    public PileStatus? Status { get; }

    /// <summary>The server's address.</summary>
    public string Endpoint { get; }

    /// <summary>Whether the same call can be made again: it can't have been done, or doing it twice comes to the same.</summary>
    public bool IsRetrySafe { get; }

    /// <summary>When the server said to try again, or null.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Whether the server takes no message of the request's size.</summary>
    internal bool IsMessageTooLarge { get; init; }
}
