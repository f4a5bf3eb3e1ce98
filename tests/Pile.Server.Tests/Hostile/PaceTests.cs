using System;
using System.Buffers.Binary;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Senders that begin a message, hold memory by it, and send no more; and streams that are through with theirs.</summary>
public sealed class PaceTests : IAsyncLifetime
{
    private const int FrameBytes = 16 << 10;
    private const int MessageBytes = 512 << 10;
    private const int HalfBytes = 256 << 10;
    private const int SmallBytes = 2_000;

    private readonly MovedTime _time = new();
    private TestServer _server = null!;

    private ReceivePace Pace => _server.Services.GetRequiredService<ReceivePace>();

    private ReceiveBudget Budget => _server.Services.GetRequiredService<ReceiveBudget>();

    public async ValueTask InitializeAsync() => _server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(_time));

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [InlineData("pile.v1.Entries/Set")]
    [InlineData("pile.v1.Entries/Batches")]
    [InlineData("pile.v1.Entries/Batches", "grpc-timeout", "1H")]
    public async Task AMessageThatStandsStillIsEndedAndGivesBackWhatItHeld(string method, string header = "x-pile", string value = "none")
    {
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        await BeginAsync(connection, 1, method, (header, value));
        await Soon.HoldsAsync(() => Budget.TakenBytes >= HalfBytes - (2 * ServerLimits.ReceiveFreeBytes), "half of the message counts");

        // Not before its time, which grows with what has come.
        _time.Move(ServerLimits.LargeIdle + TimeSpan.FromSeconds(1));
        Sweep();
        Assert.NotEqual(0, Budget.TakenBytes);
        _time.Move(TimeSpan.FromSeconds(HalfBytes / ServerLimits.LargeBytesPerSecondMin));
        Sweep();
        Assert.Equal("4", await connection.StatusAsync(1));
        await Soon.HoldsAsync(() => Budget.TakenBytes == 0, "nothing counts");
    }

    [Fact]
    public async Task AMessageThatIsThereAsAWholeButNotItsEndIsEndedToo()
    {
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        await BeginAsync(connection, 1, "pile.v1.Entries/Set", ("x-pile", "none"));
        await Soon.HoldsAsync(() => Budget.TakenBytes >= HalfBytes - (2 * ServerLimits.ReceiveFreeBytes), "half of the message counts");
        await SendAsync(connection, 1, MessageBytes - HalfBytes);
        _time.Move(ServerLimits.LargeIdle + TimeSpan.FromSeconds(2 * MessageBytes / ServerLimits.LargeBytesPerSecondMin));
        await Soon.HoldsAsync(
            () =>
            {
                Sweep();
                return Budget.TakenBytes == 0;
            },
            "nothing counts");
        Assert.Equal("4", await connection.StatusAsync(1));
    }

    [Theory]
    [InlineData("pile.v1.Entries/Set", 1)]
    [InlineData("pile.v1.Entries/Set", SmallBytes)]
    [InlineData("pile.v1.Entries/Batches", SmallBytes)]
    [InlineData("pile.v1.Entries/Watch", SmallBytes)]
    [InlineData("grpc.health.v1.Health/Check", 100)]
    public async Task ASmallMessageThatStandsStillIsEndedAndCallsWithoutOneAreNot(string method, int bytes)
    {
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(_server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Batches")));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 3, RawFrame.EndHeaders, RawHeaders.Call(method)));
        byte[] part = new byte[5 + bytes];
        BinaryPrimitives.WriteInt32BigEndian(part.AsSpan(1), 2 * bytes);
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 3, 0, part));
        await Soon.HoldsAsync(() => Pace.Count == 1, "what has come has a time");

        _time.Move(ServerLimits.LargeIdle - TimeSpan.FromSeconds(1));
        Sweep();
        Assert.Equal(1, Pace.Count);
        _time.Move(TimeSpan.FromSeconds(2));
        Sweep();
        Assert.Equal("4", await connection.StatusAsync(3));
        await Soon.HoldsAsync(() => Pace.Count == 0, "nothing is waited for");

        _time.Move(TimeSpan.FromHours(1));
        Sweep();
        byte[] message = [0, 0, 0, 0, 2, 0x0A, 0]; // one empty GetBatch
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, message));
        Assert.Equal("0", await connection.StatusAsync(1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AStreamThatIsThroughWithALargeMessageHoldsNothingAndGoesOn(bool hasDeadline)
    {
        var options = new Grpc.Core.CallOptions(deadline: hasDeadline ? TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest : null);
        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> call = new V1.Entries.EntriesClient(_server.Channel).Batches(options);
        for (int round = 0; round < 3; round++)
        {
            await call.RequestStream.WriteAsync(new V1.BatchRequest { Set = Batches.Set(1, ("a", new string('v', MessageBytes))) });
            Assert.True(await call.ResponseStream.MoveNext(default).WaitAsync(Soon.Longest));
            Assert.NotEmpty(call.ResponseStream.Current.Outcomes.Outcomes);
            await Soon.HoldsAsync(() => Budget.TakenBytes == 0, "nothing counts");
            _time.Move(TimeSpan.FromHours(1));
            Sweep();
        }

        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(default).WaitAsync(Soon.Longest));
    }

    private void Sweep() => _server.Services.GetRequiredService<ReceivePace>().EndLate();

    /// <summary>Sends the head of a call and the first half of its message.</summary>
    private static async Task BeginAsync(RawConnection connection, uint stream, string method, (string Name, string Value) header)
    {
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, stream, RawFrame.EndHeaders, RawHeaders.Call(method, header)));
        byte[] head = new byte[5];
        BinaryPrimitives.WriteInt32BigEndian(head.AsSpan(1), MessageBytes);
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, stream, 0, head));
        byte[] first = new byte[FrameBytes];
        using (var into = new CodedOutputStream(first))
        {
            // A field that nobody knows, as long as the rest of the message.
            into.WriteTag(15, WireFormat.WireType.LengthDelimited);
            into.WriteLength(MessageBytes - 1 - 3);
            into.Flush();
        }

        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, stream, 0, first));
        await SendAsync(connection, stream, HalfBytes - FrameBytes);
    }

    private static async Task SendAsync(RawConnection connection, uint stream, int bytes)
    {
        for (; bytes > 0; bytes -= FrameBytes)
        {
            Assert.True(await connection.SendAsync(RawFrame.Of(FrameKind.Data, stream, 0, new byte[FrameBytes])));
        }
    }
}
