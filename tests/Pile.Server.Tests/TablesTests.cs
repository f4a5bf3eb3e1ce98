using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Server.Calls;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Tables, scans and figures.</summary>
public sealed class TablesTests
{
    [Fact]
    public async Task TablesAreMadeListedDescribedClearedAndDropped()
    {
        await using TestServer server = await TestServer.StartAsync();
        var made = new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable, DefaultTimeToLiveMs = 60_000 } };
        Assert.True((await server.Tables.CreateAsync(made)).Created);
        Assert.False((await server.Tables.CreateAsync(made)).Created);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes("a") });
        V1.TableDescription described = await server.Tables.DescribeAsync(new V1.DescribeTableRequest { Table = "t" });
        Assert.Equal(("t", made.Options, 1ul), (described.Table, described.Options, described.Figures.Entries));
        Assert.Equal(["default", "t"], (await server.Tables.ListAsync(new V1.ListTablesRequest())).Tables);

        _ = await server.Tables.ClearAsync(new V1.ClearTableRequest { Table = "t" });
        Assert.Equal(0ul, (await server.Tables.DescribeAsync(new V1.DescribeTableRequest { Table = "t" })).Figures.Entries);
        Assert.True((await server.Tables.DropAsync(new V1.DropTableRequest { Table = "t" })).Dropped);
        Assert.False((await server.Tables.DropAsync(new V1.DropTableRequest { Table = "t" })).Dropped);
        _ = await Failure.OfAsync(StatusCode.NotFound, async () => await server.Tables.DescribeAsync(new V1.DescribeTableRequest { Table = "t" }));
    }

    [Fact]
    public async Task ATagIsRemovedFromAllTablesThoughOneOfThemIsDroppedMeanwhile()
    {
        await using TestServer server = await TestServer.StartAsync();
        string[] names = ["a", "b", "c"];
        foreach (string name in names)
        {
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = name });
            _ = await server.Entries.SetAsync(new V1.SetRequest { Table = name, Key = Batches.Bytes("key"), Terms = new V1.EntryTerms { Tags = { "x" } } });
        }

        // As it is while a drop is under way: the cache has it no more, and the list of tables still has.
        Assert.True(server.Services.GetRequiredService<PileCache>().DropTable("b"));
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "x", AllTables = true });
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Table = "a", Key = Batches.Bytes("key") })).Found);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Table = "c", Key = Batches.Bytes("key") })).Found);
        _ = await Failure.OfAsync(StatusCode.NotFound, async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "x", Table = "b" }));
    }

    [Fact]
    public async Task ATagThatIsRemovedFromAllTablesCountsOnceHoweverManyThereAre()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit", "4MiB");
        for (int table = 0; table < 100; table++)
        {
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = $"t{table}" });
        }

        _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t7", Key = Batches.Bytes("key"), Terms = new V1.EntryTerms { Tags = { "kept" } } });
        PileCache cache = server.Services.GetRequiredService<PileCache>();
        for (int tag = 0; tag < 100; tag++)
        {
            _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = $"tag {tag}", AllTables = true });
        }

        Assert.Equal(100, cache.GetStatistics().RemovedTags);
        Assert.True((await server.Entries.GetAsync(new V1.GetRequest { Table = "t7", Key = Batches.Bytes("key") })).Found);

        // Of the application's own tables nothing goes.
        _ = cache.GetOrCreateTable<byte[], byte[]>("own").Set([1], [2], new PileEntryOptions { Tags = ["kept"] });
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "kept", AllTables = true });
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Table = "t7", Key = Batches.Bytes("key") })).Found);
        Assert.True(cache.GetOrCreateTable<byte[], byte[]>("own").ContainsKey([1]));
    }

    [Fact]
    public async Task TablesThatCantBeAreRefused()
    {
        await using TestServer server = await TestServer.StartAsync();
        async Task<V1.ErrorDetail> RefusedAsync(StatusCode code, string name, V1.TableOptions? options = null) =>
            await Failure.OfAsync(code, async () => await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = name, Options = options }));

        Assert.Contains("1 to 256", (await RefusedAsync(StatusCode.InvalidArgument, "")).Text, StringComparison.Ordinal);
        _ = await RefusedAsync(StatusCode.InvalidArgument, new string('n', 257));
        Assert.Contains("server's own", (await RefusedAsync(StatusCode.InvalidArgument, "pile.x")).Text, StringComparison.Ordinal);
        _ = await RefusedAsync(StatusCode.InvalidArgument, "t", new V1.TableOptions { Kind = (V1.TableKind)7 });
        Assert.Contains("a durable table evicts nothing", (await RefusedAsync(StatusCode.InvalidArgument, "t", new V1.TableOptions { Kind = V1.TableKind.Durable, EntriesMax = 1 })).Text, StringComparison.Ordinal);
        Assert.Contains("with other options", (await RefusedAsync(StatusCode.AlreadyExists, "default", new V1.TableOptions { EntriesMax = 5 })).Text, StringComparison.Ordinal);
        Assert.Contains("always there", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Tables.DropAsync(new V1.DropTableRequest { Table = "default" }))).Text, StringComparison.Ordinal);
        Assert.Equal(["default"], (await server.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
    }

    [Fact]
    public async Task WhatCantBeAtAllIsNeverWrittenDown()
    {
        await using TestServer server = await TestServer.StartAsync();
        using PileWatch<byte[]> list = server.Services.GetRequiredService<PileCache>().GetOrCreateTable<byte[], byte[]>("pile.server.tables").Watch();
        foreach (V1.TableOptions options in (V1.TableOptions[])[new() { Kind = (V1.TableKind)7 }, new() { DefaultPriority = (V1.Priority)9 }, new() { Kind = V1.TableKind.Durable, EntriesMax = 1 }])
        {
            _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = options }));
        }

        Assert.False(list.TryRead(out _));
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t" });
        Assert.True(list.TryRead(out _));
    }

    [Fact]
    public async Task ATableThatCantBeOpenedDoesNotKeepTheServerFromItsStart()
    {
        using var directory = new TemporaryDirectory();
        await using (TestServer server = await TestServer.StartAsync("--directory", directory.Path))
        {
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "good" });
            PileTable<byte[], byte[]> list = server.Services.GetRequiredService<PileCache>().GetOrCreateTable<byte[], byte[]>("pile.server.tables");
            Assert.True(list.Set("durable"u8.ToArray(), new V1.TableOptions { Kind = V1.TableKind.Durable, EntriesMax = 1 }.ToByteArray()).IsStored);
            Assert.True(list.Set("kind"u8.ToArray(), new V1.TableOptions { Kind = (V1.TableKind)7 }.ToByteArray()).IsStored);
            Assert.True(list.Set("malformed"u8.ToArray(), [255, 255]).IsStored);
        }

        await using (TestServer again = await TestServer.StartAsync("--directory", directory.Path))
        {
            Assert.Equal(["default", "good"], (await again.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
            string[] said = [.. again.Log.Lines.Where(static line => line.Id.Id == 314).Select(static line => line.Message).Order()];
            Assert.Equal(3, said.Length);
            Assert.Contains("'durable' can't be opened", said[0], StringComparison.Ordinal);

            // The ways out: another table of that name, or none.
            Assert.True((await again.Tables.CreateAsync(new V1.CreateTableRequest { Table = "durable" })).Created);
            Assert.True((await again.Tables.DropAsync(new V1.DropTableRequest { Table = "kind" })).Dropped);
            Assert.True((await again.Tables.DropAsync(new V1.DropTableRequest { Table = "malformed" })).Dropped);
            Assert.False((await again.Tables.DropAsync(new V1.DropTableRequest { Table = "malformed" })).Dropped);
        }

        await using TestServer mended = await TestServer.StartAsync("--directory", directory.Path);
        Assert.Equal(["default", "durable", "good"], (await mended.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
        Assert.DoesNotContain(mended.Log.Lines, static line => line.Id.Id == 314);
    }

    [Fact]
    public async Task TablesBeyondTheLimitAreRefusedAndThoseThatAreThereAreOpened()
    {
        using var directory = new TemporaryDirectory();
        async Task<bool> CreatedAsync(TestServer server, string name) => (await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = name })).Created;
        await using (TestServer server = await TestServer.StartAsync("--directory", directory.Path, "--PileServer:TablesMax=3"))
        {
            Assert.True(await CreatedAsync(server, "a"));
            Assert.True(await CreatedAsync(server, "b"));
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, () => CreatedAsync(server, "c"));
            Assert.Equal((V1.PileStatus.Full, "The server has 3 tables, and may have 3 (TablesMax). Drop one, or raise it."), (refused.Status, refused.Text));
            Assert.False(await CreatedAsync(server, "a"));
            _ = await server.Tables.DropAsync(new V1.DropTableRequest { Table = "a" });
            Assert.True(await CreatedAsync(server, "c"));
        }

        await using TestServer fewer = await TestServer.StartAsync("--directory", directory.Path, "--PileServer:TablesMax=1");
        Assert.Equal(["b", "c", "default"], (await fewer.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
        Assert.False(await CreatedAsync(fewer, "b"));
        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, () => CreatedAsync(fewer, "d"));
        Assert.Equal(["b", "c", "default"], (await fewer.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
    }

    [Fact]
    public async Task ATableOfTheApplicationIsNotShownNorTaken()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = server.Services.GetRequiredService<PileCache>().GetOrCreateTable<byte[], byte[]>("own").Set([1], [2]);

        Assert.Equal(["default"], (await server.Tables.ListAsync(new V1.ListTablesRequest())).Tables);
        _ = await Failure.OfAsync(StatusCode.AlreadyExists, async () => await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "own" }));
        Assert.False((await server.Tables.DropAsync(new V1.DropTableRequest { Table = "own" })).Dropped);
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "*", AllTables = true });
        Assert.True(server.Services.GetRequiredService<PileCache>().GetOrCreateTable<byte[], byte[]>("own").ContainsKey([1]));
    }

    [Fact]
    public async Task ANameThatIsCutForAMessageKeepsItsSurrogatePairs()
    {
        await using TestServer server = await TestServer.StartAsync();
        string shown = new('t', ServerLimits.NameCharsShown - 1);
        V1.ErrorDetail missing = await Failure.OfAsync(StatusCode.NotFound, async () => await server.Entries.GetAsync(new V1.GetRequest { Table = shown + "\ud83d\ude00", Key = Batches.Bytes("a") }));
        Assert.Contains($"'{shown}...'", missing.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ANameThatWouldBreakALineDoesNotInAMessage()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.ErrorDetail missing = await Failure.OfAsync(StatusCode.NotFound, async () => await server.Entries.GetAsync(new V1.GetRequest { Table = "a\r\nwarn: b\u2028", Key = Batches.Bytes("a") }));
        Assert.Contains("'a??warn: b?'", missing.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TablesAndEntriesAreThereAfterARestart()
    {
        using var directory = new TemporaryDirectory();
        var options = new V1.TableOptions { Kind = V1.TableKind.Durable, DefaultPriority = V1.Priority.High };
        for (int run = 0; run < 2; run++)
        {
            await using TestServer server = await TestServer.StartAsync("--directory", directory.Path);
            if (run == 0)
            {
                _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = options });
                _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes("a"), Value = Batches.Bytes("kept") });
                _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("b"), Value = Batches.Bytes("warm") });
            }
            else
            {
                Assert.Equal(options, (await server.Tables.DescribeAsync(new V1.DescribeTableRequest { Table = "t" })).Options);
                Assert.Equal("kept", (await server.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes("a") })).Value.ToStringUtf8());
                Assert.Equal("warm", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("b") })).Value.ToStringUtf8());
            }

            await server.StopAsync();
        }
    }

    [Fact]
    public async Task AScanGivesEachEntryOnceAndEachCursorIsGoodForOnePage()
    {
        await using TestServer server = await TestServer.StartAsync();
        (string Key, string Value)[] items = [.. Enumerable.Range(0, 500).Select(static number => ($"{(number % 2 == 0 ? "even" : "odd")}{number}", $"v{number}"))];
        _ = await server.Entries.SetManyAsync(Batches.Set(1, items));
        var found = new Dictionary<string, string>();
        var request = new V1.ScanRequest { Prefix = Batches.Bytes("even"), EntriesMax = 7 };
        ByteString first = ByteString.Empty;
        do
        {
            V1.ScanReply page = await server.Entries.ScanAsync(request);
            Assert.InRange(page.Entries.Count, 0, 7);
            foreach (V1.ScanEntry entry in page.Entries)
            {
                found.Add(entry.Key.ToStringUtf8(), entry.Value.ToStringUtf8());
            }

            first = first.IsEmpty ? page.Cursor : first;
            request.Cursor = page.Cursor;
        }
        while (!request.Cursor.IsEmpty);

        Assert.Equal(items.Where(static item => item.Key[0] == 'e').ToDictionary(), found);
        request.Cursor = first;
        Assert.Equal(V1.PileStatus.Stale, (await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await server.Entries.ScanAsync(request))).Status);
        V1.ScanReply keys = await server.Entries.ScanAsync(new V1.ScanRequest { KeysOnly = true });
        Assert.Equal(500, keys.Entries.Count);
        Assert.All(keys.Entries, static entry => Assert.True(entry.Value.IsEmpty));
    }

    [Fact]
    public async Task ACursorIsOfItsScanAloneAndScansAreBounded()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", "1"), ("b", "2"), ("c", "3")));
        V1.ScanReply page = await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1 });
        Assert.Contains("another prefix", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.ScanAsync(new V1.ScanRequest { Cursor = page.Cursor, Prefix = Batches.Bytes("a") }))).Text, StringComparison.Ordinal);
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 10_001 }));
        for (int scan = 0; scan < ServerLimits.ScansMax; scan++)
        {
            Assert.Single((await server.Entries.ScanAsync(new V1.ScanRequest { EntriesMax = 1 })).Entries);
        }

        Assert.Equal(100ul, (await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.ScanAsync(new V1.ScanRequest()))).RetryAfterMs);
        server.Services.GetRequiredService<ScanStore>().Dispose();
        Assert.Equal(3, (await server.Entries.ScanAsync(new V1.ScanRequest())).Entries.Count);
    }

    [Fact]
    public async Task FiguresAreTold()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a") });
        _ = await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") });
        _ = await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("b") });
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetAsync(new V1.GetRequest()));
        V1.StatsReply stats = await server.Tables.StatsAsync(new V1.StatsRequest());

        Assert.Equal((1ul, 1ul, 67_108_864ul), (stats.Figures.Hits, stats.Figures.Misses, stats.MemoryLimitBytes));
        Assert.Equal((5ul, 1ul, 0ul, 268_435_456ul), (stats.Calls, stats.FailedCalls, stats.ReceivingBytes, stats.ReceiveBudgetBytes));
        Assert.StartsWith("0.", stats.Version, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheServersOwnListOfTablesIsInNoFigureOfEntries()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "a" });
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "b", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } });
        V1.StatsReply empty = await server.Tables.StatsAsync(new V1.StatsRequest());
        Assert.Equal((0ul, 0ul), (empty.Figures.Entries, empty.Figures.EntryBytes));
        _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "b", Key = Batches.Bytes("a") });
        Assert.Equal(1ul, (await server.Tables.StatsAsync(new V1.StatsRequest())).Figures.Entries);
    }

    [Fact]
    public async Task AFullTableRefusesAndKeepsWhatItHas()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=1048576");
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } });
        ByteString value = ByteString.CopyFrom(new byte[10_000]);
        int stored = 0;

        // The cleaner may find room between two tries: each goes on until it is told that there is none.
        async Task<V1.Outcome> SetManyAsync()
        {
            string key = $"{stored}";
            var batch = new V1.SetBatch { Table = "t", KeyLengths = { (uint)key.Length }, Keys = Batches.Bytes(key), ValueLengths = { 10_000 }, Values = value };
            return Assert.Single((await server.Entries.SetManyAsync(batch)).Outcomes);
        }

        V1.Outcome outcome;
        while ((outcome = await SetManyAsync()) != V1.Outcome.Full)
        {
            Assert.Equal(V1.Outcome.Inserted, outcome);
            Assert.InRange(++stored, 1, 200);
        }

        V1.ErrorDetail full = await Failure.OfAsync(StatusCode.ResourceExhausted, async () =>
        {
            while (stored < 200)
            {
                _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes($"{stored}"), Value = value });
                stored++;
            }
        });

        Assert.Equal((V1.PileStatus.Full, 0ul), (full.Status, full.RetryAfterMs));
        for (int key = 0; key < stored; key++)
        {
            Assert.Equal(10_000, (await server.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes($"{key}") })).Value.Length);
        }
    }
}
