using System;
using System.Buffers.Binary;
using System.IO;
using System.Threading.Tasks;
using Google.Protobuf;
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
    internal static async Task<ServerDouble> StartAsync(Func<Stream, Stream, HttpContext, Task> serve)
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
        await application.StartAsync();
        return new ServerDouble(application);
    }

    /// <summary>Reads a request's id and how many keys it has; null at the end.</summary>
    internal static async Task<(ulong Id, int Keys)?> ReadAsync(Stream requests)
    {
        byte[] prefix = new byte[5];
        if (await requests.ReadAtLeastAsync(prefix, 5, throwOnEndOfStream: false) < 5)
        {
            return null;
        }

        byte[] message = new byte[BinaryPrimitives.ReadInt32BigEndian(prefix.AsSpan(1))];
        await requests.ReadExactlyAsync(message);
        var outer = new CodedInputStream(message);
        _ = outer.ReadTag();
        var inner = new CodedInputStream(outer.ReadBytes().ToByteArray());
        ulong id = 0;
        int keys = 0;
        for (uint tag = inner.ReadTag(); tag != 0; tag = inner.ReadTag())
        {
            if (tag == ((1 << 3) | 0))
            {
                id = inner.ReadUInt64();
            }
            else if (tag == ((2 << 3) | 2))
            {
                // Keys of the tests have less than 128 bytes: one byte for each length.
                keys = inner.ReadBytes().Length;
            }
            else
            {
                inner.SkipLastField();
            }
        }

        return (id, keys);
    }

    /// <summary>A ValueBatch with its frame: each value is one byte, or as the fields say that are added.</summary>
    internal static byte[] Values(ulong id, int count, byte value, Action<CodedOutputStream>? more = null)
    {
        return Framed(output =>
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
        });
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
