using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Frames that are none, or that may not be where they are.</summary>
[Collection(Attacks.Name)]
public sealed class FrameTests(AttackedServer server)
{
    private const int ProtocolError = 1;
    private const int FlowControlError = 3;
    private const int FrameSizeError = 6;

    private static readonly byte[] _call = RawHeaders.Call("pile.v1.Entries/Get");
    private static readonly byte[] _open = RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, _call);

    /// <summary>What is sent after the preface, and the error that ends the connection; 0 where it goes on.</summary>
    public static TheoryData<string, byte[], int> Frames => new()
    {
        { "settings of 5 bytes", RawFrame.Of(FrameKind.Settings, 0, 0, new byte[5]), FrameSizeError },
        { "settings on a stream", RawFrame.Of(FrameKind.Settings, 1), ProtocolError },
        { "an acknowledgement with settings", RawFrame.Of(FrameKind.Settings, 0, RawFrame.Ack, new byte[6]), FrameSizeError },
        { "settings of frames of 1 byte", RawFrame.Setting(5, 1), ProtocolError },
        { "settings of a window beyond 31 bits", RawFrame.Setting(4, uint.MaxValue), FlowControlError },
        { "a setting that there is not", RawFrame.Setting(0xFFFF, 7), 0 },
        { "a ping of 7 bytes", RawFrame.Of(FrameKind.Ping, 0, 0, new byte[7]), FrameSizeError },
        { "a ping on a stream", RawFrame.Of(FrameKind.Ping, 1, 0, new byte[8]), ProtocolError },
        { "an answer to a ping that nobody sent", RawFrame.Of(FrameKind.Ping, 0, RawFrame.Ack, new byte[8]), 0 },
        { "data on no stream", RawFrame.Of(FrameKind.Data, 0, 0, 1), ProtocolError },
        { "data on a stream that was not begun", RawFrame.Of(FrameKind.Data, 5, 0, 1), ProtocolError },
        { "headers on no stream", RawFrame.Of(FrameKind.Headers, 0, RawFrame.EndHeaders, _call), ProtocolError },
        { "headers on a stream of the server's", RawFrame.Of(FrameKind.Headers, 2, RawFrame.EndHeaders, _call), ProtocolError },
        { "headers with more padding than bytes", RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders | RawFrame.Padded, 9, 1), ProtocolError },
        { "headers that end within their priority", RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders | RawFrame.HasPriority, 9, 1), FrameSizeError },
        { "data with more padding than bytes", [.. _open, .. RawFrame.Of(FrameKind.Data, 1, RawFrame.Padded, 9, 1)], ProtocolError },
        { "padded data without a byte", [.. _open, .. RawFrame.Of(FrameKind.Data, 1, RawFrame.Padded)], FrameSizeError },
        { "a stream that waits for itself", RawFrame.Of(FrameKind.Priority, 3, 0, 0, 0, 0, 3, 1), ProtocolError },
        { "a priority of 4 bytes", RawFrame.Of(FrameKind.Priority, 3, 0, 0, 0, 0, 1), FrameSizeError },
        { "a reset of 3 bytes", [.. _open, .. RawFrame.Of(FrameKind.Reset, 1, 0, 0, 0, 0)], FrameSizeError },
        { "a reset of a stream that was not begun", RawFrame.Number(FrameKind.Reset, 9, 0), ProtocolError },
        { "a promise by a client", RawFrame.Of(FrameKind.PushPromise, 1, 0, 0, 0, 0, 2), ProtocolError },
        { "a window update of 3 bytes", RawFrame.Of(FrameKind.WindowUpdate, 0, 0, 0, 0, 1), FrameSizeError },
        { "a window update of nothing", RawFrame.Number(FrameKind.WindowUpdate, 0, 0), ProtocolError },
        { "windows that overflow", [.. RawFrame.Number(FrameKind.WindowUpdate, 0, int.MaxValue), .. RawFrame.Number(FrameKind.WindowUpdate, 0, int.MaxValue)], FlowControlError },
        { "a continuation of nothing", RawFrame.Of(FrameKind.Continuation, 1, RawFrame.EndHeaders, _call), ProtocolError },
        { "a ping between headers", [.. RawFrame.Of(FrameKind.Headers, 1, 0, _call), .. RawFrame.Of(FrameKind.Ping, 0, 0, new byte[8])], ProtocolError },
        { "a continuation of another stream", [.. RawFrame.Of(FrameKind.Headers, 1, 0, _call), .. RawFrame.Of(FrameKind.Continuation, 3, RawFrame.EndHeaders)], ProtocolError },
        { "a goaway on a stream", RawFrame.Of(FrameKind.GoAway, 1, 0, new byte[8]), ProtocolError },
        { "a goaway of 7 bytes", RawFrame.Of(FrameKind.GoAway, 0, 0, new byte[7]), FrameSizeError },
        { "a frame of a kind that there is not", RawFrame.Of((FrameKind)200, 77, 0xFF, new byte[100]), 0 },
        { "the bit that is reserved", RawFrame.Of(FrameKind.Ping, 0x8000_0000, 0, new byte[8]), 0 },
        { "a frame that says 16 MiB", [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1], FrameSizeError },
        { "streams in the wrong order", [.. RawFrame.Of(FrameKind.Headers, 5, RawFrame.EndHeaders, _call), .. RawFrame.Of(FrameKind.Headers, 3, RawFrame.EndHeaders, _call)], -2 },
    };

    [Theory]
    [MemberData(nameof(Frames), DisableDiscoveryEnumeration = true)]
    public async Task AWrongFrameEndsItsConnectionAndNoOther(string what, byte[] bytes, int error)
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync(bytes);
        int? end = await connection.EndOfAsync();
        Assert.True(error switch { 0 => end is null, -2 => end is not null, _ => end == error || end == -1 }, $"{what}: {(end is null ? "the connection goes on" : $"ended with {end}")}");
        await server.CheckAsync();
    }

    [Fact]
    public async Task AWindowUpdateBeyondAStreamsWindowEndsTheStreamOrTheConnection()
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync(RawConnection.Joined(
            RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Batches")), RawFrame.Number(FrameKind.WindowUpdate, 1, int.MaxValue), RawFrame.Number(FrameKind.WindowUpdate, 1, int.MaxValue)));
        Assert.True(await connection.StatusAsync(1) is "reset 3" or "closed");
        await server.CheckAsync();
    }

    [Theory]
    // Padded beyond where the server stops looking for the end of a line.
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n*********")]
    [InlineData("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003............................................")]
    [InlineData("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")]
    public async Task WhatIsNoPrefaceEndsTheConnection(string said)
    {
        await using RawConnection connection = await RawConnection.ConnectAsync(server.Address);
        _ = await connection.SendAsync(Encoding.Latin1.GetBytes(said.PadRight(20_000, '.')));
        Assert.NotNull(await EndAsync(connection));
        await server.CheckAsync();
    }

    [Fact]
    public async Task FramesOfAnyBytesEndNoOtherConnection()
    {
        const int Seed = 20261122;
        var random = new Random(Seed);
        for (int round = 0; round < 150; round++)
        {
            await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
            List<byte[]> frames = [];
            for (int count = random.Next(1, 40); count > 0; count--)
            {
                byte[] payload = new byte[random.Next(4) == 0 ? random.Next(200) : random.Next(10)];
                random.NextBytes(payload);
                var kind = (FrameKind)random.Next(12);
                frames.Add(random.Next(3) == 0
                    ? RawFrame.Of(FrameKind.Headers, (uint)random.Next(1, 40), (byte)random.Next(8), [.. _call.Take(random.Next(_call.Length + 1)), .. payload.Take(3)])
                    : RawFrame.Of(kind, (uint)random.Next(20), (byte)random.Next(256), payload));
            }

            _ = await connection.SendAsync(RawConnection.Joined([.. frames]));
            connection.EndSending();
            _ = await EndAsync(connection);
        }

        await server.CheckAsync();
    }

    // Reads whatever comes, which need not be HTTP/2, until the end.
    private static async Task<string> EndAsync(RawConnection connection)
    {
        using var late = new System.Threading.CancellationTokenSource(TimeSpan.FromMinutes(1));
        await connection.DrainAsync(late.Token);
        Assert.False(late.IsCancellationRequested, "the connection goes on");
        return "ended";
    }
}
