using System;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>What is made of a pile that has a cache, by a copy, a salvage or an export: no tables, and nothing of them once a cache has come.</summary>
public sealed class LeftBehindTests
{
    private const int Own = 30;
    private const int Large = 5;

    [Theory]
    [InlineData("copy", false)]
    [InlineData("salvage", false)]
    [InlineData("salvage", true)]
    [InlineData("export", false)]
    public void WhatIsMadeOfAPileWithACacheIsCleanAndHasNoTables(string way, bool isOpen)
    {
        using var directory = new TemporaryDirectory();
        string source = Path.Combine(directory.Path, "source");
        string target = Path.Combine(directory.Path, "target");
        using (ObjectPile pile = Open(source))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
            for (int key = 0; key < 500; key++)
            {
                Assert.True(table.Set(key, new byte[100]).IsStored);
            }

            for (int key = 0; key < Large; key++)
            {
                Assert.True(table.Set(1000 + key, new byte[40_000]).IsStored);
            }

            for (int index = 0; index < Own; index++)
            {
                pile.Roots.Set($"root {index}", pile.Put($"object {index}"));
            }

            pile.Commit();
            if (way == "copy")
            {
                _ = pile.CopyTo(target, cancellationToken: TestContext.Current.CancellationToken);
            }
            else if (way == "export")
            {
                using var stream = new MemoryStream();
                _ = pile.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
                stream.Position = 0;
                using ObjectPile made = PileImport.ToDirectory(stream, target, Options(), cancellationToken: TestContext.Current.CancellationToken);
            }

            if (isOpen)
            {
                // As a kill leaves it: the indexes are there, the facts are not.
                string left = Path.Combine(directory.Path, "left");
                CopyFiles(source, left);
                source = left;
            }
        }

        if (way == "salvage")
        {
            Assert.Empty(PileSalvage.Run(source, target, cancellationToken: TestContext.Current.CancellationToken).Dropped);
        }

        Assert.DoesNotContain(Directory.EnumerateFiles(target), static name => Path.GetFileName(name).StartsWith("index", StringComparison.Ordinal));
        using ObjectPile again = Open(target);
        Assert.True(again.Verify().IsGood);
        // An export leaves out what no pointer of the program's reads.
        Assert.Equal(way == "export" ? Own : Own + Large, again.GetStatistics().Objects);
        using PileCache second = PileCache.Share(again);
        Assert.Empty(second.Recovery);
        Assert.Equal(0, second.GetOrCreateTable<int, byte[]>("table").Count);
        Assert.Equal(Own, again.GetStatistics().Objects);
        Assert.True(again.Verify().IsGood);
        Assert.All(Enumerable.Range(0, Own), index => Assert.Equal($"object {index}", again.Roots.TryGet($"root {index}", out PilePointer pointer) ? again.Get<string>(pointer) : null));
    }

    /// <summary>A copy and a salvage have large values of a speculative table, and nothing that tells of the table.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnExportOfACopyOrASalvageIsImported(bool isSalvage)
    {
        using var directory = new TemporaryDirectory();
        string source = Path.Combine(directory.Path, "source");
        string target = Path.Combine(directory.Path, "target");
        using (ObjectPile pile = Open(source))
        using (PileCache cache = PileCache.Share(pile))
        {
            Assert.True(cache.GetOrCreateTable<int, byte[]>("table").Set(1, new byte[40_000]).IsStored);
            pile.Roots.Set("root", pile.Put("the program's"));
            pile.Commit();
            if (!isSalvage)
            {
                _ = pile.CopyTo(target, cancellationToken: TestContext.Current.CancellationToken);
            }
        }

        if (isSalvage)
        {
            Assert.Empty(PileSalvage.Run(source, target, cancellationToken: TestContext.Current.CancellationToken).Dropped);
        }

        using ObjectPile made = Open(target);
        Assert.Equal(2, made.GetStatistics().Objects);
        using var stream = new MemoryStream();
        Assert.Equal(1, made.Export(stream, cancellationToken: TestContext.Current.CancellationToken).Objects);
        stream.Position = 0;
        using ObjectPile imported = PileImport.ToMemory(stream, cancellationToken: TestContext.Current.CancellationToken);
        Assert.True(imported.Roots.TryGet("root", out PilePointer pointer));
        Assert.Equal("the program's", imported.Get<string>(pointer));
    }

    [Theory]
    [InlineData(18_000)]
    [InlineData(40_000)]
    public void OfADurableTableASalvageCountsNoEntryWhoseLargeValueItDropped(int bytes)
    {
        using var directory = new TemporaryDirectory();
        string source = Path.Combine(directory.Path, "source");
        string target = Path.Combine(directory.Path, "target");
        byte[] damaged = [.. Enumerable.Repeat((byte)0xA7, bytes)];
        var options = new PileTableOptions { Kind = PileTableKind.Durable };
        using (ObjectPile pile = Open(source))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", options);
            for (int key = 0; key < 20; key++)
            {
                Assert.True(table.Set(key, key == 7 ? damaged : new byte[key % 2 == 0 ? 100 : bytes]).IsStored);
            }
        }

        foreach (string extent in Directory.GetFiles(Path.Combine(source, "extents")))
        {
            using FileStream file = File.Open(extent, FileMode.Open);
            byte[] all = new byte[file.Length];
            file.ReadExactly(all);
            if (all.AsSpan().IndexOf(damaged.AsSpan(0, 5000)) is var at and >= 0)
            {
                file.Position = at + 1000;
                file.WriteByte(0);
            }
        }

        _ = Assert.Single(PileSalvage.Run(source, target, cancellationToken: TestContext.Current.CancellationToken).Dropped);
        for (int open = 0; open < 2; open++)
        {
            using ObjectPile again = Open(target);
            using PileCache found = PileCache.Share(again);
            PileTable<int, byte[]> kept = found.GetOrCreateTable<int, byte[]>("table", options);
            Assert.Equal(Enumerable.Range(0, 20).Where(static key => key != 7), Enumerable.Range(0, 20).Where(key => kept.TryGet(key, out _)));
            Assert.Equal(19, kept.Count);
            Assert.Equal(19 + 9, again.GetStatistics().Objects);
            Assert.True(again.Verify().IsGood);
        }
    }

    private static void CopyFiles(string source, string target)
    {
        foreach (string file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories).Where(static name => Path.GetFileName(name) is not ("lock" or "index.1")))
        {
            string copy = Path.Combine(target, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }

        File.WriteAllBytes(Path.Combine(target, "lock"), []);
        File.WriteAllBytes(Path.Combine(target, "index.1"), new byte[8192]);
    }

    private static ObjectPile Open(string path) => ObjectPile.Open(path, Options());

    private static PileOptions Options() => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 16 << 20 };
}
