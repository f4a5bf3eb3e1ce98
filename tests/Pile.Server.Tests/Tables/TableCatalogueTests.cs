using System;
using System.Linq;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Logging.Abstractions;
using Pile.Cache;
using Pile.Server.Leases;
using Pile.Server.Tables;
using Pile.Server.Watching;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests.Tables;

/// <summary>The list of tables where the cache fails midway.</summary>
public sealed class TableCatalogueTests
{
    [Fact]
    public void ATableWhoseDropFailsMidwayIsNotListedAndCanBeDroppedAgainAndMadeAnew()
    {
        using var directory = new TemporaryDirectory();
        var time = new FailingTime();
        using PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { TimeProvider = time, BackgroundCleaning = false });
        var tables = new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 2, NullLogger.Instance);
        var options = new V1.TableOptions { Kind = V1.TableKind.Durable };
        Assert.True(tables.Create("t", options));
        Assert.True(tables.Get("t").Entries.Set([1], [2], new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) }).IsStored);

        time.Fails = true;
        _ = Assert.Throws<TimeZoneNotFoundException>(() => tables.Drop("t"));
        time.Fails = false;

        Assert.Equal(["default"], tables.All.Select(static table => table.Name));
        Assert.Equal(StatusCode.NotFound, Assert.Throws<RpcException>(() => tables.Get("t")).StatusCode);
        Assert.True(tables.Drop("t"));
        Assert.False(tables.Drop("t"));
        Assert.True(tables.Create("t", options));
        Assert.Equal(0, tables.Get("t").Entries.Count);
    }

    /// <summary>A power cut may take the end of a table of that name and leave the list's row of the next one: they are in segments of different writers.</summary>
    [Fact]
    public void ATableOfTheListThatTheCacheHasAsAnotherKindIsLeftOutAndTheOthersAreServed()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> list = cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable });
        foreach (byte name in "abc"u8)
        {
            Assert.True(list.Set([name], new V1.TableOptions().ToByteArray()).IsStored);
        }

        PileTable<byte[], byte[]> other = cache.GetOrCreateTable<byte[], byte[]>("b", new PileTableOptions { Kind = PileTableKind.Durable });
        Assert.True(other.Set([1], [2]).IsStored);
        var tables = new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance);

        Assert.Equal(["a", "c", "default"], tables.All.Select(static table => table.Name));
        Assert.True(other.ContainsKey([1]));
        Assert.True(tables.Drop("b"));
        Assert.False(tables.Drop("b"));
    }

    [Fact]
    public void ATableOfTheListWithMoreForItAloneThanItMayHoldIsServedAndNoOtherIsMade()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> list = cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable });
        var options = new V1.TableOptions { BytesMin = 2000, BytesMax = 1000 };
        Assert.True(list.Set("b"u8.ToArray(), options.ToByteArray()).IsStored);
        var tables = new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance);

        Assert.Equal(options, tables.Get("b").Options);
        Assert.Equal(["b", "default"], tables.All.Select(static table => table.Name));
        Assert.Contains("1,000 (MaximumBytes)", Assert.Throws<ArgumentOutOfRangeException>(() => tables.Create("c", options)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ATableThatWasLeftOutIsMadeAnewAfterItsDrop()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> list = cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable });
        Assert.True(list.Set("b"u8.ToArray(), new V1.TableOptions().ToByteArray()).IsStored);
        Assert.True(cache.GetOrCreateTable<byte[], byte[]>("b", new PileTableOptions { Kind = PileTableKind.Durable }).Set([1], [2]).IsStored);
        var tables = new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance);

        RpcException told = Assert.Throws<RpcException>(() => tables.Create("b", new V1.TableOptions()));
        Assert.Equal(StatusCode.AlreadyExists, told.StatusCode);
        Assert.Contains("Drop it first", told.Status.Detail, StringComparison.Ordinal);
        Assert.True(tables.Drop("b"));
        Assert.True(tables.Create("b", new V1.TableOptions()));
        Assert.Equal(0, tables.Get("b").Entries.Count);
        Assert.Equal(V1.TableKind.Speculative, tables.Get("b").Options.Kind);
    }

    [Fact]
    public void ATableThatIsNotTheServersIsNotDroppedWithItsRow()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> list = cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable });
        Assert.True(list.Set("b"u8.ToArray(), new V1.TableOptions().ToByteArray()).IsStored);
        PileTable<int, string> own = cache.GetOrCreateTable<int, string>("b");
        Assert.True(own.Set(1, "one").IsStored);
        var tables = new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance);

        Assert.True(tables.Drop("b"));
        Assert.False(tables.Drop("b"));
        Assert.True(own.TryGet(1, out _));
        RpcException told = Assert.Throws<RpcException>(() => tables.Create("b", new V1.TableOptions()));
        Assert.Contains("Use another name", told.Status.Detail, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("pile.server.tables")]
    [InlineData("b")]
    [InlineData("default")]
    public void ATableForWhichThereIsNoRoomEndsTheStartByItsNameAndTheWayOut(string name)
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]>? list = name == "pile.server.tables" ? null : cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable });
        if (name == "b")
        {
            Assert.True(list!.Set("b"u8.ToArray(), new V1.TableOptions().ToByteArray()).IsStored);
        }

        // So many tables that there is room for the index of none.
        _ = Assert.Throws<PileFullException>(() => Enumerable.Range(0, 1 << 20).ToList().ForEach(number => cache.GetOrCreateTable<byte[], byte[]>($"{number}")));

        PileFullException full = Assert.Throws<PileFullException>(() => new TableCatalogue(cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance));

        Assert.StartsWith($"The table '{name}' can't be made. ", full.Message, StringComparison.Ordinal);
        Assert.Contains("MemoryLimitBytes", full.Message, StringComparison.Ordinal);
    }

    private sealed class FailingTime : TimeProvider
    {
        internal bool Fails { get; set; }

        public override DateTimeOffset GetUtcNow() => Fails ? throw new TimeZoneNotFoundException() : System.GetUtcNow();
    }
}
