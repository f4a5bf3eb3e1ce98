using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Connections and streams on which nothing, or next to nothing, happens.</summary>
[Collection(Attacks.Name)]
public sealed class IdleTests(AttackedServer server) : IAsyncDisposable
{
    private readonly List<RawConnection> _connections = [];

    public async ValueTask DisposeAsync()
    {
        foreach (RawConnection connection in _connections)
        {
            await connection.DisposeAsync();
        }
    }

    [Fact]
    public async Task ThousandsOfIdleStreamsCostLittleAndGoOn()
    {
        byte[] headers = RawHeaders.Call("pile.v1.Entries/Batches");
        for (int count = 0; count < 20; count++)
        {
            RawConnection connection = await RawConnection.OpenAsync(server.Address);
            _connections.Add(connection);
            Assert.True(await connection.SendAsync(RawConnection.Joined([.. Enumerable.Range(0, AttackedServer.StreamsMax).Select(number => RawFrame.Of(FrameKind.Headers, (uint)((number * 2) + 1), RawFrame.EndHeaders, headers))])));
        }

        await server.CheckAsync();
        byte[] message = [0, 0, 0, 0, 2, 0x0A, 0]; // one empty GetBatch
        foreach (RawConnection connection in _connections)
        {
            Assert.True(await connection.SendAsync(RawFrame.Of(FrameKind.Data, 5, RawFrame.EndStream, message)));
            Assert.Equal("0", await connection.StatusAsync(5));
        }
    }

    [Fact]
    public async Task AStreamTooManyIsRefusedAndNoOtherEnds()
    {
        byte[] headers = RawHeaders.Call("pile.v1.Entries/Batches");
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        foreach (int number in Enumerable.Range(0, AttackedServer.StreamsMax + 1))
        {
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, (uint)((number * 2) + 1), RawFrame.EndHeaders, headers));
        }

        Assert.Equal("reset 7", await connection.StatusAsync((AttackedServer.StreamsMax * 2) + 1));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream));
        Assert.Equal("0", await connection.StatusAsync(1));
        await server.CheckAsync();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(24)]
    public async Task AThousandConnectionsThatSayNothingCostLittle(int bytes)
    {
        for (int count = 0; count < 1_000; count++)
        {
            RawConnection connection = await RawConnection.ConnectAsync(server.Address);
            _connections.Add(connection);
            Assert.True(bytes == 0 || await connection.SendAsync(RawConnection.Preface[..bytes]));
        }

        await server.CheckAsync();
    }

    [Fact]
    public async Task ConnectionsThatAreHalfClosedAreEnded()
    {
        for (int count = 0; count < 100; count++)
        {
            await using RawConnection connection = count % 2 == 0 ? await RawConnection.OpenAsync(server.Address) : await RawConnection.ConnectAsync(server.Address);
            _ = count % 4 != 0 || await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Batches")));
            connection.EndSending();
            using var late = new System.Threading.CancellationTokenSource(TimeSpan.FromMinutes(1));
            await connection.DrainAsync(late.Token);
            Assert.False(late.IsCancellationRequested, "the connection goes on");
        }

        await server.CheckAsync();
    }

    [Fact]
    public async Task CallsThatAreHalfSentKeepNobodyBack()
    {
        const int PartBytes = 1_000;
        byte[] headers = RawHeaders.Call("pile.v1.Entries/Set");
        byte[] part = new byte[5 + PartBytes];
        BinaryPrimitives.WriteInt32BigEndian(part.AsSpan(1), 5 * PartBytes);
        for (int count = 0; count < 20; count++)
        {
            RawConnection connection = await RawConnection.OpenAsync(server.Address);
            _connections.Add(connection);
            for (uint stream = 1; stream < AttackedServer.StreamsMax * 2; stream += 2)
            {
                _ = await connection.SendAsync(RawConnection.Joined(RawFrame.Of(FrameKind.Headers, stream, RawFrame.EndHeaders, headers), RawFrame.Of(FrameKind.Data, stream, 0, part)));
            }

            await server.CallsAsync(5);
        }

        await server.CheckAsync();
    }

    [Fact]
    public async Task WritersOfOneByteAtATimeAreServedAndKeepNobodyBack()
    {
        const int Streams = 100;
        byte[] message = [0, 0, 0, 0, 9, 0x12, 4, (byte)'s', (byte)'l', (byte)'o', (byte)'w', 0x1A, 1, 7]; // a SetRequest
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        for (int number = 0; number < Streams; number++)
        {
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, (uint)((number * 2) + 1), RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Set")));
        }

        for (int at = 0; at < message.Length; at++)
        {
            for (int number = 0; number < Streams; number++)
            {
                foreach (byte part in RawFrame.Of(FrameKind.Data, (uint)((number * 2) + 1), at == message.Length - 1 ? RawFrame.EndStream : (byte)0, message[at]))
                {
                    _ = await connection.SendAsync([part]);
                }
            }

            await server.CallsAsync(1);
        }

        Assert.Equal("0", await connection.StatusAsync((Streams * 2) - 1));
        await server.CheckAsync();
    }
}
