// A call of gRPC with nothing in it but uncompressed messages, on HTTP/2 itself: the head of five bytes before each message, and a status in
// the trailers. All else that the protocol has is Grpc.AspNetCore's, which gets every call that is not plain.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>The gRPC protocol of plain calls.</summary>
internal static class PlainCall
{
    private const int HeadBytes = 5;
    private const string ContentType = "application/grpc";
    private const string Identity = "identity";

    /// <summary>Whether a call's messages are as they are, and whether it may take as long as it likes.</summary>
    internal static (bool IsPlain, bool IsTimeless) Of(HttpRequest request)
    {
        IHeaderDictionary headers = request.Headers;
        bool isPlain = HttpProtocol.IsHttp2(request.Protocol)
            && request.ContentType is ContentType or ContentType + "+proto"
            && (headers.GrpcEncoding.Count == 0 || headers.GrpcEncoding == Identity);
        return (isPlain, headers.GrpcTimeout.Count == 0);
    }

    /// <summary>Why the packing of a call's messages is not taken, or null. gRPC itself takes all that any service of the host does, with no bounds of the server's.</summary>
    internal static RpcException? PackingRefusal(HttpRequest request)
    {
        StringValues packing = request.Headers.GrpcEncoding;
        if (packing.Count == 0 || packing == Identity || packing == BoundedGzip.Name)
        {
            return null;
        }

        RpcException refusal = CallFailure.Of(StatusCode.Unimplemented, PileStatus.Refused, $"Messages may be packed by {BoundedGzip.Name}, or not at all.");
        refusal.Trailers.Add("grpc-accept-encoding", $"{Identity},{BoundedGzip.Name}");
        return refusal;
    }

    /// <summary>Takes the next message of what has come.</summary>
    /// <param name="rest">What has come; then what is behind the message.</param>
    /// <param name="bytesMax">Bytes that a message may have.</param>
    /// <param name="message">The message.</param>
    /// <returns>False when it has not come as a whole.</returns>
    /// <exception cref="RpcException">It is longer than allowed, or compressed.</exception>
    internal static bool TryTake(ref ReadOnlySequence<byte> rest, long bytesMax, out ReadOnlySequence<byte> message)
    {
        message = default;
        if (rest.Length < HeadBytes)
        {
            return false;
        }

        Span<byte> head = stackalloc byte[HeadBytes];
        rest.Slice(0, HeadBytes).CopyTo(head);
        if (head[0] != 0)
        {
            throw CallFailure.Of(StatusCode.Internal, PileStatus.Refused, "A message says that it is compressed, and the call has no grpc-encoding.");
        }

        uint length = BinaryPrimitives.ReadUInt32BigEndian(head[1..]);
        RequireLength(length, bytesMax);
        if (rest.Length - HeadBytes < length)
        {
            return false;
        }

        message = rest.Slice(HeadBytes, length);
        rest = rest.Slice(message.End);
        return true;
    }

    /// <summary>Reads how long a message says that it is.</summary>
    /// <returns>False when not so much of it has come.</returns>
    internal static bool TryReadLength(in ReadOnlySequence<byte> message, out uint length)
    {
        length = 0;
        if (message.Length < HeadBytes)
        {
            return false;
        }

        Span<byte> head = stackalloc byte[HeadBytes];
        message.Slice(0, HeadBytes).CopyTo(head);
        length = BinaryPrimitives.ReadUInt32BigEndian(head[1..]);
        return true;
    }

    /// <summary>Refuses a message by the length that it says, before memory is taken for it.</summary>
    /// <exception cref="RpcException">It is longer than allowed.</exception>
    internal static void RequireLength(uint length, long bytesMax)
    {
        if (length > bytesMax)
        {
            throw CallFailure.TooLarge($"A message has {length:N0} bytes; at most {bytesMax:N0} are allowed (MessageBytesMax). Send less at once, or by SetLarge.");
        }
    }

    /// <summary>Says what the reply is. Before its first message.</summary>
    internal static void Begin(HttpResponse response) => response.ContentType = ContentType;

    /// <summary>Writes a message, and gives the reply back.</summary>
    internal static void Write(PipeWriter target, PackedReply reply, bool isChoice)
    {
        int bytes = reply.CountBytes(isChoice);
        Span<byte> head = stackalloc byte[HeadBytes];
        head[0] = 0;
        BinaryPrimitives.WriteInt32BigEndian(head[1..], bytes);
        reply.Write(target, isChoice, head);
    }

    /// <summary>Ends a call that was done.</summary>
    internal static void End(HttpContext context) => TrailersOf(context).GrpcStatus = "0";

    /// <summary>Ends a call that was not: by headers alone ("trailers-only") where nothing was sent, else by trailers.</summary>
    internal static void Fail(HttpContext context, RpcException told)
    {
        HttpResponse response = context.Response;
        bool isAlone = !response.HasStarted;
        IHeaderDictionary headers = isAlone ? response.Headers : TrailersOf(context);
        if (isAlone)
        {
            Begin(response);
        }

        headers.GrpcStatus = ((int)told.StatusCode).ToString(CultureInfo.InvariantCulture);
        headers.GrpcMessage = Encoded(told.Status.Detail);
        foreach (Metadata.Entry entry in told.Trailers)
        {
            headers[entry.Key] = entry.IsBinary ? Convert.ToBase64String(entry.ValueBytes).TrimEnd('=') : entry.Value;
        }
    }

    /// <summary>How a call has ended that was answered, here or by gRPC; CANCELLED where nobody was told.</summary>
    internal static StatusCode StatusOf(HttpContext context)
    {
        string? text = context.Features.Get<IHttpResponseTrailersFeature>()?.Trailers.GrpcStatus;
        text = string.IsNullOrEmpty(text) ? context.Response.Headers.GrpcStatus : text;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? (StatusCode)number : StatusCode.Cancelled;
    }

    private static IHeaderDictionary TrailersOf(HttpContext context) => context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers;

    private static string Encoded(string text)
    {
        var encoded = new StringBuilder();
        foreach (byte part in Encoding.UTF8.GetBytes(text))
        {
            _ = part is >= 0x20 and < 0x7F and not (byte)'%' ? encoded.Append((char)part) : encoded.Append(CultureInfo.InvariantCulture, $"%{part:X2}");
        }

        return encoded.ToString();
    }
}
