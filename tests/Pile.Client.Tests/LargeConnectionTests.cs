using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>The connections of values that are stored in chunks.</summary>
public sealed class LargeConnectionTests(SharedServer server) : IClassFixture<SharedServer>
{
    private static readonly byte[] _large = new byte[6 << 20];

    [Fact]
    public async Task AStoreWhoseConnectionEndsIsMadeAgain()
    {
        await using BlackHole way = new(server.Address);
        await using PileClient client = server.Client(options => options.Address = way.Address);
        PileClientTable table = await SharedServer.TableAsync(client);
        way.BreakAfter(3 << 20);

        Assert.Equal(PileClientOutcome.Inserted, await Within.AMinuteAsync(table.SetAsync("a", _large).AsTask(), "the store"));
        Assert.Equal(_large, await table.GetAsync("a"));
    }

    [Fact]
    public async Task AStoreOfAStreamWhoseConnectionEndsIsATypedFailure()
    {
        await using BlackHole way = new(server.Address);
        await using PileClient client = server.Client(options => options.Address = way.Address);
        PileClientTable table = await SharedServer.TableAsync(client);
        way.BreakAfter(3 << 20);

        using var stream = new MemoryStream(_large);
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(table.SetLargeAsync("a", stream, _large.Length), "the store"));
        Assert.Equal(StatusCode.Unavailable, failure.Code);
    }

    [Fact]
    public async Task EachStoreUnderWayHasAConnectionAloneAndOneThatEndedWellIsUsedAgain()
    {
        await using BlackHole way = new(server.Address);
        await using PileClient client = server.Client(options => (options.Address, options.IsBatching) = (way.Address, false));
        PileClientTable table = await SharedServer.TableAsync(client);
        Assert.Equal(1, way.Connections);

        using var first = new HeldStream(1 << 20);
        using var second = new HeldStream(1 << 20);
        Task storing = Task.WhenAll(table.SetLargeAsync("a", first, 1 << 20), table.SetLargeAsync("b", second, 1 << 20));
        await Within.AMinuteAsync(Task.WhenAll(first.IsAsked, second.IsAsked), "the stores");
        first.Release();
        second.Release();
        await Within.AMinuteAsync(storing, "the stores");
        _ = await table.SetAsync("c", _large);
        _ = await table.GetAsync("c");
        Assert.Equal(3, way.Connections);
    }

    [Fact]
    public async Task TheConnectionOfAStoreThatWasRefusedIsNotUsedAgain()
    {
        await using BlackHole way = new(server.Address);
        await using PileClient client = server.Client(options => (options.Address, options.IsBatching) = (way.Address, false));
        PileClientTable table = await SharedServer.TableAsync(client);
        for (int round = 0; round < 3; round++)
        {
            PileClientException refused = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table("no such table").SetAsync("a", _large).AsTask(), "the store"));
            Assert.Equal(StatusCode.NotFound, refused.Code);
        }

        _ = await table.SetAsync("a", _large);
        Assert.Equal(5, way.Connections);
    }

    [Fact]
    public async Task AStoreUnderWayEndsWithItsClient()
    {
        PileClient client = server.Client();
        using var held = new HeldStream(1 << 20);
        Task<PileClientOutcome> storing = client.Table().SetLargeAsync("held", held, 2 << 20);
        await Within.AMinuteAsync(held.IsAsked, "the store");
        client.Dispose();
        held.Release();
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(storing, "the store"));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => client.Table().SetLargeAsync("held", held, 1 << 20));
    }

    // Gives the second half of its first bytes when it is let, and all that follow at once.
    private sealed class HeldStream(int bytes) : Stream
    {
        private readonly TaskCompletionSource _asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _given;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        internal Task IsAsked => _asked.Task;

        internal void Release() => _released.SetResult();

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_given >= bytes / 2)
            {
                _ = _asked.TrySetResult();
                await _released.Task;
            }

            _given += buffer.Length;
            return buffer.Length;
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
