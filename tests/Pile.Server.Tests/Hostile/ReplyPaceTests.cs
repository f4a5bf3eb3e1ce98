using System;
using System.Threading.Tasks;
using Google.Protobuf;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Clients that ask for large replies, hold a part of the reply budget by them, and take nothing.</summary>
public sealed class ReplyPaceTests : IAsyncLifetime
{
    private const int ValueBytes = 4 << 20;
    private const int SmallBytes = 60_000;
    private const int SmallReplies = 20;

    private readonly ManualClock _clock = new();
    private TestServer _server = null!;

    private ReplyBudget Budget => _server.Services.GetRequiredService<ReplyBudget>();

    public async ValueTask InitializeAsync()
    {
        _server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(_clock), "--memory-limit=268435456");
        _ = await _server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("large"), Value = ByteString.CopyFrom(new byte[ValueBytes]) });
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [InlineData("Get")]
    [InlineData("GetMany")]
    [InlineData("Scan")]
    [InlineData("Batches")]
    [InlineData("Batches", "grpc-timeout", "1H")]
    public async Task AReplyThatIsNotTakenIsEndedAndCountsNoMore(string method, string header = "x-pile", string value = "none")
    {
        byte[] message = method switch
        {
            "Get" => new V1.GetRequest { Key = Batches.Bytes("large") }.ToByteArray(),
            "GetMany" => Batches.Get(1, "large").ToByteArray(),
            "Scan" => new V1.ScanRequest { PageBytesMax = 8 << 20 }.ToByteArray(),
            _ => new V1.BatchRequest { Get = Batches.Get(1, "large") }.ToByteArray(),
        };

        using var failures = new CountedFailures(_server);

        // The window is 65,535 bytes, and is not opened again.
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/" + method, (header, value))));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, method == "Batches" ? (byte)0 : RawFrame.EndStream, [0, 0, 0, 0, (byte)message.Length, .. message]));
        await Soon.HoldsAsync(() => Budget.TakenBytes > 0, "the reply counts");

        // Not before its time, which grows with what is to be taken.
        _clock.Move(ServerLimits.LargeIdle + TimeSpan.FromSeconds(1));
        Assert.NotEqual(0, Budget.TakenBytes);
        await Soon.HoldsAsync(
            () =>
            {
                _clock.Move(TimeSpan.FromSeconds(ValueBytes / ServerLimits.LargeBytesPerSecondMin));
                return Budget.TakenBytes == 0;
            },
            "the reply counts no more");
        Assert.StartsWith("reset ", await connection.StatusAsync(1), StringComparison.Ordinal);
        Assert.Equal(ValueBytes, (await _server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("large") })).Value.Length);
        Assert.DoesNotContain(_server.Log.Lines, static line => line.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
        Assert.Equal($"pile.v1.Entries/{method} DEADLINE_EXCEEDED", Assert.Single(failures.Counted));
    }

    [Theory]
    [InlineData(ValueBytes)]
    [InlineData(ServerLimits.ChunkBytes)]
    public async Task ALargeValueThatIsNotTakenIsResetAndCountsAsLate(int bytes)
    {
        _ = await _server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("large"), Value = ByteString.CopyFrom(new byte[bytes]) });
        using var failures = new CountedFailures(_server);
        byte[] message = new V1.GetLargeRequest { Key = Batches.Bytes("large") }.ToByteArray();
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/GetLarge")));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, [0, 0, 0, 0, (byte)message.Length, .. message]));
        await Soon.HoldsAsync(() => Budget.TakenBytes > 0, "the value counts");
        await Soon.HoldsAsync(
            () =>
            {
                _clock.Move(ServerLimits.LargeIdle);
                return failures.Counted.Count > 0;
            },
            "the call has failed");

        Assert.StartsWith("reset ", await connection.StatusAsync(1), StringComparison.Ordinal);
        Assert.Equal("pile.v1.Entries/GetLarge DEADLINE_EXCEEDED", Assert.Single(failures.Counted));
        Assert.Equal(0, Budget.TakenBytes);
    }

    [Theory]
    [InlineData("x-pile", "none")]
    [InlineData("grpc-timeout", "1H")]
    public async Task SmallRepliesOfAStreamThatAreNotTakenAreEndedToo(string header, string value)
    {
        using var failures = new CountedFailures(_server);
        await using RawConnection connection = await SmallBatchesAsync((header, value));
        await Soon.HoldsAsync(
            () =>
            {
                _clock.Move(ServerLimits.LargeIdle / 2);
                return failures.Counted.Count > 0;
            },
            "the stream has failed");
        Assert.Equal("pile.v1.Entries/Batches DEADLINE_EXCEEDED", Assert.Single(failures.Counted));
        Assert.Equal(0, Budget.TakenBytes);
        Assert.StartsWith("reset ", await connection.StatusAsync(1), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AStreamWhoseSmallRepliesAreTakenSlowlyGoesOn()
    {
        const int Window = 64 << 10;
        await using RawConnection connection = await SmallBatchesAsync();
        int taken = 0;
        for (int expected = Window - 1; expected < SmallReplies * SmallBytes; expected += Window)
        {
            while (taken < expected)
            {
                RawFrame frame = await connection.ReadAsync() ?? throw new InvalidOperationException("The connection has ended.");
                Assert.NotEqual(FrameKind.Reset, frame.Kind);
                taken += frame.Kind == FrameKind.Data ? frame.Payload.Length : 0;
            }

            // Several times what a reply may take, in all; a reply of which Kestrel keeps the rest needs some windows.
            _clock.Move(ServerLimits.LargeIdle / 4);
            _ = await connection.SendAsync(RawFrame.Number(FrameKind.WindowUpdate, 0, Window));
            _ = await connection.SendAsync(RawFrame.Number(FrameKind.WindowUpdate, 1, Window));
        }

        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream));
        Assert.Equal("0", await connection.StatusAsync(1));
    }

    [Theory]
    [InlineData("Get")]
    [InlineData("Scan")]
    [InlineData("Batches")]
    public async Task AReplyWhoseTimeIsOverBeforeItIsSentIsReset(string method)
    {
        byte[] message = method switch
        {
            "Get" => new V1.GetRequest { Key = Batches.Bytes("large") }.ToByteArray(),
            "Scan" => new V1.ScanRequest { PageBytesMax = 8 << 20 }.ToByteArray(),
            _ => new V1.BatchRequest { Get = Batches.Get(1, "large") }.ToByteArray(),
        };
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/" + method)));
        _clock.AtTimer = () => _clock.Move(ServerLimits.LargeIdle + TimeSpan.FromSeconds(2 * ValueBytes / ServerLimits.LargeBytesPerSecondMin));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, method == "Batches" ? (byte)0 : RawFrame.EndStream, [0, 0, 0, 0, (byte)message.Length, .. message]));
        Assert.StartsWith("reset ", await connection.StatusAsync(1), StringComparison.Ordinal);
        _clock.AtTimer = null;
        await Soon.HoldsAsync(() => Budget.TakenBytes == 0 && _server.Services.GetRequiredService<ServerMetrics>().FailedCalls == 1, "the reply counts no more, and has failed");
    }

    // A stream that has asked for many small values. The window is 65,535 bytes.
    private async Task<RawConnection> SmallBatchesAsync(params (string Name, string Value)[] headers)
    {
        _ = await _server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("small"), Value = ByteString.CopyFrom(new byte[SmallBytes]) });
        RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Batches", headers)));
        for (uint id = 1; id <= SmallReplies; id++)
        {
            byte[] message = new V1.BatchRequest { Get = Batches.Get(id, "small") }.ToByteArray();
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, 0, [0, 0, 0, 0, (byte)message.Length, .. message]));
        }

        return connection;
    }
}
