// Durable tables of a pile that takes no writes any more, because a sync of its files failed.
using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class PoisonedTablesTests
{
    private const int Keys = 20;

    [Fact]
    public void WhatIsRefusedOfTablesHasNotTakenPlaceThenNorAfterTheNextOpen()
    {
        using var files = new SimulatedFiles();
        PileCache cache = Open(files);
        PileTable<int, string> table = cache.GetOrCreateTable<int, string>("table", DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.Set(key, $"value {key}").IsStored));
        cache.Pile.Commit();
        Assert.True(table.Set(0, "value 0").IsStored);
        files.FailAt(files.Calls + 1, FileFailure.Other);
        _ = Assert.Throws<PilePoisonedException>(cache.Pile.Commit);

        _ = Assert.Throws<PilePoisonedException>(table.Clear);
        AssertThere(table);
        _ = Assert.Throws<PilePoisonedException>(() => cache.DropTable("table"));
        AssertThere(table);
        _ = Assert.Throws<PilePoisonedException>(() => cache.GetOrCreateTable<int, string>("another", DurableTests.Durable));
        Assert.Equal(["table"], cache.TableNames);
        Assert.Same(table, cache.GetOrCreateTable<int, string>("table", DurableTests.Durable));
        _ = Record.Exception(cache.Dispose);

        using PileCache again = Open(files);
        Assert.Equal(["table"], again.TableNames);
        AssertThere(again.GetOrCreateTable<int, string>("table", DurableTests.Durable));
    }

    /// <summary>The system could not write back a page of an index by itself: what comes back from the device may lead to older entries, or to none.</summary>
    [Theory]
    [InlineData("table.1")]
    [InlineData("index.1")]
    public void ATableWhosePagesWereLostIsAMissUntilTheNextOpenBuildsIt(string lost)
    {
        using var files = new SimulatedFiles();
        PileCache cache = Open(files);
        PileTable<int, string> table = Filled(cache);
        files.FailWriteback($"{MappedCache.Directory}/{lost}");
        files.Reread(new Random(1));
        Assert.Contains("writeback of", Assert.Throws<PilePoisonedException>(cache.Pile.Commit).Message, StringComparison.Ordinal);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.False(table.TryGet(key, out _)));
        _ = Assert.Throws<PilePoisonedException>(() => table.GetOrAdd(1, static _ => "made"));
        _ = Record.Exception(cache.Dispose);

        using PileCache again = Open(files);
        AssertThere(again.GetOrCreateTable<int, string>("table", DurableTests.Durable));
    }

    [Theory]
    [InlineData("table.1")]
    [InlineData("index.1")]
    public void NorIsItBelievedWhereTheProcessWasKilledBeforeItAsked(string lost)
    {
        using var files = new SimulatedFiles();
        PileCache cache = Open(files);
        _ = Filled(cache);
        cache.Pile.Durable!.Failed.Dispose();
        files.FailWriteback($"{MappedCache.Directory}/{lost}");
        files.Reread(new Random(2));
        using SimulatedFiles left = files.Fork();
        _ = Record.Exception(cache.Dispose);

        using PileCache again = Open(left);
        AssertThere(again.GetOrCreateTable<int, string>("table", DurableTests.Durable));
    }

    private static PileTable<int, string> Filled(PileCache cache)
    {
        PileTable<int, string> table = cache.GetOrCreateTable<int, string>("table", DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.Set(key, $"older {key}").IsStored));
        cache.Pile.Commit();
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.Set(key, $"value {key}").IsStored));
        cache.Pile.Commit();
        return table;
    }

    private static void AssertThere(PileTable<int, string> table)
    {
        Assert.Equal(Keys, table.Count);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.TryGet(key, out string? value) && value == $"value {key}"));
    }

    private static PileCache Open(SimulatedFiles files) => PileCache.Open(
        MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, TimeProvider = new ManualClock(), BackgroundCleaning = false }, MappedCache.Options(files));
}
