using System;
using System.Buffers;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Near caches against a server process: what is kept, and what makes it go. Time stands still here: only the watch and the calls drop entries.</summary>
public sealed class NearTests(SharedServer server) : IClassFixture<SharedServer>
{
    [Fact]
    public async Task AnEntryThatWasReadIsReadHereFromThenOn()
    {
        await using Near near = await Near.StartAsync(server);
        await near.SetToldAsync("a", "one"u8.ToArray());
        Assert.False(near.Table.TryGet("a", new byte[10], out int bytes));
        Assert.Equal(0, bytes);
        Assert.Equal("one", await near.TextAsync("a"));

        byte[] target = new byte[10];
        Assert.True(near.Table.TryGet("a", target, out bytes));
        Assert.Equal("one", Encoding.UTF8.GetString(target, 0, bytes));
        Assert.True(near.Table.TryGet("a"u8.ToArray(), target, out _));
        Assert.False(near.Table.TryGet("a", new byte[2], out bytes));
        Assert.Equal(3, bytes);
        Assert.Equal(3, await near.Table.GetAsync("a", target.AsMemory()));
        Assert.Equal(3, await near.Table.GetAsync("a", new byte[2].AsMemory()));
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(await near.Table.GetAsync("a", writer));
        Assert.Equal("one"u8.ToArray(), writer.WrittenSpan.ToArray());
        Assert.Equal("one", await near.TextAsync("a"));
        Assert.Null(await near.Table.GetAsync("b"));
        Assert.Equal(-1, await near.Table.GetAsync("b", target.AsMemory()));
        Assert.False(await near.Table.GetAsync("b", writer));

        PileNearFigures figures = near.Cache.GetFigures();
        Assert.Equal(4, figures.Misses);
        Assert.Equal(1, figures.Entries);
        Assert.InRange(figures.Hits, 6, 8);
        Assert.Equal(TimeSpan.Zero, figures.Staleness);
    }

    [Fact]
    public async Task WhatAnotherClientChangesIsSeen()
    {
        await using Near near = await Near.StartAsync(server);
        _ = await near.Other.SetAsync("a", "one"u8.ToArray());
        Assert.Equal("one", await near.TextAsync("a"));
        _ = await near.Other.SetAsync("a", "two"u8.ToArray());
        await near.UntilAsync("a", "two");
        Assert.True(await near.Other.RemoveAsync("a"));
        await near.UntilAsync("a", null);

        _ = await near.Other.SetAsync("a", "three"u8.ToArray(), new PileClientTerms { Tags = ["t"] });
        await near.UntilAsync("a", "three");
        await near.Other.RemoveByTagAsync("t");
        await near.UntilAsync("a", null);
        _ = await near.Other.SetAsync("a", "four"u8.ToArray());
        await near.UntilAsync("a", "four");
        await near.Other.ClearAsync();
        await near.UntilAsync("a", null);
        _ = await near.Other.SetAsync("a", new byte[] { 1, 0, 0, 0, 0, 0, 0, 0 });
        Assert.NotNull(await near.TextAsync("a"));
        Assert.Equal(3, await near.Other.IncrementAsync("a", 2));
        await near.UntilAsync("a", "\u0003\0\0\0\0\0\0\0");
        Assert.Equal(0, near.Cache.GetFigures().Interruptions);
    }

    [Fact]
    public async Task EachReadSeesTheWritesBeforeIt()
    {
        await using Near near = await Near.StartAsync(server);
        for (int round = 0; round < 300; round++)
        {
            _ = await near.Table.SetAsync("a", Encoding.UTF8.GetBytes($"{round}"));
            Assert.Equal($"{round}", await near.TextAsync("a"));
            Assert.Equal($"{round}", await near.TextAsync("a"));
            switch (round % 10)
            {
                case 3:
                    Assert.True(await near.Table.RemoveAsync("a"));
                    Assert.Null(await near.TextAsync("a"));
                    break;
                case 5:
                    await near.Table.ClearAsync();
                    Assert.Null(await near.TextAsync("a"));
                    break;
                case 7:
                    _ = await near.Table.SetAsync("a", "tagged"u8.ToArray(), new PileClientTerms { Tags = ["t"] });
                    Assert.Equal("tagged", await near.TextAsync("a"));
                    await near.Table.RemoveByTagAsync("t");
                    Assert.Null(await near.TextAsync("a"));
                    break;
                case 9:
                    _ = await near.Table.Server.SetAsync("a", "beside"u8.ToArray());
                    near.Table.Forget("a");
                    Assert.Equal("beside", await near.TextAsync("a"));
                    break;
            }
        }
    }

