using System;
using System.Buffers.Binary;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Pile.Client.Tests;

/// <summary>A server of streams of batches that answers as a test says: bytes of its own choice, when it chooses.</summary>
internal sealed class ServerDouble : IAsyncDisposable
{
    private readonly WebApplication _application;

    private ServerDouble(WebApplication application) => _application = application;

    internal string Address
    {
        get
        {
            foreach (string address in _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses)
            {
                return address;
            }

            throw new InvalidOperationException("It listens nowhere.");
        }
    }

    /// <summary>Starts one.</summary>
    /// <param name="serve">Serves a stream: reads requests, and writes replies with their frames.</param>
    /// <param name="serveOther">Serves every other call; without it there is none.</param>
    internal static async Task<ServerDouble> StartAsync(Func<Stream, Stream, HttpContext, Task> serve, Func<HttpContext, Task>? serveOther = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.WebHost.ConfigureKestrel(static options => options.Listen(System.Net.IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2));
        WebApplication application = builder.Build();
        _ = application.MapPost("/pile.v1.Entries/Batches", async (HttpContext context) =>
        {
            context.Response.ContentType = "application/grpc";
            context.Response.DeclareTrailer("grpc-status");
            await context.Response.StartAsync();
            await context.Response.Body.FlushAsync();
            await serve(context.Request.Body, context.Response.Body, context);
        });
        if (serveOther is not null)
        {
            _ = application.MapPost("/{service:regex(^pile.v1.Entries|grpc.health.v1.Health$)}/{method}", async (HttpContext context) =>
            {
                context.Response.ContentType = "application/grpc";
                await serveOther(context);
            });
        }

        await application.StartAsync();
        return new ServerDouble(application);
    }

    /// <summary>Reads a request; null at the end.</summary>
    internal static async Task<BatchSeen?> ReadAsync(Stream requests)
    {
        byte[] prefix = new byte[5];
        if (await requests.ReadAtLeastAsync(prefix, 5, throwOnEndOfStream: false) < 5)
        {
            return null;
        }

        byte[] message = new byte[BinaryPrimitives.ReadInt32BigEndian(prefix.AsSpan(1))];
        await requests.ReadExactlyAsync(message);
        var outer = new CodedInputStream(message);
        int kind = (int)(outer.ReadTag() >> 3);
        return SeenOf(outer.ReadBytes().ToByteArray()) with { Kind = kind };
    }

    /// <summary>Reads the request of a call of many keys.</summary>
    internal static async Task<BatchSeen> ReadManyAsync(Stream request)
    {
        using var message = new MemoryStream();
        await request.CopyToAsync(message);
        return SeenOf(message.ToArray()[5..]);
    }

    private static BatchSeen SeenOf(byte[] batch)
    {
        var inner = new CodedInputStream(batch);
        var seen = new BatchSeen(0, 0, "");
        for (uint tag = inner.ReadTag(); tag != 0; tag = inner.ReadTag())
        {
            if (tag == ((1 << 3) | 0))
            {
                seen = seen with { Id = inner.ReadUInt64() };
            }
            else if (tag == ((2 << 3) | 2))
            {
                // Keys of the tests have less than 128 bytes: one byte for each length.
                seen = seen with { Keys = inner.ReadBytes().Length };
            }
            else if (tag == ((3 << 3) | 2))
            {
                seen = seen with { KeyText = inner.ReadBytes().ToStringUtf8() };
            }
            else
            {
                inner.SkipLastField();
            }
        }

        return seen;
    }

    /// <summary>Ends a call or a stream with a status of gRPC, and what the server's own says beside it.</summary>
    internal static async Task EndAsync(HttpContext context, StatusCode code, PileStatus? status = null)
    {
        if (!context.Response.HasStarted)
        {
            await context.Response.StartAsync();
        }

        context.Response.AppendTrailer("grpc-status", ((int)code).ToString(CultureInfo.InvariantCulture));
        if (status is { } said)
        {
            context.Response.AppendTrailer("pile-error-bin", Convert.ToBase64String(DetailOf(said)));
        }
    }

    /// <summary>A reply that says that a batch was not done, with its frame.</summary>
    internal static byte[] Failed(ulong id, StatusCode code, PileStatus status, uint retryAfterMs = 0) => Framed(
        output =>
        {
            output.WriteTag(1, WireFormat.WireType.Varint);
            output.WriteUInt64(id);
            output.WriteTag(2, WireFormat.WireType.Varint);
            output.WriteUInt32((uint)code);
            output.WriteTag(3, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(ByteString.CopyFrom(DetailOf(status, retryAfterMs)));
        },
        field: 3);

    // ErrorDetail: its status, a sentence, and when to try again.
    private static byte[] DetailOf(PileStatus status, uint retryAfterMs = 0) => Written(output =>
    {
        output.WriteTag(1, WireFormat.WireType.Varint);
        output.WriteInt32((int)status);
        output.WriteTag(2, WireFormat.WireType.LengthDelimited);
        output.WriteString("As the test says.");
        output.WriteTag(3, WireFormat.WireType.Varint);
        output.WriteUInt64(retryAfterMs);
    });

    /// <summary>The reply to a call of many keys, with its frame: each value is one byte.</summary>
    internal static byte[] ManyValues(int count, byte value) => FramedAlone(Written(output => WriteValues(output, 0, count, value)));

    /// <summary>A reply of a stream with values and its frame: each value is one byte, or as the fields say that are added.</summary>
    internal static byte[] Values(ulong id, int count, byte value, Action<CodedOutputStream>? more = null) => Framed(output => WriteValues(output, id, count, value, more));

    private static void WriteValues(CodedOutputStream output, ulong id, int count, byte value, Action<CodedOutputStream>? more = null)
    {
        output.WriteTag(1, WireFormat.WireType.Varint);
        output.WriteUInt64(id);
        for (int index = 0; index < count; index++)
        {
            // Unpacked: what protobuf allows.
            output.WriteTag(2, WireFormat.WireType.Varint);
            output.WriteUInt32(2);
        }

        more?.Invoke(output);
        byte[] values = new byte[count];
        Array.Fill(values, value);
        output.WriteTag(3, WireFormat.WireType.LengthDelimited);
        output.WriteBytes(ByteString.CopyFrom(values));
    }

    /// <summary>A reply of one field, which the caller fills, with its frame.</summary>
    internal static byte[] Framed(Action<CodedOutputStream> write, int field = 1)
    {
        byte[] inner = Written(write);
        byte[] message = Written(output =>
        {
            output.WriteTag(field, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(ByteString.CopyFrom(inner));
        });
        return FramedAlone(message);
    }

    /// <summary>A message with its frame.</summary>
    internal static byte[] FramedAlone(byte[] message)
    {
        byte[] framed = new byte[5 + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(framed.AsSpan(1), message.Length);
        message.CopyTo(framed, 5);
        return framed;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private static byte[] Written(Action<CodedOutputStream> write)
    {
        using var target = new MemoryStream();
        var output = new CodedOutputStream(target);
        write(output);
        output.Flush();
        return target.ToArray();
    }
}
