using System;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Net.Client;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Calls that keep to HTTP/2 and not to gRPC, or not to protobuf.</summary>
[Collection(Attacks.Name)]
public sealed class CallTests(AttackedServer server)
{
    private static readonly byte[] _set = new V1.SetRequest { Key = Batches.Bytes("hostile"), Value = Batches.Bytes("x") }.ToByteArray();

    /// <summary>Bodies of a Set that must not be done.</summary>
    public static TheoryData<string, byte[]> Bodies => new()
    {
        { "no message", [] },
        { "a head that ends too early", [0, 0, 0] },
        { "a message that ends too early", [.. Message(_set)[..^2]] },
        { "a message of 4 GiB", [0, 0xFF, 0xFF, 0xFF, 0xFF, .. _set] },
        { "a message of 2 GiB", [0, 0x7F, 0xFF, 0xFF, 0xFF, .. _set] },
        { "a message beyond the limit", [0, 0x00, 0x40, 0x00, 0x01, .. _set] },
        { "two messages", [.. Message(_set), .. Message(_set)] },
        { "a message and a byte", [.. Message(_set), 0] },
        { "a message and the head of one of 4 GiB", [.. Message(_set), 0, 0xFF, 0xFF, 0xFF, 0xFF] },
        { "a flag that there is not", Message(_set, flag: 2) },
        { "all flags", Message(_set, flag: 0xFF) },
        { "a packed message without a packing", Message(_set, flag: 1) },
        { "bytes that are no protobuf", Message([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) },
        { "a field of 2 GiB", Message([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, (byte)'a']) },
        { "groups of 100,000 in each other", Message([.. _set, .. Enumerable.Repeat((byte)0x7B, 15_000)]) },
    };

    [Theory]
    [MemberData(nameof(Bodies), DisableDiscoveryEnumeration = true)]
    public async Task AWrongBodyChangesNothing(string what, byte[] body)
    {
        foreach (bool ends in new[] { true, false })
        {
            await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
            _ = await connection.SendAsync([.. Headers("pile.v1.Entries/Set"), .. RawFrame.Of(FrameKind.Data, 1, ends ? RawFrame.EndStream : (byte)0, body)]);
            if (!ends)
            {
                await server.CallsAsync(2);
                _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream));
            }

            string status = await connection.StatusAsync(1);
            Assert.True(status is not "0" and not "none", $"{what}: {status}");
        }

        Assert.False(await IsThereAsync("hostile"), what);
        await server.CheckAsync();
    }

    /// <summary>Headers of a Set that must not be done.</summary>
    public static TheoryData<string, string, string> WrongHeaders => new()
    {
        { "pile.v1.Entries/Set", "grpc-encoding", "nothing" },
        { "pile.v1.Entries/Set", "grpc-encoding", "gzip, gzip" },
        { "pile.v1.Entries/Nothing", "x-a", "a" },
        { "pile.v1.Nothing/Set", "x-a", "a" },
        { "pile.v1.Entries/Set/More", "x-a", "a" },
        { "../pile.v1.Entries//Set", "x-a", "a" },
        { "pile.v1.Entries/Set", "authorization", "Bearer nobody" },
        { "pile.v1.Entries/Set", "authorization", "Basic bm9ib2R5" },
    };

    [Theory]
    [MemberData(nameof(WrongHeaders))]
    public async Task ACallWithAWrongHeaderChangesNothing(string method, string name, string value)
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        byte flag = name == "grpc-encoding" ? (byte)1 : (byte)0;
        _ = await connection.SendAsync([.. Headers(method, (name, value)), .. RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, Message(_set, flag))]);
        Assert.NotEqual("0", await connection.StatusAsync(1));
        Assert.False(await IsThereAsync("hostile"));
        await server.CheckAsync();
    }

    [Theory]
    [InlineData("grpc-timeout", "")]
    [InlineData("grpc-timeout", "-1S")]
    [InlineData("grpc-timeout", "S")]
    [InlineData("grpc-timeout", "0n")]
    [InlineData("grpc-timeout", "123456789S")]
    [InlineData("grpc-timeout", "99999999H")]
    [InlineData("grpc-timeout", "1x")]
    [InlineData("grpc-accept-encoding", ",,,;q=1")]
    [InlineData("x-some-bin", "!!!")]
    [InlineData("x-some-bin", "AAAA,AAA=,A")]
    [InlineData("content-length", "3")]
    [InlineData("content-type", "text/plain")]
    public async Task ACallWithAStrangeHeaderIsAnswered(string name, string value)
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync([.. Headers("pile.v1.Entries/Get", (name, value)), .. RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, Message(new V1.GetRequest { Key = Batches.Bytes("a") }.ToByteArray()))]);
        Assert.NotEqual("closed", await connection.StatusAsync(1));
        Assert.Null(await connection.EndOfAsync());
        await server.CheckAsync();
    }

    [Fact]
    public async Task TheServerKeepsADeadlineByItself()
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync(Headers("pile.v1.Entries/Batches", ("grpc-timeout", "300m")));
        Assert.Equal("4", await connection.StatusAsync(1));
        await server.CheckAsync();
    }

    [Fact]
    public async Task AnyMessageOfAnyCallIsAnswered()
    {
        const int Seed = 20261123;
        var random = new Random(Seed);
        string[] methods = ["Get", "Set", "Remove", "Refresh", "CompareAndSet", "CompareAndRemove", "Increment", "GetMany", "SetMany", "RemoveMany", "Batches", "GetLarge", "SetLarge", "RemoveByTag", "Scan"];
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        for (uint call = 0; call < 2_000; call++)
        {
            uint stream = (call * 2) + 1;
            byte[] message = [.. random.Next(2) == 0 ? new V1.SetRequest { Key = Batches.Bytes("fuzz"), Value = Batches.Bytes("x") }.ToByteArray() : new V1.BatchRequest { Set = Batches.Set(1, ("fuzz", "x")) }.ToByteArray()];
            for (int changes = random.Next(6); changes > 0; changes--)
            {
                message[random.Next(message.Length)] = (byte)random.Next(256);
            }

            byte[] body = Message(message, random.Next(20) == 0 ? (byte)random.Next(4) : (byte)0);
            if (random.Next(10) == 0)
            {
                body[random.Next(5)] = (byte)random.Next(256);
            }

            string method = methods[random.Next(methods.Length)];
            Assert.True(await connection.SendAsync([.. Headers("pile.v1.Entries/" + method, stream), .. RawFrame.Of(FrameKind.Data, stream, RawFrame.EndStream, body)]));
            string status = await connection.StatusAsync(stream);
            Assert.True(status is not "closed" and not "none" and not "2" and not "13" || (body[0] | body[1] | body[2] | body[3]) != 0 || body[4] != message.Length, $"{method} of {Convert.ToHexString(body)}: {status}");
        }

        await server.CheckAsync();
    }

    private static byte[] Headers(string method, params (string, string)[] more) => Headers(method, 1, more);

    private static byte[] Headers(string method, uint stream, params (string, string)[] more) => RawFrame.Of(FrameKind.Headers, stream, RawFrame.EndHeaders, RawHeaders.Call(method, more));

    private static byte[] Message(byte[] message, byte flag = 0) => [flag, 0, 0, (byte)(message.Length >> 8), (byte)message.Length, .. message];

    private async Task<bool> IsThereAsync(string key)
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
        return (await new V1.Entries.EntriesClient(channel).GetAsync(new V1.GetRequest { Key = Batches.Bytes(key) }, deadline: TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1))).Found;
    }
}
