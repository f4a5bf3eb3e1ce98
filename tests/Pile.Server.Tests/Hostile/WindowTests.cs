using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Net.Client;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Clients that ask for much and read nothing, or a byte at a time.</summary>
[Collection(Attacks.Name)]
public sealed class WindowTests(AttackedServer server) : IAsyncDisposable
{
    private readonly List<RawConnection> _connections = [];

    private const int ValueBytes = 1 << 20;
    private const int Connections = 2;
    private const ushort InitialWindow = 4;

    public async ValueTask DisposeAsync()
    {
        foreach (RawConnection connection in _connections)
        {
            await connection.DisposeAsync();
        }

        _connections.Clear();
    }

    /// <summary>Calls whose replies are large.</summary>
    public static TheoryData<string, byte[]> Calls
    {
        get
        {
            ByteString key = Batches.Bytes("windows");
            byte[] batch = new V1.GetBatch { KeyLengths = { 7, 7 }, Keys = Batches.Bytes("windowswindows") }.ToByteArray();
            return new TheoryData<string, byte[]>
            {
                { "Get", new V1.GetRequest { Key = key }.ToByteArray() },
                { "Get", new V1.GetRequest { Key = key, WantVersion = true }.ToByteArray() },
                { "GetMany", batch },
                { "Batches", new V1.BatchRequest { Get = V1.GetBatch.Parser.ParseFrom(batch) }.ToByteArray() },
                { "GetLarge", new V1.GetLargeRequest { Key = key }.ToByteArray() },
                { "Scan", new V1.ScanRequest { Prefix = key }.ToByteArray() },
            };
        }
    }

    [Theory]
    [MemberData(nameof(Calls), DisableDiscoveryEnumeration = true)]
    public async Task RepliesThatNobodyReadsStayWithinTheBudget(string method, byte[] message)
    {
        await StoreAsync();
        byte[] headers = RawHeaders.Call("pile.v1.Entries/" + method);
        byte[] body = Message(message);
        for (int count = 0; count < Connections; count++)
        {
            RawConnection connection = await RawConnection.OpenAsync(server.Address, RawFrame.Setting(InitialWindow, 0));
            _connections.Add(connection);
            await server.FloodAsync(connection, AttackedServer.StreamsMax, number =>
                [.. RawFrame.Of(FrameKind.Headers, (uint)((number * 2) + 1), RawFrame.EndHeaders, headers), .. RawFrame.Of(FrameKind.Data, (uint)((number * 2) + 1), RawFrame.EndStream, body)]);
            Assert.Null(await connection.EndOfAsync());
        }

        await server.CallsAsync(20);
        await server.CheckAsync();

        // Who reads at last is served, or was told to try again; and what they held is free when they are gone.
        RawConnection first = _connections[0];
        _ = await first.SendAsync([.. RawFrame.Setting(InitialWindow, int.MaxValue), .. RawFrame.Number(FrameKind.WindowUpdate, 0, int.MaxValue - 65_535)]);
        Assert.Contains(await first.StatusAsync(1), new[] { "0", "8" });
        await DisposeAsync();
        await server.FreeAsync();
        await server.CheckAsync();
    }

    [Fact]
    public async Task AReaderOfOneByteAtATimeGetsItsValueAndKeepsNobodyBack()
    {
        await StoreAsync();
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address, RawFrame.Setting(InitialWindow, 1));
        _ = await connection.SendAsync([
            .. RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Get")),
            .. RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, Message(new V1.GetRequest { Key = Batches.Bytes("windows") }.ToByteArray()))]);
        byte[] oneByte = RawFrame.Number(FrameKind.WindowUpdate, 1, 1);
        int read = 0;
        while (read < 2_000 && await connection.ReadAsync() is { } frame)
        {
            if (frame.Kind == FrameKind.Data)
            {
                Assert.Single(frame.Payload);
                read++;
                _ = await connection.SendAsync(oneByte);
            }
        }

        Assert.Equal(2_000, read);
        await server.CheckAsync();
    }

    private static byte[] Message(byte[] message) => [0, 0, 0, (byte)(message.Length >> 8), (byte)message.Length, .. message];

    private async Task StoreAsync()
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
        _ = await new V1.Entries.EntriesClient(channel).SetAsync(
            new V1.SetRequest { Key = Batches.Bytes("windows"), Value = ByteString.CopyFrom(new byte[ValueBytes]) }, deadline: TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1));
    }
}
