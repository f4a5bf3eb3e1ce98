using System;
using System.IO;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Entries that no table has any more are dead bytes to a pile that is opened without a cache, whoever wrote them.</summary>
public sealed class WithoutItsCacheTests
{
    private const int Keys = 3000;

    [Theory]
    [InlineData("dropped")]
    [InlineData("index lost")]
    public void WhatATableHasLeftIsCleanedByAPileWithoutACache(string how)
    {
        using var directory = new TemporaryDirectory();
        using (ObjectPile pile = Open(directory.Path))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(table.Set(key, new byte[60]).IsStored);
            }

            Assert.True(how != "dropped" || cache.DropTable("table"));
        }

        foreach (string left in Directory.GetFiles(directory.Path, "index.*").Concat(Directory.GetFiles(directory.Path, "cache.*")))
        {
            File.Delete(left);
        }

        using ObjectPile again = Open(directory.Path);
        for (int round = 0; round < 5; round++)
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(_ => again.Put(new byte[300]))];
            Array.ForEach(pointers, pointer => again.Delete(pointer));
            _ = again.Compact(1.05, TestContext.Current.CancellationToken);
        }

        Assert.True(again.Verify().IsGood);
        Assert.DoesNotContain(again.ListSegments(), static segment => segment.State == PileSegmentState.Quarantined);
    }

    /// <summary>A pile that lost its table goes by the log at its next open, with or without its cache. What is cached is there still, but not after a power cut.</summary>
    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(3, false)]
    [InlineData(1, true)]
    public void EntriesAreThereAfterOpensThatWentByTheLog(int opensWithout, bool isCut)
    {
        var files = new SimulatedFiles();
        using (var mapped = new MappedCache(files))
        {
            Assert.True(mapped.Table<int, int>().Set(1, 11).IsStored);
        }

        for (int open = 0; open < opensWithout; open++)
        {
            LoseTable(files);
            ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)).Dispose();
        }

        if (isCut)
        {
            ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files));
            SimulatedFiles cut = files.PowerCut(new Random(1));
            pile.Dispose();
            files.Dispose();
            files = cut;
        }
        else
        {
            LoseTable(files);
        }

        using (var again = new MappedCache(files))
        {
            Assert.Equal(PileOpening.Crawled, again.Cache.Pile.RecoveryReport().Opening);
            Assert.Equal(isCut ? (false, 0) : (true, 11), (again.Table<int, int>().TryGet(1, out int value), value));
            again.Verify();
        }

        files.Dispose();
    }

    private static void LoseTable(SimulatedFiles files)
    {
        foreach (string name in files.List(MappedCache.Directory).Where(static name => name.StartsWith("table.", StringComparison.Ordinal)).ToArray())
        {
            files.Delete($"{MappedCache.Directory}/{name}");
        }
    }

    private static ObjectPile Open(string path) => ObjectPile.Open(path, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 32 << 20 });
}