    [Fact]
    public async Task NothingOutlivesItsEndOnTheServer()
    {
        await using Near near = await Near.StartAsync(server);
        _ = await near.Other.SetAsync("a", "short"u8.ToArray(), new PileClientTerms { TimeToLive = TimeSpan.FromMilliseconds(300) });
        _ = await near.Other.SetAsync("b", "sliding"u8.ToArray(), new PileClientTerms { SlidingExpiration = TimeSpan.FromSeconds(2) });
        long began = TimeProvider.System.GetTimestamp();
        await Within.UntilAsync(
            async () =>
            {
                // Used here all the time, an entry with a sliding end lives on there.
                Assert.Equal("sliding", await near.TextAsync("b"));
                byte[]? before = await near.Other.GetAsync("a");
                Assert.False(before is null && await near.TextAsync("a") is not null, "An entry is here that the server has no more.");
                return TimeProvider.System.GetElapsedTime(began) > TimeSpan.FromSeconds(5);
            },
            "five seconds have passed");
        Assert.Null(await near.TextAsync("a"));
        Assert.True(near.Cache.GetFigures().Misses < near.Cache.GetFigures().Hits);
    }

    [Fact]
    public async Task WhatIsTooLargeIsReadAndNotKept()
    {
        await using Near near = await Near.StartAsync(server);
        byte[] large = new byte[100_000];
        large[^1] = 1;
        byte[] huge = new byte[20 << 20];
        huge[^1] = 2;
        _ = await near.Table.SetAsync("a", large);
        _ = await near.Table.SetAsync("b", huge);
        string longKey = new('k', 15_360);
        _ = await near.Table.SetAsync(longKey, new byte[] { 7 });
        for (int round = 0; round < 2; round++)
        {
            Assert.Equal(large, await near.Table.GetAsync("a"));
            Assert.Equal(huge, await near.Table.GetAsync("b"));
            Assert.Equal([7], Assert.IsType<byte[]>(await near.Table.GetAsync(longKey)));
        }

        await Within.UntilAsync(async () => await near.Table.GetAsync(longKey) is not null && near.Table.TryGet(longKey, new byte[1], out _), "the long key's entry is here");
        Assert.False(near.Table.TryGet("a", large, out _) || near.Table.TryGet("b", huge, out _));
        _ = await Assert.ThrowsAsync<PileClientException>(async () => await near.Table.GetAsync(""));
    }

