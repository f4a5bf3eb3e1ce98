using System;
using System.Buffers.Binary;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Calls on one entry.</summary>
public sealed class EntriesTests
{
    private static ByteString Key => Batches.Bytes("key");

    [Fact]
    public async Task WhatIsSetIsGot()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.GetReply missing = await server.Entries.GetAsync(new V1.GetRequest { Key = Key });
        Assert.False(missing.Found);
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("one") })).Outcome);
        Assert.Equal(V1.Outcome.Replaced, (await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("two") })).Outcome);

        V1.GetReply found = await server.Entries.GetAsync(new V1.GetRequest { Key = Key });
        Assert.Equal((true, "two", null), (found.Found, found.Value.ToStringUtf8(), found.Version));
        Assert.True((await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = Key })).Found);
        Assert.Equal(V1.Outcome.Removed, (await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = Key })).Outcome);
        Assert.Equal(V1.Outcome.Missing, (await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = Key })).Outcome);
        Assert.False((await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = Key })).Found);
    }

    [Fact]
    public async Task AnEmptyValueIsAValue()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key });

        V1.GetReply found = await server.Entries.GetAsync(new V1.GetRequest { Key = Key, WantVersion = true });
        Assert.Equal((true, 0), (found.Found, found.Value.Length));
        Assert.NotEqual(0ul, found.Version.CreatedMs);
    }

    [Fact]
    public async Task AReadTellsWhenAnEntryEndsWhereItIsAsked()
    {
        await using TestServer server = await TestServer.StartAsync();
        async Task<ulong> EndAsync(V1.EntryTerms? terms, bool isAsked)
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Terms = terms });
            V1.GetReply found = await server.Entries.GetAsync(new V1.GetRequest { Key = Key, WantEnd = isAsked, WantVersion = isAsked });
            Assert.Equal((Key, isAsked), (found.Value, found.Version is not null));
            Assert.Equal(found.EndsInMs > 0, (await server.Entries.GetAsync(new V1.GetRequest { Key = Key, WantEnd = isAsked })).EndsInMs > 0);
            return found.EndsInMs;
        }

        Assert.Equal(0ul, await EndAsync(null, isAsked: true));
        Assert.Equal(0ul, await EndAsync(new V1.EntryTerms { TimeToLiveMs = 3_600_000 }, isAsked: false));
        Assert.InRange(await EndAsync(new V1.EntryTerms { TimeToLiveMs = 3_600_000 }, isAsked: true), 3_500_000ul, 3_600_000ul);
        Assert.InRange(await EndAsync(new V1.EntryTerms { SlidingMs = 3_600_000 }, isAsked: true), 3_500_000ul, 3_600_000ul);
        Assert.Equal(0ul, (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("none"), WantEnd = true })).EndsInMs);
    }

    [Fact]
    public async Task ConditionsOfASetHold()
    {
        await using TestServer server = await TestServer.StartAsync();
        async Task<V1.Outcome> SetAsync(V1.SetWhen when) => (await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, When = when })).Outcome;

        Assert.Equal(V1.Outcome.Refused, await SetAsync(V1.SetWhen.Present));
        Assert.Equal(V1.Outcome.Inserted, await SetAsync(V1.SetWhen.Absent));
        Assert.Equal(V1.Outcome.Refused, await SetAsync(V1.SetWhen.Absent));
        Assert.Equal(V1.Outcome.Replaced, await SetAsync(V1.SetWhen.Present));
        Assert.Equal(V1.PileStatus.Refused, (await Failure.OfAsync(StatusCode.InvalidArgument, () => SetAsync((V1.SetWhen)9))).Status);
    }

    [Fact]
    public async Task ASetThatSomebodyElseWasQuickerThanIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("one") });
        V1.EntryVersion version = (await server.Entries.GetAsync(new V1.GetRequest { Key = Key, WantVersion = true })).Version;
        var change = new V1.CompareAndSetRequest { Key = Key, Value = Batches.Bytes("two"), Version = version };

        Assert.Equal(V1.Outcome.Replaced, (await server.Entries.CompareAndSetAsync(change)).Outcome);
        Assert.Equal(V1.Outcome.Refused, (await server.Entries.CompareAndSetAsync(change)).Outcome);
        Assert.Equal(V1.Outcome.Refused, (await server.Entries.CompareAndRemoveAsync(new V1.CompareAndRemoveRequest { Key = Key, Version = version })).Outcome);
        version = (await server.Entries.GetAsync(new V1.GetRequest { Key = Key, WantVersion = true })).Version;
        Assert.Equal(V1.Outcome.Removed, (await server.Entries.CompareAndRemoveAsync(new V1.CompareAndRemoveRequest { Key = Key, Version = version })).Outcome);
        Assert.Equal(V1.Outcome.Missing, (await server.Entries.CompareAndRemoveAsync(new V1.CompareAndRemoveRequest { Key = Key, Version = version })).Outcome);
        change.Version = null;
        Assert.Contains("want_version", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.CompareAndSetAsync(change))).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task IncrementsOfManyClientsAddUp()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.IncrementReply first = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = -5, Initial = 100 });
        Assert.Equal((95, true), (first.Value, first.Created));
        _ = await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 1, Initial = 100 }).ResponseAsync));

        V1.IncrementReply last = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key });
        Assert.Equal((295, false), (last.Value, last.Created));
        Assert.Equal(295, BinaryPrimitives.ReadInt64LittleEndian((await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Value.Span));
    }

    [Fact]
    public async Task AnIncrementOfWhatIsNoNumberOrTooLargeChangesNothing()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Batches.Bytes("three") });
        V1.ErrorDetail detail = await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 1 }));
        Assert.Equal(V1.PileStatus.TypeMismatch, detail.Status);

        _ = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Batches.Bytes("n"), By = long.MaxValue });
        _ = await Failure.OfAsync(StatusCode.OutOfRange, async () => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Batches.Bytes("n"), By = 1 }));
        Assert.Equal(long.MaxValue, (await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Batches.Bytes("n") })).Value);
        Assert.Equal("three", (await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Value.ToStringUtf8());
    }

    [Fact]
    public async Task AnIncrementThatWouldHaveEndedIsRefusedAndChangesNothing()
    {
        await using TestServer server = await TestServer.StartAsync();
        var past = new V1.IncrementRequest { Key = Key, By = 2, Terms = new V1.EntryTerms { EndsAtUnixMs = 1 } };
        async Task RefuseAsync() => Assert.Contains("has passed", (await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await server.Entries.IncrementAsync(past))).Text, StringComparison.Ordinal);

        await RefuseAsync();
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Found);
        _ = await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Key, By = 5 });
        await RefuseAsync();
        past.KeepEnd = true;
        Assert.Equal(7, (await server.Entries.IncrementAsync(past)).Value);
    }

    [Fact]
    public async Task WhatHasEndedIsNotThere()
    {
        await using TestServer server = await TestServer.StartAsync();
        var past = new V1.EntryTerms { EndsAtUnixMs = 1 };
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key });
        Assert.Equal(V1.Outcome.Expired, (await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Terms = past })).Outcome);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Found);

        var longest = new V1.EntryTerms { TimeToLiveMs = ulong.MaxValue, SlidingMs = ulong.MaxValue, EndsAtUnixMs = ulong.MaxValue };
        Assert.Equal(V1.Outcome.Inserted, (await server.Entries.SetAsync(new V1.SetRequest { Key = Key, Value = Key, Terms = longest })).Outcome);
        Assert.True((await server.Entries.GetAsync(new V1.GetRequest { Key = Key })).Found);
    }

    [Fact]
    public async Task ARemovalByTagTakesWhatHasTheTag()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "other" });
        foreach ((string table, string key, string tag) in new[] { ("", "a", "x"), ("", "b", "y"), ("other", "c", "x") })
        {
            _ = await server.Entries.SetAsync(new V1.SetRequest { Table = table, Key = Batches.Bytes(key), Terms = new V1.EntryTerms { Tags = { tag } } });
        }

        async Task<string> LeftAsync()
        {
            bool[] left = [.. await Task.WhenAll(new[] { ("", "a"), ("", "b"), ("other", "c") }.Select(async at => (await server.Entries.GetAsync(new V1.GetRequest { Table = at.Item1, Key = Batches.Bytes(at.Item2) })).Found))];
            return string.Concat(left.Select(static found => found ? "1" : "0"));
        }

        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "x" });
        Assert.Equal("011", await LeftAsync());
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "x", AllTables = true });
        Assert.Equal("010", await LeftAsync());
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "*", AllTables = true });
        Assert.Equal("000", await LeftAsync());
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest()));
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "x", Table = "other", AllTables = true }));
        Assert.Equal(["default", "other"], (await server.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
    }

    [Fact]
    public async Task KeysThatCantBeAreRefusedByTheirSize()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:KeyBytesMax=20");
        Assert.Contains("1 at least", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetAsync(new V1.GetRequest()))).Text, StringComparison.Ordinal);
        V1.ErrorDetail detail = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetAsync(new V1.SetRequest { Key = ByteString.CopyFrom(new byte[21]) }));
        Assert.Equal((V1.PileStatus.TooLarge, 0ul), (detail.Status, detail.RetryAfterMs));
        Assert.Contains("21 bytes; at most 20 are allowed (KeyBytesMax)", detail.Text, StringComparison.Ordinal);
        Assert.Contains("no table 'nothing'", (await Failure.OfAsync(StatusCode.NotFound, async () => await server.Entries.GetAsync(new V1.GetRequest { Key = Key, Table = "nothing" }))).Text, StringComparison.Ordinal);
    }
}
