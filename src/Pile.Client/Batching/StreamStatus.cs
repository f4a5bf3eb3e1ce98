// How a stream that gRPC's own client did not make has ended: by its trailers, or by headers alone where it never began, or as HTTP has it
// where no gRPC has answered. Source: the public HTTP/2 mapping of gRPC.
using System;
using System.Collections.Generic;
using System.Globalization;
using Google.Protobuf;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>Ends of streams.</summary>
internal static class StreamStatus
{
    /// <summary>The failure with which a stream has ended. A stream of batches has no good end: the server ends it when it stops.</summary>
    /// <param name="headers">The headers that came first.</param>
    /// <param name="trailers">Those that came last, or null where there was one block alone.</param>
    /// <param name="endpoint">The server's address.</param>
    internal static PileClientException FailureOf(Dictionary<string, string> headers, Dictionary<string, string>? trailers, string endpoint)
    {
        string status = headers.GetValueOrDefault(":status", "");
        if (status != "200")
        {
            return CallFailures.Of(CodeOf(status), null, $"HTTP {status}", endpoint, isRetrySafe: true, cause: null);
        }

        Dictionary<string, string> from = headers.ContainsKey("grpc-status") ? headers : trailers ?? headers;
        StatusCode code = int.TryParse(from.GetValueOrDefault("grpc-status"), NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number is > 0 and <= 16 ? (StatusCode)number : StatusCode.Unavailable;
        string text = Uri.UnescapeDataString(from.GetValueOrDefault("grpc-message", "it has ended the stream."));
        return CallFailures.Of(code, DetailOf(from.GetValueOrDefault(ClientLimits.DetailTrailer)), text, endpoint, isRetrySafe: true, cause: null);
    }

    private static StatusCode CodeOf(string status) => status switch
    {
        "400" => StatusCode.Internal,
        "401" => StatusCode.Unauthenticated,
        "403" => StatusCode.PermissionDenied,
        "404" => StatusCode.Unimplemented,
        "429" or "502" or "503" or "504" => StatusCode.Unavailable,
        _ => StatusCode.Unknown,
    };

    private static V1.ErrorDetail? DetailOf(string? text)
    {
        // Sent without padding, or with it.
        string padded = (text ?? "").TrimEnd('=');
        padded += new string('=', (4 - (padded.Length % 4)) % 4);
        byte[] bytes = new byte[padded.Length];
        if (padded.Length == 0 || !Convert.TryFromBase64String(padded, bytes, out int count))
        {
            return null;
        }

        try
        {
            return V1.ErrorDetail.Parser.ParseFrom(bytes, 0, count);
        }
        catch (InvalidProtocolBufferException)
        {
            // The status counts by itself: what stands beside it is no detail then.
            return null;
        }
    }
}