    [Fact]
    public async Task AReadWhoseKeyNoServerTakesFailsAndDoesNotWait()
    {
        await using Near near = await Near.StartAsync(server);
        string tooLong = new('k', 15_361);
        PileClientException told = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(near.Table.GetAsync(tooLong).AsTask(), "the read of a key that is too long"));
        Assert.Equal(PileStatus.TooLarge, told.Status);
        _ = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(near.Table.SetAsync(tooLong, new byte[] { 1 }).AsTask(), "the store under a key that is too long"));
        _ = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(near.Table.RemoveAsync(tooLong).AsTask(), "the removal of a key that is too long"));
        near.Table.Forget(tooLong);
        Assert.False(near.Table.TryGet(tooLong, new byte[10], out _));
    }

    [Fact]
    public async Task ATableThatComesAndGoesIsFollowed()
    {
        await using PileClient client = server.Client();
        await using var cache = new PileNearCache(client);
        PileNearTable table = cache.Table("comes later");
        Assert.Same(table, cache.Table("comes later"));
        PileClientException missing = await Assert.ThrowsAsync<PileClientException>(async () => await table.GetAsync("a"));
        Assert.Equal(StatusCode.NotFound, missing.Code);
        for (int round = 0; round < 2; round++)
        {
            Assert.True(await client.CreateTableAsync("comes later"));
            await Within.UntilAsync(() => Task.FromResult(table.Staleness is not null), "the table is served");
            _ = await table.SetAsync("a", new byte[] { (byte)round });
            Assert.Equal((byte)round, (await table.GetAsync("a"))![0]);
            Assert.True(await client.DropTableAsync("comes later"));
            await Within.UntilAsync(() => Task.FromResult(table is { Staleness: null, WatchFailure: PileClientException { Code: StatusCode.NotFound } }), "the drop is told");
            _ = await Assert.ThrowsAsync<PileClientException>(async () => await table.GetAsync("a"));
        }
    }

    [Fact]
    public async Task ADisposedOneEndsItsWatchesAndSaysSo()
    {
        await using PileClient client = server.Client();
        PileClientTable other = await SharedServer.TableAsync(client);
        var cache = new PileNearCache(client);
        PileNearTable table = cache.Table(other.Name);
        await Within.AMinuteAsync(table.Ready, "the watch");
        _ = await table.SetAsync("a", new byte[1]);
        _ = await table.GetAsync("a");
        await Within.AMinuteAsync(cache.DisposeAsync().AsTask(), "the near cache's end");
        cache.Dispose();
        Assert.True(table.Watching.IsCompletedSuccessfully);
        Assert.Null(table.Staleness);
        Assert.False(table.TryGet("a", new byte[1], out _));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await table.GetAsync("a"));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await table.SetAsync("a", new byte[2]));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await table.RemoveAsync("a"));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => table.RemoveByTagAsync("*"));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => table.ClearAsync());
        _ = Assert.Throws<ObjectDisposedException>(() => cache.Table());
        _ = Assert.Throws<ObjectDisposedException>(() => cache.GetFigures());
        Assert.Single((await other.GetAsync("a"))!);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task CallsUnderWayWhenItIsDisposedEndAsTheyWouldHave(bool isMended)
    {
        await using var way = new BlackHole(server.Address);
        await using Near near = await Near.StartAsync(way.Address, server.Address, (await SharedServer.TableAsync(server.Client())).Name);
        _ = await near.Other.SetAsync("a", "one"u8.ToArray());
        way.Cut();
        Task<byte[]?> read = near.Table.GetAsync("a").AsTask();
        Task<PileClientOutcome> write = near.Table.SetAsync("b", new byte[1]).AsTask();
        Task clear = near.Table.RemoveByTagAsync("t");
        await Within.AMinuteAsync(near.Cache.DisposeAsync().AsTask(), "the near cache's end");
        if (isMended)
        {
            way.Mend();
            Assert.Equal("one"u8.ToArray(), await Within.AMinuteAsync(read, "the read"));
            Assert.Equal(PileClientOutcome.Inserted, await Within.AMinuteAsync(write, "the write"));
            await Within.AMinuteAsync(clear, "the removal by tag");
            return;
        }

        await near.DisposeAsync();
        foreach (Task call in (Task[])[read, write, clear])
        {
            _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "a call of a client that was disposed"));
        }
    }

    [Fact]
    public async Task ACallerWhoGoesLeavesTheReadToTheOthers()
    {
        await using Near near = await Near.StartAsync(server);
        _ = await near.Other.SetAsync("a", "one"u8.ToArray());
        using var gone = new CancellationTokenSource();
        var reads = new List<Task<byte[]?>>();
        for (int index = 0; index < 32; index++)
        {
            reads.Add(near.Table.GetAsync("a", index % 2 == 0 ? gone.Token : default).AsTask());
        }

        await gone.CancelAsync();
        _ = await Record.ExceptionAsync(() => Within.AMinuteAsync(Task.WhenAll(reads), "all reads"));
        for (int index = 0; index < reads.Count; index++)
        {
            Assert.True(reads[index].IsCompletedSuccessfully || (index % 2 == 0 && reads[index].IsCanceled));
            Assert.True(!reads[index].IsCompletedSuccessfully || (await reads[index])!.Length == 3);
        }
    }

    [Theory]
    [InlineData(nameof(PileNearOptions.StalenessMax))]
    [InlineData(nameof(PileNearOptions.MemoryLimitBytes))]
    [InlineData(nameof(PileNearOptions.ValueBytesMax))]
    [InlineData(nameof(PileNearOptions.TimeToLiveMax))]
    public async Task AnOptionOutOfItsRangeIsRefusedByItsName(string name)
    {
        await using PileClient client = server.Client();
        var options = new PileNearOptions();
        switch (name)
        {
            case nameof(PileNearOptions.StalenessMax):
                options.StalenessMax = TimeSpan.FromMilliseconds(99);
                break;
            case nameof(PileNearOptions.MemoryLimitBytes):
                options.MemoryLimitBytes = (1 << 20) - 1;
                break;
            case nameof(PileNearOptions.ValueBytesMax):
                options.ValueBytesMax = -1;
                break;
            default:
                options.TimeToLiveMax = TimeSpan.Zero;
                break;
        }

        Assert.Equal(name, Assert.Throws<ArgumentOutOfRangeException>(() => new PileNearCache(client, options)).ParamName);
    }
}
