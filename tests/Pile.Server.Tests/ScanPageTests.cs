using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Pile.Server.Tables;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Pages of a scan are no larger than asked for, whatever stands in the table.</summary>
public sealed class ScanPageTests
{
    [Fact]
    public async Task AValueThatNoPageTakesIsNamedWithItsSizeAndTheScanGoesOn()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        (string Key, int Bytes)[] stored = [("small", 5), ("fits", 1_000_000), ("large", 6_000_000), ("larger", 14_000_000), ("empty", 0)];
        foreach ((string key, int bytes) in stored)
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes(key), Value = ByteString.CopyFrom(new byte[bytes]) });
        }

        // 1 MiB a page unless asked for more: a client with the usual limit of 4 MiB takes all of them.
        List<V1.ScanEntry> entries = await AllAsync(server, 0, 1 << 20);
        Assert.Equal(stored.Order(), entries.Select(static entry => (entry.Key.ToStringUtf8(), entry.ValueLeftOut ? (int)entry.ValueBytes : entry.Value.Length)).Order());
        Assert.Equal(["large", "larger"], entries.Where(static entry => entry.ValueLeftOut).Select(static entry => entry.Key.ToStringUtf8()).Order());
        Assert.All(entries, static entry => Assert.True(!entry.ValueLeftOut || entry.Value.IsEmpty));
        Assert.Equal(["larger"], (await AllAsync(server, 8_000_000, 8_000_000)).Where(static entry => entry.ValueLeftOut).Select(static entry => entry.Key.ToStringUtf8()));
        Assert.DoesNotContain(await AllAsync(server, 16 << 20, 16 << 20), static entry => entry.ValueLeftOut);
    }

    [Fact]
    public async Task AnEntryThatFillsThePageBeginsTheNext()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetManyAsync(Batches.Set(1, [.. Enumerable.Range(0, 50).Select(static key => ($"{key}", new string('v', 10_000)))]));
        List<V1.ScanEntry> entries = await AllAsync(server, 32_768, 32_768);
        Assert.Equal(50, entries.DistinctBy(static entry => entry.Key).Count());
        Assert.Equal(50, entries.Count(static entry => entry.Value.Length == 10_000));
    }

    [Fact]
    public async Task SizesOfPagesThatCantBeAreRefused()
    {
        await using TestServer server = await TestServer.StartAsync();
        foreach (uint bytes in new[] { 1u, 32_767u, (16u << 20) + 1, uint.MaxValue })
        {
            Assert.Contains("page_bytes_max", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.ScanAsync(new V1.ScanRequest { PageBytesMax = bytes }))).Text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task AScanThatWaitsHoldsKeysAndNoValuesAndIsNoUseOfThem()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        string[] keys = [.. Enumerable.Range(0, 100).Select(static key => $"{key:D10}")];
        var value = ByteString.CopyFrom(new byte[100_000]);
        foreach (string key in keys)
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes(key), Value = value });
        }

        ScanStore scans = server.Services.GetRequiredService<ScanStore>();
        var request = new V1.ScanRequest { PageBytesMax = 250_000 };
        HashSet<string> seen = [];
        do
        {
            V1.ScanReply page = await server.Entries.ScanAsync(request);
            Assert.InRange(page.Entries.Count, 1, 2);
            Assert.All(page.Entries, entry => Assert.True(seen.Add(entry.Key.ToStringUtf8()) && entry.Value.Equals(value)));
            request.Cursor = page.Cursor;
            Assert.InRange(scans.Holding.TakenBytes, request.Cursor.IsEmpty ? 0 : 10, request.Cursor.IsEmpty ? 0 : 10 * keys.Length);
        }
        while (!request.Cursor.IsEmpty);
        Assert.Equal(keys, seen.Order());
        Assert.Equal(0ul, (await server.Tables.StatsAsync(new V1.StatsRequest())).Figures.Hits);
    }

    [Fact]
    public async Task AScanThatWaitsCountsItsPrefix()
    {
        await using TestServer server = await TestServer.StartAsync();
        string prefix = new('p', 10_000);
        _ = await server.Entries.SetManyAsync(Batches.Set(1, (prefix + "1", ""), (prefix + "2", "")));
        ScanStore scans = server.Services.GetRequiredService<ScanStore>();
        List<long> held = [0];
        foreach (string one in new[] { "", prefix })
        {
            Assert.False((await server.Entries.ScanAsync(new V1.ScanRequest { Prefix = Batches.Bytes(one), EntriesMax = 1 })).Cursor.IsEmpty);
            held.Add(scans.Holding.TakenBytes);
        }

        Assert.Equal(held[1] + prefix.Length, held[2] - held[1]);
    }

    [Fact]
    public async Task APageWhoseReplyFindsNoRoomEndsItsScan()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetManyAsync(Batches.Set(1, [.. Enumerable.Range(0, 50).Select(static key => ($"{key}", new string('v', 10_000)))]));
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        budget.Take(budget.BytesMax);

        // Nobody is told their cursors: they would stand in the way of others for a minute.
        for (int scans = 0; scans <= ServerLimits.ScansMax; scans++)
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 10 }));
            Assert.Contains("ReplyBudgetBytes", refused.Text, StringComparison.Ordinal);
        }

        budget.Give(budget.BytesMax);
        Assert.Equal(50, (await AllAsync(server, 0, 1 << 20)).Count);
        Assert.Equal(0, server.Services.GetRequiredService<ScanStore>().Holding.TakenBytes);
    }

    [Fact]
    public async Task APageThatFindsNoRoomLeavesItsScanWhereItWas()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetManyAsync(Batches.Set(1, [.. Enumerable.Range(0, 50).Select(static key => ($"{key}", new string('v', 10_000)))]));
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        var request = new V1.ScanRequest { EntriesMax = 20 };
        HashSet<string> seen = [];
        do
        {
            V1.ScanReply page = await server.Entries.ScanAsync(request);
            Assert.All(page.Entries, entry => Assert.True(seen.Add(entry.Key.ToStringUtf8())));
            request.Cursor = page.Cursor;
            await Soon.HoldsAsync(() => budget.TakenBytes == 0, "the page counts no more");
            budget.Take(budget.BytesMax);
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.ScanAsync(request));
            Assert.Equal(V1.PileStatus.Busy, refused.Status);
            budget.Give(budget.BytesMax);
        }
        while (!request.Cursor.IsEmpty);
        Assert.Equal(50, seen.Count);
    }

    [Fact]
    public async Task AScanThatCantBeHeldUntilItsNextPageIsNotToBeTriedAgain()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetManyAsync(Batches.Set(1, [.. Enumerable.Range(0, 2_000).Select(static key => ($"{key}", ""))]));
        ByteBudget holding = server.Services.GetRequiredService<ScanStore>().Holding;
        var request = new V1.ScanRequest { EntriesMax = 1 };
        request.Cursor = (await server.Entries.ScanAsync(request)).Cursor;
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.FailedPrecondition, async () =>
        {
            while (!request.Cursor.IsEmpty)
            {
                holding.Take(holding.BytesMax - holding.TakenBytes);
                request.Cursor = (await server.Entries.ScanAsync(request)).Cursor;
            }
        });
        Assert.Equal((V1.PileStatus.Stale, 0ul), (refused.Status, refused.RetryAfterMs));
    }

    [Fact]
    public async Task ACursorThatIsTooLongIsRefusedWithoutACopyOfIt()
    {
        await using TestServer server = await TestServer.StartAsync();
        ScanStore scans = server.Services.GetRequiredService<ScanStore>();
        ServedTable table = server.Services.GetRequiredService<ServerState>().Tables.Get("");
        PileServerOptions options = server.Services.GetRequiredService<IOptions<PileServerOptions>>().Value;
        var request = new V1.ScanRequest { Cursor = ByteString.CopyFrom(new byte[1 << 20]) };
        _ = Assert.Throws<RpcException>(() => scans.Page(table, request, options, null!));

        long before = GC.GetAllocatedBytesForCurrentThread();
        RpcException refused = Assert.Throws<RpcException>(() => scans.Page(table, request, options, null!));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, request.Cursor.Length / 2);
        Assert.Equal(StatusCode.FailedPrecondition, refused.StatusCode);
    }

    [Fact]
    public async Task ScansThatWereBrokenOffMakeRoomForOnesThatAreWanted()
    {
        var time = new MovedTime();
        await using TestServer server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(time));
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", "1"), ("b", "2"), ("c", "3")));
        ByteString first = (await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1 })).Cursor;
        for (int scan = 1; scan < ServerLimits.ScansMax; scan++)
        {
            _ = await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1 });
        }

        // One that is gone on with stays, and so does any for a while.
        time.Move(TimeSpan.FromSeconds(1));
        V1.ScanReply goesOn = await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1, Cursor = first });
        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.ScanAsync(new V1.ScanRequest()));
        time.Move(ServerLimits.ScanIdleWanted);
        for (int scan = 1; scan < ServerLimits.ScansMax; scan++)
        {
            Assert.Equal(3, (await server.Entries.ScanAsync(new V1.ScanRequest())).Entries.Count);
            _ = await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1 });
        }

        Assert.Single((await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1, Cursor = goesOn.Cursor })).Entries);
    }

    private static async Task<List<V1.ScanEntry>> AllAsync(TestServer server, uint asked, int most)
    {
        List<V1.ScanEntry> entries = [];
        var request = new V1.ScanRequest { PageBytesMax = asked };
        do
        {
            V1.ScanReply page = await server.Entries.ScanAsync(request);
            Assert.InRange(page.Entries.Sum(static entry => entry.Key.Length + entry.Value.Length), 0, most);
            entries.AddRange(page.Entries);
            request.Cursor = page.Cursor;
        }
        while (!request.Cursor.IsEmpty);
        return entries;
    }
}
