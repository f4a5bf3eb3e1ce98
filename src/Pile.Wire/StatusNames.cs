// The names of gRPC's statuses, in what server and client measure and trace, by OpenTelemetry's conventions. It knows nothing of what Pile means by
// them. Compiled into the server and into the client: no library of its own.
using System.Globalization;
using Grpc.Core;

namespace Pile.Wire;

/// <summary>Names of statuses.</summary>
internal static class StatusNames
{
    /// <summary>A status as gRPC's documents write it.</summary>
    internal static string Of(StatusCode code) => code switch
    {
        StatusCode.OK => "OK",
        StatusCode.Cancelled => "CANCELLED",
        StatusCode.Unknown => "UNKNOWN",
        StatusCode.InvalidArgument => "INVALID_ARGUMENT",
        StatusCode.DeadlineExceeded => "DEADLINE_EXCEEDED",
        StatusCode.NotFound => "NOT_FOUND",
        StatusCode.AlreadyExists => "ALREADY_EXISTS",
        StatusCode.PermissionDenied => "PERMISSION_DENIED",
        StatusCode.ResourceExhausted => "RESOURCE_EXHAUSTED",
        StatusCode.FailedPrecondition => "FAILED_PRECONDITION",
        StatusCode.Aborted => "ABORTED",
        StatusCode.OutOfRange => "OUT_OF_RANGE",
        StatusCode.Unimplemented => "UNIMPLEMENTED",
        StatusCode.Internal => "INTERNAL",
        StatusCode.Unavailable => "UNAVAILABLE",
        StatusCode.DataLoss => "DATA_LOSS",
        StatusCode.Unauthenticated => "UNAUTHENTICATED",
        _ => ((int)code).ToString(CultureInfo.InvariantCulture),
    };
}
