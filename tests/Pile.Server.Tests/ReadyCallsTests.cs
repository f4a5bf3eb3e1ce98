using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Pile.Server.Packed;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Calls that are done at once, and those that are left to gRPC as they came.</summary>
public sealed class ReadyCallsTests
{
    private static readonly byte[] _get = Framed(new V1.GetRequest { Key = Batches.Bytes("a") });

    [Fact]
    public async Task CallsWithOneWholeMessageAreDone()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.EntryVersion seen = new();
        Assert.Equal(V1.Outcome.Inserted, Done(server, PackedKind.Set, new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("1") }, V1.SetReply.Parser).Outcome);
        Assert.Equal(V1.Outcome.Replaced, Done(server, PackedKind.Set, new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("2"), When = V1.SetWhen.Present }, V1.SetReply.Parser).Outcome);
        Assert.Equal(V1.Outcome.Refused, Done(server, PackedKind.Set, new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("3"), When = V1.SetWhen.Absent }, V1.SetReply.Parser).Outcome);
        Assert.Equal("2", Done(server, PackedKind.Get, new V1.GetRequest { Key = Batches.Bytes("a") }, V1.GetReply.Parser).Value.ToStringUtf8());
        V1.GetReply told = Done(server, PackedKind.Get, new V1.GetRequest { Key = Batches.Bytes("a"), WantVersion = true }, V1.GetReply.Parser);
        Assert.True(told.Found && told.Version.Number != seen.Number);
        Assert.Equal<string?[]>(["2"], Batches.Values(Done(server, PackedKind.GetMany, Batches.Get(1, "a"), V1.ValueBatch.Parser)));
        Assert.Equal(V1.Outcome.Removed, Done(server, PackedKind.Remove, new V1.RemoveRequest { Key = Batches.Bytes("a") }, V1.RemoveReply.Parser).Outcome);
        Assert.Equal(V1.Outcome.Missing, Done(server, PackedKind.Remove, new V1.RemoveRequest { Key = Batches.Bytes("a") }, V1.RemoveReply.Parser).Outcome);
        Assert.False(Done(server, PackedKind.Get, new V1.GetRequest { Key = Batches.Bytes("a") }, V1.GetReply.Parser).Found);
    }

    [Theory]
    [InlineData("nothing has come")]
    [InlineData("half a head")]
    [InlineData("half a message")]
    [InlineData("two messages")]
    [InlineData("compressed")]
    [InlineData("more is to come")]
    [InlineData("gzip")]
    [InlineData("HTTP/1.1")]
    [InlineData("text/plain")]
    public async Task WhatIsNotPlainAndWholeIsLeftAsItCame(string what)
    {
        await using TestServer server = await TestServer.StartAsync();
        byte[] body = what switch
        {
            "nothing has come" => [],
            "half a head" => _get[..3],
            "half a message" => _get[..^1],
            "two messages" => [.. _get, .. _get],
            "compressed" => [1, .. _get[1..]],
            _ => _get,
        };
        DefaultHttpContext context = Call(body, isWhole: what is not "more is to come" and not "nothing has come");
        context.Request.Headers.GrpcEncoding = what == "gzip" ? what : default;
        context.Request.Protocol = what == "HTTP/1.1" ? what : "HTTP/2";
        context.Request.ContentType = what == "text/plain" ? what : "application/grpc";

        Assert.False(server.Services.GetRequiredService<ReadyCalls>().TryServe(context, PackedKind.Get, "pile.v1.Entries/Get"));
        Assert.Equal(0, context.Response.BodyWriter.UnflushedBytes);
        Assert.Empty(context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers);
        if (body.Length > 0)
        {
            ReadResult read = await context.Request.BodyReader.ReadAsync(TestContext.Current.CancellationToken);
            Assert.Equal(body, read.Buffer.ToArray());
        }
    }

    [Fact]
    public async Task ACallThatFailsHasItsStatusInItsHeaders()
    {
        await using TestServer server = await TestServer.StartAsync();
        long failedBefore = server.Services.GetRequiredService<ServerMetrics>().FailedCalls;
        DefaultHttpContext context = Call(Framed(new V1.GetRequest { Key = Batches.Bytes("a"), Table = "n\u00f6ne" }), isWhole: true);
        Assert.True(server.Services.GetRequiredService<ReadyCalls>().TryServe(context, PackedKind.Get, "pile.v1.Entries/Get"));

        Assert.Equal("5", context.Response.Headers.GrpcStatus);
        Assert.StartsWith("There is no table 'n%C3%B6ne'.", context.Response.Headers.GrpcMessage, StringComparison.Ordinal);
        string detail = context.Response.Headers["pile-error-bin"]!;
        Assert.Equal(V1.PileStatus.Refused, V1.ErrorDetail.Parser.ParseFrom(Convert.FromBase64String(detail.PadRight((detail.Length + 3) / 4 * 4, '='))).Status);
        Assert.Equal(0, context.Response.BodyWriter.UnflushedBytes);
        Assert.Equal(failedBefore + 1, server.Services.GetRequiredService<ServerMetrics>().FailedCalls);
    }

    private static TReply Done<TReply>(TestServer server, PackedKind kind, IMessage request, MessageParser<TReply> parser)
        where TReply : IMessage<TReply>
    {
        DefaultHttpContext context = Call(Framed(request), isWhole: true);
        Assert.True(server.Services.GetRequiredService<ReadyCalls>().TryServe(context, kind, "a call"));
        Assert.Equal("application/grpc", context.Response.ContentType);
        Assert.Equal("0", context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers.GrpcStatus);
        var written = new MemoryStream();
        context.Response.BodyWriter.AsStream().Flush();
        context.Response.Body.Position = 0;
        context.Response.Body.CopyTo(written);
        byte[] reply = written.ToArray();
        Assert.Equal([0, 0, 0, 0, (byte)(reply.Length - 5)], reply[..5]);
        return parser.ParseFrom(reply, 5, reply.Length - 5);
    }

    private static byte[] Framed(IMessage message) => [0, 0, 0, 0, (byte)message.CalculateSize(), .. message.ToByteArray()];

    private static DefaultHttpContext Call(byte[] body, bool isWhole)
    {
        var pipe = new Pipe();
        pipe.Writer.Write(body);
        _ = pipe.Writer.FlushAsync().AsTask().IsCompleted;
        if (isWhole)
        {
            pipe.Writer.Complete();
        }

        var context = new DefaultHttpContext();
        context.Features.Set<IRequestBodyPipeFeature>(new Body(pipe.Reader));
        context.Features.Set<IHttpResponseTrailersFeature>(new Trailing());
        context.Response.Body = new MemoryStream();
        context.Request.Protocol = "HTTP/2";
        context.Request.ContentType = "application/grpc";
        return context;
    }

    private sealed class Body(PipeReader reader) : IRequestBodyPipeFeature
    {
        public PipeReader Reader => reader;
    }

    private sealed class Trailing : IHttpResponseTrailersFeature
    {
        public IHeaderDictionary Trailers { get; set; } = new HeaderDictionary();
    }
}
