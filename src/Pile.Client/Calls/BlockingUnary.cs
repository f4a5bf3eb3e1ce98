// A unary call by the calling thread alone, over a connection that it makes and ends: for what is asked once in a long while by callers who block a
// thread each, where the pool, on which all other unary calls run, may have none left.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Threading;
using Google.Protobuf;
using Grpc.Core;
using Pile.Client.Batching;
using Pile.Client.Http2;

namespace Pile.Client.Calls;

/// <summary>Unary calls without the pool.</summary>
internal static class BlockingUnary
{
    private const int PrefixBytes = 5;

    /// <summary>Makes a call whose reply says nothing but that it was done.</summary>
    /// <param name="link">One of <see cref="ServerLink.Blocking"/>.</param>
    /// <param name="path">The method, with its service.</param>
    /// <param name="request">The request, smaller than a frame.</param>
    /// <exception cref="PileClientException">It failed.</exception>
    internal static void Call(ServerLink link, string path, IMessage request)
    {
        using var late = new CancellationTokenSource(link.Deadline, link.Time);
        try
        {
            string? authorization = link.AuthorizationAsync(late.Token).AsTask().GetAwaiter().GetResult();
            using var call = new Http2Call(link.ConnectAsync(late.Token).GetAwaiter().GetResult(), link.Time, link.KeepAlive);
            using CancellationTokenRegistration given = late.Token.UnsafeRegister(static call => ((Http2Call)call!).Dispose(), call);
            call.Begin(BatchStream.HeadersOf(link, path, authorization));
            call.Output.Send(FrameOf(request.ToByteArray()));
            call.ReadAsync(static _ => { }, isBlocking: true).GetAwaiter().GetResult();
            if ((call.Trailers ?? call.Headers!).GetValueOrDefault("grpc-status") != "0")
            {
                throw StreamStatus.FailureOf(call.Headers!, call.Trailers, link.Endpoint);
            }
        }
        catch (Exception broken) when (broken is not PileClientException)
        {
            throw late.IsCancellationRequested
                ? CallFailures.TooLate(link.Endpoint, link.Deadline, isRetrySafe: true, broken)
                : CallFailures.Of(CallFailures.IsConnection(broken) ? StatusCode.Unavailable : StatusCode.Internal, null, broken.Message, link.Endpoint, isRetrySafe: true, broken);
        }
    }

    // The message as gRPC frames it, in the one frame of data, which ends the request.
    private static byte[] FrameOf(byte[] message)
    {
        byte[] frame = new byte[Frame.HeadBytes + PrefixBytes + message.Length];
        new Frame(FrameKind.Data, Frame.EndStream, 1, PrefixBytes + message.Length).Write(frame);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(Frame.HeadBytes + 1), message.Length);
        message.CopyTo(frame, Frame.HeadBytes + PrefixBytes);
        return frame;
    }
}
