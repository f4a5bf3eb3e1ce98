using System;
using System.IO;
using System.Runtime.Serialization;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Objects by a codec, and values from and to streams.</summary>
public sealed class ObjectTests(SharedServer server) : IClassFixture<SharedServer>
{
    [Fact]
    public async Task AnObjectIsWhatMessagePackLibrariesRead()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        var codec = new PileContractCodec<Order>();
        _ = await table.SetAsync("a", new Order { Id = 7, Note = "hi" }, codec);

        Order? read = await table.GetAsync("a", codec);
        Assert.Equal((7, "hi"), (read!.Id, read.Note));
        Assert.Null(await table.GetAsync("b", codec));
        Assert.Equal([0x92, 7, 0xA2, (byte)'h', (byte)'i'], await table.GetAsync("a"));
        _ = await table.SetAsync("c", new byte[] { 0xC1 });
        _ = await Assert.ThrowsAsync<PileCorruptedException>(async () => await table.GetAsync("c", codec));
        Assert.NotNull(await table.GetAsync("a", codec));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(262_144)]
    [InlineData(10_000_001)]
    public async Task AValueComesFromAStreamAndGoesToOne(int length)
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        byte[] value = new byte[length];
        new Random(length).NextBytes(value);
        Assert.Equal(PileClientOutcome.Inserted, await table.SetLargeAsync("a", new MemoryStream(value), length));
        using var target = new MemoryStream();
        Assert.Equal(length, await table.GetLargeAsync("a", target));
        Assert.Equal(value, target.ToArray());
        Assert.Equal(-1, await table.GetLargeAsync("b", target));

        EndOfStreamException ended = await Assert.ThrowsAsync<EndOfStreamException>(() => table.SetLargeAsync("c", new MemoryStream(value), length + 5));
        Assert.Contains("5 bytes before", ended.Message, StringComparison.Ordinal);
        Assert.Null(await table.GetAsync("c"));
    }

    [DataContract]
    private sealed class Order
    {
        [DataMember(Order = 0)]
        public int Id { get; set; }

        [DataMember(Order = 1)]
        public string? Note { get; set; }
    }
}
