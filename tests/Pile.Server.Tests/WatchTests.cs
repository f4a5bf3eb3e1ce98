using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Server.Watching;
using Xunit;
using Kind = Pile.V1.WatchEvent.Types.Kind;

namespace Pile.Server.Tests;

/// <summary>A stream of changes.</summary>
public sealed class WatchTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AllThatChangesIsToldInOrder()
    {
        await using TestServer server = await TestServer.StartAsync();
        using Stream watch = await Stream.BeginAsync(server, new V1.WatchRequest());
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", "1"), ("b", "2"), ("a", "3")));
        _ = await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = Batches.Bytes("a") });
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("b"), Terms = new V1.EntryTerms { EndsAtUnixMs = 1 } });
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "t\u00e4g" });
        _ = await server.Tables.ClearAsync(new V1.ClearTableRequest());

        List<(Kind, string)> told = await watch.ReadAsync(7);
        Assert.Equal([(Kind.Set, "a"), (Kind.Set, "b"), (Kind.Set, "a"), (Kind.Removed, "a")], told[..4]);
        Assert.Equal("b", told[4].Item2);
        Assert.Contains(told[4].Item1, (Kind[])[Kind.Removed, Kind.Expired]);
        Assert.Equal([(Kind.TagRemoved, "t\u00e4g"), (Kind.Cleared, "")], told[5..]);
        Assert.False(watch.HasLost);
    }

    [Fact]
    public async Task OnlyKeysWithThePrefixAreTold()
    {
        await using TestServer server = await TestServer.StartAsync();
        using Stream watch = await Stream.BeginAsync(server, new V1.WatchRequest { Prefix = Batches.Bytes("user:") });
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("other", "1"), ("user:1", "2"), ("use", "3"), ("user:", "4")));
        _ = await server.Tables.ClearAsync(new V1.ClearTableRequest());
        Assert.Equal([(Kind.Set, "user:1"), (Kind.Set, "user:"), (Kind.Cleared, "")], await watch.ReadAsync(3));
    }

    [Fact]
    public async Task ABeatComesWithoutAChangeAndSaysUpToWhenAllIsTold()
    {
        await using TestServer server = await TestServer.StartAsync();
        using AsyncServerStreamingCall<V1.WatchReply> watch = server.Entries.Watch(new V1.WatchRequest { BeatMs = 10 }, cancellationToken: Cancel);
        ulong last = 0;
        bool isTold = false;
        for (int reply = 0; reply < 6 || !isTold; reply++)
        {
            Assert.True(await watch.ResponseStream.MoveNext(Cancel));
            V1.WatchReply told = watch.ResponseStream.Current;
            Assert.True(told.ReadUs > last, $"{told.ReadUs} after {last}");
            Assert.False(told.Resume.IsEmpty || told.Lost);
            last = told.ReadUs;
            isTold |= told.Events.Any(static change => change.Key.ToStringUtf8() == "a");
            if (reply == 3)
            {
                _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a") });
            }
        }

        using AsyncServerStreamingCall<V1.WatchReply> silent = server.Entries.Watch(new V1.WatchRequest(), cancellationToken: Cancel);
        Assert.True(await silent.ResponseStream.MoveNext(Cancel));
        Assert.Equal(0ul, silent.ResponseStream.Current.ReadUs);
        foreach (uint beat in new uint[] { 9, 600_001 })
        {
            using AsyncServerStreamingCall<V1.WatchReply> wrong = server.Entries.Watch(new V1.WatchRequest { BeatMs = beat }, cancellationToken: Cancel);
            RpcException refused = await Assert.ThrowsAsync<RpcException>(() => wrong.ResponseStream.MoveNext(Cancel));
            Assert.Equal(StatusCode.InvalidArgument, refused.StatusCode);
            Assert.Contains("beat_ms", refused.Status.Detail, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task AClientThatComesAgainGoesOnWhereItWas()
    {
        await using TestServer server = await TestServer.StartAsync();
        ByteString resume;
        using (Stream first = await Stream.BeginAsync(server, new V1.WatchRequest()))
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("seen") });
            Assert.Equal([(Kind.Set, "seen")], await first.ReadAsync(1));
            resume = first.Resume;
        }

        WatchRoom room = server.Services.GetRequiredService<WatchRoom>();
        await Soon.HoldsAsync(() => room.TakenBytes == ServerLimits.WatchTableBytes, "the stream has ended");
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("missed") });
        using Stream again = await Stream.BeginAsync(server, new V1.WatchRequest { Resume = resume });
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("now") });

        Assert.Equal([(Kind.Set, "missed"), (Kind.Set, "now")], await again.ReadAsync(2));
        Assert.False(again.HasLost);
    }

    [Fact]
    public async Task WhoFallsBehindWhatIsKeptIsToldSo()
    {
        await using TestServer server = await TestServer.StartAsync();
        using Stream watch = await Stream.BeginAsync(server, new V1.WatchRequest());
        ByteString resume = watch.Resume;
        string longKey = new('k', 15_000);
        for (int key = 0; key < 100; key++)
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes($"{longKey}{key}") });
        }

        using Stream late = await Stream.BeginAsync(server, new V1.WatchRequest { Resume = resume });
        List<(Kind Kind, string Key)> told = await late.ReadUntilAsync($"{longKey}99");
        Assert.True(late.HasLost);
        Assert.InRange(told.Count, 10, 99);
        Assert.Equal(Enumerable.Range(100 - told.Count, told.Count).Select(key => $"{longKey}{key}"), told.Select(static one => one.Key));
    }

    [Fact]
    public async Task AfterARestartOrWithAStrangePlaceItSaysLost()
    {
        ByteString resume;
        await using (TestServer before = await TestServer.StartAsync())
        {
            using Stream watch = await Stream.BeginAsync(before, new V1.WatchRequest());
            resume = watch.Resume;
            Assert.False(watch.HasLost);
        }

        await using TestServer server = await TestServer.StartAsync();
        using Stream again = await Stream.BeginAsync(server, new V1.WatchRequest { Resume = resume });
        Assert.True(again.HasLost);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a") });
        Assert.Equal([(Kind.Set, "a")], await again.ReadAsync(1));
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.InvalidArgument, () => Stream.BeginAsync(server, new V1.WatchRequest { Resume = Batches.Bytes("what?") }));
        Assert.Contains("'resume'", refused.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AReaderThatDoesNotReadHoldsNobodyUpAndIsToldWhatItLost()
    {
        await using TestServer server = await TestServer.StartAsync();
        using Stream slow = await Stream.BeginAsync(server, new V1.WatchRequest());
        string[] keys = [.. Enumerable.Range(0, 250).Select(static key => new string('k', 15_000) + $"{key}")];
        for (int round = 0; round < 8; round++)
        {
            foreach (string[] batch in keys.Chunk(50))
            {
                _ = await server.Entries.RemoveManyAsync(Batches.Remove(1, batch));
                _ = await server.Entries.SetManyAsync(Batches.Set(1, [.. batch.Select(static key => (key, ""))]));
            }
        }

        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("last") });
        List<(Kind, string)> told = await slow.ReadUntilAsync("last");
        Assert.True(slow.HasLost);
        Assert.True(told.Count < 8 * 250, $"{told.Count} of {8 * 250 * 2} events were kept for a reader that did not read");
    }

    [Fact]
    public async Task AWatchEndsWithItsTableAndWithTheServer()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t" });
        using Stream dropped = await Stream.BeginAsync(server, new V1.WatchRequest { Table = "t" });
        using Stream stopped = await Stream.BeginAsync(server, new V1.WatchRequest());
        _ = await server.Tables.DropAsync(new V1.DropTableRequest { Table = "t" });
        Assert.Equal(V1.PileStatus.Disposed, (await Failure.OfAsync(StatusCode.NotFound, () => dropped.ReadAsync(1))).Status);
        _ = await Failure.OfAsync(StatusCode.NotFound, () => Stream.BeginAsync(server, new V1.WatchRequest { Table = "t" }));

        Task<List<(Kind, string)>> ending = stopped.ReadAsync(1);
        await server.StopAsync(Cancel);
        Assert.Equal(V1.PileStatus.Disposed, (await Failure.OfAsync(StatusCode.Unavailable, () => ending)).Status);
        await Soon.HoldsAsync(() => server.Services.GetRequiredService<WatchRoom>().TakenBytes == ServerLimits.WatchTableBytes, "streams and the dropped table have given their room back");
    }

    [Fact]
    public async Task WatchesBeyondTheRoomAreRefused()
    {
        await using TestServer server = await TestServer.StartAsync();
        WatchRoom room = server.Services.GetRequiredService<WatchRoom>();
        room.Take(room.BytesMax - ServerLimits.WatchStreamBytes);
        Assert.Equal(V1.PileStatus.Busy, (await Failure.OfAsync(StatusCode.ResourceExhausted, () => Stream.BeginAsync(server, new V1.WatchRequest()))).Status);
        room.Give(ServerLimits.WatchTableBytes);
        using Stream watch = await Stream.BeginAsync(server, new V1.WatchRequest());
        Assert.Equal(StatusCode.ResourceExhausted, (await Assert.ThrowsAsync<RpcException>(() => Stream.BeginAsync(server, new V1.WatchRequest()))).StatusCode);
    }

    [Fact]
    public void EventsAreKeptForAWhileAfterTheLastHasGone()
    {
        var clock = new ManualClock();
        var room = new WatchRoom(clock);
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        PileTable<byte[], byte[]> entries = cache.GetOrCreateTable<byte[], byte[]>("t");
        var watches = new TableWatches(room, entries.Watch);
        PileWatch<byte[]> first = watches.Begin(null);
        PileEventPosition place = first.Position;
        watches.End(first);
        clock.Move(ServerLimits.WatchKept - TimeSpan.FromSeconds(1));
        _ = entries.Set([1], [2]);
        PileWatch<byte[]> again = watches.Begin(place);
        Assert.True(again.TryRead(out PileTableEvent<byte[]> told));
        Assert.Equal(PileEventKinds.Inserted, told.Kind);
        clock.Move(ServerLimits.WatchKept);
        Assert.Equal(ServerLimits.WatchTableBytes, room.TakenBytes);
        watches.End(again);
        clock.Move(ServerLimits.WatchKept);
        Assert.Equal(0, room.TakenBytes);

        PileWatch<byte[]> late = watches.Begin(place);
        Assert.True(late.TryRead(out told));
        Assert.Equal((PileEventKinds.Lost, -1L), (told.Kind, told.LostCount));
        watches.End(late);
        watches.EndAll();
        Assert.Equal((0L, 0), (room.TakenBytes, clock.Waiting));
    }

    /// <summary>A watch as a client has it.</summary>
    private sealed class Stream : IDisposable
    {
        private readonly AsyncServerStreamingCall<V1.WatchReply> _call;
        private readonly Queue<(Kind, string)> _read = new();

        private Stream(AsyncServerStreamingCall<V1.WatchReply> call) => _call = call;

        internal ByteString Resume { get; private set; } = ByteString.Empty;

        internal bool HasLost { get; private set; }

        /// <summary>Begins, and waits for the first reply: from then on all is told.</summary>
        internal static async Task<Stream> BeginAsync(TestServer server, V1.WatchRequest request)
        {
            var stream = new Stream(server.Entries.Watch(request, deadline: TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest, cancellationToken: Cancel));
            await stream.ReplyAsync();
            return stream;
        }

        internal async Task<List<(Kind, string)>> ReadAsync(int count)
        {
            List<(Kind, string)> told = [];
            while (told.Count < count)
            {
                if (_read.TryDequeue(out (Kind, string) one))
                {
                    told.Add(one);
                }
                else
                {
                    await ReplyAsync();
                }
            }

            return told;
        }

        internal async Task<List<(Kind, string)>> ReadUntilAsync(string key)
        {
            List<(Kind, string)> told = [];
            while (told.Count == 0 || told[^1].Item2 != key)
            {
                told.AddRange(await ReadAsync(1));
            }

            return told;
        }

        public void Dispose() => _call.Dispose();

        private async Task ReplyAsync()
        {
            Assert.True(await _call.ResponseStream.MoveNext(Cancel), "The watch ended with OK.");
            V1.WatchReply reply = _call.ResponseStream.Current;
            Assert.False(reply.Resume.IsEmpty);
            Resume = reply.Resume;
            HasLost |= reply.Lost;
            foreach (V1.WatchEvent one in reply.Events)
            {
                _read.Enqueue((one.Kind, one.Key.ToStringUtf8()));
            }
        }
    }
}
