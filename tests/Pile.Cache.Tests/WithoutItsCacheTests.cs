using System;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;
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

    private static ObjectPile Open(string path) => ObjectPile.Open(path, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 32 << 20 });
}
