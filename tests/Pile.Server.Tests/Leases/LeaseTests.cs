using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Cache.Events;
using Pile.Server.Calls;
using Pile.Server.Leases;
using Xunit;

namespace Pile.Server.Tests.Leases;

/// <summary>One client computes, the others wait.</summary>
public sealed class LeaseTests
{
    private static ByteString Key => Batches.Bytes("key");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task OneOfManyClientsIsToldToComputeAndAllGetItsValue()
    {
        await using TestServer server = await TestServer.StartAsync();
        AsyncUnaryCall<V1.GetOrLeaseReply>[] calls = [.. Enumerable.Range(0, 50).Select(_ => server.Entries.GetOrLeaseAsync(Asked(waitMs: 60_000)))];
        V1.GetOrLeaseReply first = await await Task.WhenAny(calls.Select(static call => call.ResponseAsync)).WaitAsync(Soon.Longest, Cancel);
        Assert.Equal(V1.GetOrLeaseReply.AnswerOneofCase.Lease, first.AnswerCase);
        LeaseRoom room = server.Services.GetRequiredService<LeaseRoom>();
        await Soon.HoldsAsync(() => room.Waiting == 49, "49 calls wait");

        Assert.True((await server.Entries.GetOrLeaseAsync(Asked(waitMs: 0))).Taken);
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(Leased(first.Lease, "value"))).Outcome);
        V1.GetOrLeaseReply[] replies = await Task.WhenAll(calls.Select(static call => call.ResponseAsync)).WaitAsync(Soon.Longest, Cancel);
        Assert.Equal(49, replies.Count(static reply => reply.AnswerCase == V1.GetOrLeaseReply.AnswerOneofCase.Value && reply.Value.ToStringUtf8() == "value"));
        Assert.Equal((0, 0L), (room.Waiting, room.TakenBytes));
        Assert.Equal(V1.Outcome.Refused, (await server.Entries.SetLeasedAsync(Leased(first.Lease, "again"))).Outcome);
        Assert.Equal("value", await GetAsync(server));
    }

    [Fact]
    public async Task OfThoseWhoWaitOneGetsTheNextLeaseWhenItEndsWithoutAValue()
    {
        await using TestServer server = await TestServer.StartAsync();
        LeaseRoom room = server.Services.GetRequiredService<LeaseRoom>();
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked())).Lease;
        List<Task<V1.GetOrLeaseReply>> waiting = [.. Enumerable.Range(0, 5).Select(_ => server.Entries.GetOrLeaseAsync(Asked(waitMs: 60_000)).ResponseAsync)];
        while (waiting.Count > 0)
        {
            await Soon.HoldsAsync(() => room.Waiting == waiting.Count, $"{waiting.Count} calls wait");
            Assert.True((await server.Entries.EndLeaseAsync(new V1.EndLeaseRequest { Key = Key, Lease = lease })).WasHeld);
            Assert.False((await server.Entries.EndLeaseAsync(new V1.EndLeaseRequest { Key = Key, Lease = lease })).WasHeld);
            Task<V1.GetOrLeaseReply> next = await Task.WhenAny(waiting).WaitAsync(Soon.Longest, Cancel);
            _ = waiting.Remove(next);
            Assert.NotEqual(lease, (await next).Lease);
            lease = (await next).Lease;
            Assert.NotEqual(0ul, lease);
        }

        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(Leased(lease, "at last"))).Outcome);
    }

    [Theory]
    [InlineData("Set")]
    [InlineData("SetMany")]
    [InlineData("SetLarge")]
    [InlineData("Remove")]
    [InlineData("RemoveMany")]
    [InlineData("Increment")]
    [InlineData("Clear")]
    [InlineData("RemoveByTag *")]
    [InlineData("RemoveByTag of its tag")]
    [InlineData("another lease's number")]
    public async Task AChangeDuringTheLeaseIsNotOverwritten(string change)
    {
        await using TestServer server = await TestServer.StartAsync();
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked())).Lease;
        string? then = await ChangeAsync(server, change);
        V1.SetLeasedRequest late = Leased(change.StartsWith("another", StringComparison.Ordinal) ? lease ^ 2 : lease, "outdated");
        late.Terms = new V1.EntryTerms { Tags = { "other", "its" } };

        Assert.Equal(V1.Outcome.Refused, (await server.Entries.SetLeasedAsync(late)).Outcome);
        Assert.Equal(then, await GetAsync(server));
    }

    [Fact]
    public async Task WhatWasSetAndHasGoneAgainIsNotFollowedByAnOutdatedValue()
    {
        await using TestServer server = await TestServer.StartAsync();
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked())).Lease;
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Terms = new V1.EntryTerms { EndsAtUnixMs = 1 } });
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Found);

        Assert.Equal(V1.Outcome.Refused, (await server.Entries.SetLeasedAsync(Leased(lease, "outdated"))).Outcome);
        Assert.NotEqual(0ul, (await server.Entries.GetOrLeaseAsync(Asked())).Lease);
    }

    [Fact]
    public async Task ARemovalOfAnotherTagOrOfAnotherKeyLeavesTheLease()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "other" });
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked())).Lease;
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "some", AllTables = true });
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("key2"), Value = Key });
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Table = "other" });
        _ = await server.Tables.ClearAsync(new V1.ClearTableRequest { Table = "other" });
        V1.SetLeasedRequest value = Leased(lease, "value");
        value.Terms = new V1.EntryTerms { Tags = { "its" } };

        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(value)).Outcome);
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "its" });
        Assert.Null(await GetAsync(server));
    }

    [Fact]
    public async Task WhoWaitsGetsWhatSomebodyElseSets()
    {
        await using TestServer server = await TestServer.StartAsync();
        LeaseRoom room = server.Services.GetRequiredService<LeaseRoom>();
        _ = await server.Entries.GetOrLeaseAsync(Asked());
        using AsyncUnaryCall<V1.GetOrLeaseReply> waits = server.Entries.GetOrLeaseAsync(Asked(waitMs: 60_000));
        await Soon.HoldsAsync(() => room.Waiting == 1, "a call waits");
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("set") });

        Assert.Equal("set", (await waits).Value.ToStringUtf8());
    }

    [Fact]
    public async Task AWaitEndsWithItsTimeItsCallTheTableAndTheServer()
    {
        await using TestServer server = await TestServer.StartAsync();
        LeaseRoom room = server.Services.GetRequiredService<LeaseRoom>();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t" });
        V1.GetOrLeaseRequest inTable = Asked(waitMs: 60_000);
        inTable.Table = "t";
        _ = await server.Entries.GetOrLeaseAsync(inTable);
        _ = await server.Entries.GetOrLeaseAsync(Asked());
        Assert.True((await server.Entries.GetOrLeaseAsync(Asked(waitMs: 1))).Taken);

        using var gone = new CancellationTokenSource();
        Task cancelled = server.Entries.GetOrLeaseAsync(Asked(waitMs: 60_000), cancellationToken: gone.Token).ResponseAsync;
        Task dropped = server.Entries.GetOrLeaseAsync(inTable).ResponseAsync;
        Task stopped = server.Entries.GetOrLeaseAsync(Asked(waitMs: 60_000)).ResponseAsync;
        await Soon.HoldsAsync(() => room.Waiting == 3, "three calls wait");
        await gone.CancelAsync();
        Assert.Equal(StatusCode.Cancelled, (await Assert.ThrowsAsync<RpcException>(() => cancelled)).StatusCode);
        await Soon.HoldsAsync(() => room.Waiting == 2, "the cancelled call waits no more");
        _ = await server.Tables.DropAsync(new V1.DropTableRequest { Table = "t" });
        Assert.Equal(V1.PileStatus.Disposed, (await Failure.OfAsync(StatusCode.NotFound, () => dropped)).Status);
        await server.StopAsync(Cancel);
        Assert.Equal(V1.PileStatus.Disposed, (await Failure.OfAsync(StatusCode.Unavailable, () => stopped)).Status);
        await Soon.HoldsAsync(() => room.Waiting == 0, "no call waits");
    }

    [Fact]
    public async Task ALeaseThatNobodyEndsEndsByTime()
    {
        await using TestServer server = await TestServer.StartAsync();
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked(leaseMs: 1))).Lease;
        V1.GetOrLeaseReply next = await server.Entries.GetOrLeaseAsync(Asked(leaseMs: 600_000, waitMs: 60_000));
        Assert.NotEqual(0ul, next.Lease);
        Assert.Equal(V1.Outcome.Refused, (await server.Entries.SetLeasedAsync(Leased(lease, "late"))).Outcome);
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(Leased(next.Lease, "in time"))).Outcome);
    }

    [Fact]
    public async Task WhatCantBeIsRefusedAndLeavesTheLease()
    {
        await using TestServer server = await TestServer.StartAsync();
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked(leaseMs: 600_000))).Lease;
        Assert.Contains("lease_ms", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetOrLeaseAsync(Asked(leaseMs: 600_001)))).Text, StringComparison.Ordinal);
        Assert.Contains("wait_ms", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetOrLeaseAsync(Asked(waitMs: ulong.MaxValue)))).Text, StringComparison.Ordinal);
        V1.SetLeasedRequest wrong = Leased(lease, "value");
        wrong.Terms = new V1.EntryTerms { Tags = { "" } };
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.SetLeasedAsync(wrong));
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(Leased(lease, "value"))).Outcome);
    }

    [Theory]
    [InlineData("when")]
    [InlineData("tags")]
    [InlineData("many tags")]
    [InlineData("compare")]
    [InlineData("increment")]
    [InlineData("overflow")]
    [InlineData("large")]
    public async Task AStoreThatIsRefusedForWhatItSaysLeavesTheLease(string change)
    {
        await using TestServer server = await TestServer.StartAsync();
        var wrong = new V1.EntryTerms { Tags = { "" } };
        ulong lease = (await server.Entries.GetOrLeaseAsync(Asked(leaseMs: 600_000))).Lease;
        _ = await Failure.OfAsync(change == "overflow" ? StatusCode.OutOfRange : StatusCode.InvalidArgument, async () =>
        {
            switch (change)
            {
                case "when":
                    _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, When = (V1.SetWhen)9 });
                    break;
                case "tags":
                    _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Terms = wrong });
                    break;
                case "many tags":
                    _ = await server.Entries.SetManyAsync(new V1.SetBatch { KeyLengths = { (uint)Key.Length }, Keys = Key, ValueLengths = { (uint)Key.Length }, Values = Key, Terms = wrong });
                    break;
                case "compare":
                    _ = await server.Entries.CompareAndSetAsync(new V1.CompareAndSetRequest { Key = Key, Value = Key, Version = new V1.EntryVersion { Number = 1 }, Terms = wrong });
                    break;
                case "increment":
                    _ = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 1, Terms = wrong });
                    break;
                case "overflow":
                    _ = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 1, Initial = long.MaxValue });
                    break;
                default:
                    using (AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel))
                    {
                        var head = new V1.SetLargeHead { Key = Key, ValueBytes = (ulong)Key.Length, Terms = wrong };
                        await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = head, Chunk = Key }, Cancel);
                        await call.RequestStream.CompleteAsync();
                        _ = await call.ResponseAsync;
                    }

                    break;
            }
        });
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(Leased(lease, "value"))).Outcome);
    }

    [Fact]
    public async Task AnEntryThatAClearHasToldOfAndNotMetYetIsMissing()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key });
        PileTable<byte[], byte[]> entries = server.Services.GetRequiredService<ServerState>().Tables.Get("").Entries;
        using PileWatch<byte[]> watch = entries.Watch();

        // A Clear between its event and its walk, which takes as long as the table is large.
        TableWatchers watchers = entries.Core.Parts.Watchers;
        watchers.BeginClear();
        Assert.True(entries.TryGet(Key.ToByteArray(), out _, out PileEntryVersion stored));
        _ = watchers.TellCleared(new DrawnVersions([], stored.Number));
        Assert.Equal((null, true), (await GetAsync(server), entries.ContainsKey(Key.ToByteArray())));

        Assert.NotEqual(0ul, (await server.Entries.GetOrLeaseAsync(Asked())).Lease);
        watchers.EndClear();
        Assert.Equal(Key, (await server.Entries.GetOrLeaseAsync(Asked())).Value);
    }

    [Fact]
    public async Task EachValueIsComputedOnceHoweverManyClientsAsk()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=134217728");
        int computed = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async client =>
        {
            for (int round = 0; round < 40; round++)
            {
                V1.GetOrLeaseRequest asked = new() { Key = Batches.Bytes($"{round}"), LeaseMs = 600_000, WaitMs = 60_000 };
                V1.GetOrLeaseReply reply = await server.Entries.GetOrLeaseAsync(asked);
                if (reply.AnswerCase == V1.GetOrLeaseReply.AnswerOneofCase.Lease)
                {
                    _ = Interlocked.Increment(ref computed);
                    Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetLeasedAsync(new V1.SetLeasedRequest { Key = asked.Key, Value = asked.Key, Lease = reply.Lease })).Outcome);
                }
                else
                {
                    Assert.Equal(asked.Key, reply.Value);
                }
            }
        })).WaitAsync(Soon.Longest, Cancel);
        Assert.Equal(40, computed);
    }

    private static V1.GetOrLeaseRequest Asked(ulong leaseMs = 600_000, ulong waitMs = 0) => new() { Key = Key, LeaseMs = leaseMs, WaitMs = waitMs };

    private static V1.SetLeasedRequest Leased(ulong lease, string value) => new() { Key = Key, Lease = lease, Value = Batches.Bytes(value) };

    private static async Task<string?> GetAsync(TestServer server)
    {
        V1.GetReply reply = await server.Entries.GetAsync(new V1.GetRequest { Key = Key });
        return reply.Found ? reply.Value.ToStringUtf8() : null;
    }

    /// <summary>Changes the key.</summary>
    /// <returns>What stands under it then.</returns>
    private static async Task<string?> ChangeAsync(TestServer server, string change)
    {
        switch (change)
        {
            case "Set":
                _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("new") });
                return "new";
            case "SetMany":
                _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", "1"), ("key", "new")));
                return "new";
            case "SetLarge":
                using (AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel))
                {
                    await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = Key, ValueBytes = 3 }, Chunk = Batches.Bytes("new") }, Cancel);
                    await call.RequestStream.CompleteAsync();
                    _ = await call;
                }

                return "new";
            case "Remove":
                Assert.Equal(V1.Outcome.Missing, (await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = Key })).Outcome);
                break;
            case "RemoveMany":
                _ = await server.Entries.RemoveManyAsync(Batches.Remove(1, "a", "key"));
                break;
            case "Increment":
                _ = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 1 });
                return "\u0001\0\0\0\0\0\0\0";
            case "Clear":
                _ = await server.Tables.ClearAsync(new V1.ClearTableRequest());
                break;
            case "RemoveByTag *":
                _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "*", AllTables = true });
                break;
            case "RemoveByTag of its tag":
                _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "its" });
                break;
        }

        return null;
    }
}
