using System;
using System.IO;
using System.Linq;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Files of a cache that are not what they were, or no files at all.</summary>
public sealed class RefusedFilesTests
{
    [Theory]
    [InlineData("directory")]
    [InlineData("link to nothing")]
    [InlineData("link to a file")]
    public void WhatStandsInPlaceOfTheFactsIsNamedAndOnceItIsGoneTheTablesAreThere(string kind)
    {
        using var directory = new TemporaryDirectory();
        using (PileCache first = Open(directory))
        {
            first.GetOrCreateTable<int, int>("table").Set(1, 7);
        }

        string facts = Path.Combine(directory.Path, "cache.facts");
        string elsewhere = Path.Combine(directory.Path, "elsewhere");
        File.Move(facts, elsewhere);
        if (kind == "directory")
        {
            Directory.CreateDirectory(facts);
        }
        else
        {
            File.CreateSymbolicLink(facts, kind == "link to nothing" ? Path.Combine(directory.Path, "nothing") : elsewhere);
        }

        PileFormatException refused = Assert.Throws<PileFormatException>(() => Open(directory));
        Assert.Contains("cache.facts", refused.Message, StringComparison.Ordinal);
        Assert.Contains("remove what stands in its place", refused.Message, StringComparison.Ordinal);
        if (kind == "directory")
        {
            Directory.Delete(facts);
        }
        else
        {
            File.Delete(facts);
        }

        Assert.True(File.Exists(elsewhere));
        using PileCache again = Open(directory);
        Assert.True(again.GetOrCreateTable<int, int>("table").TryGet(1, out int value));
        Assert.Equal(7, value);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void EveryWriteAfterAFailedFlushThrowsItsFailure(PileTableKind kind)
    {
        using var files = new SimulatedFiles();
        PileCache cache = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files));
        PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table", new PileTableOptions { Kind = kind });
        Assert.True(table.Set(1, 1).IsStored);
        files.AtCall = static call => throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
        Exception failure = Assert.Throws<PilePoisonedException>(cache.Pile.Commit).InnerException!;
        files.AtCall = null;

        Assert.Same(failure, Assert.Throws<PilePoisonedException>(() => table.Set(1, 2)).InnerException);
        Assert.Same(failure, Assert.Throws<PilePoisonedException>(() => table.Add(2, 2)).InnerException);
        Assert.Same(failure, Assert.Throws<PilePoisonedException>(() => table.GetOrAdd(3, static _ => 3)).InnerException);
        Assert.True(table.TryGet(1, out int value) && value == 1);
        _ = Record.Exception(cache.Dispose);
    }

    [Fact]
    public void AnIndexThatIsRefusedAndCannotBeRemovedIsRefusedByEachLaterOpenToo()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, int> table = first.Table<int, int>();
            for (int key = 0; key < 100; key++)
            {
                table.Set(key, key);
            }
        }

        Damage(files);
        for (int call = 1; ; call++)
        {
            using SimulatedFiles tried = files.Fork();
            int before = tried.Calls;
            tried.FailAt(before + call, FileFailure.Denied);
            int open = 0;
            Exception? failure = Record.Exception(() =>
            {
                using var second = new MappedCache(tried);
                open = tried.Calls;
            });
            if (failure is null && open < before + call)
            {
                Assert.True(call > 10, $"{call} calls");
                return;
            }

            tried.FailAt(int.MaxValue, FileFailure.Denied);
            using var third = new MappedCache(tried);
            Assert.All(third.Cache.Recovery, found => Assert.False(found.IsKept, $"call {call}: {found.Entries} entries, {found.Reason}"));
        }
    }

    /// <summary>Takes one entry out of the index, as no use of it would.</summary>
    private static void Damage(SimulatedFiles files)
    {
        using StoreFile index = files.Open($"{MappedCache.Directory}/index.1", FileOpening.OpenExisting);
        byte[] bytes = new byte[index.Bytes - IndexFile.PrefixBytes];
        index.Read(IndexFile.PrefixBytes, bytes);
        int at = Enumerable.Range(0, bytes.Length / sizeof(ulong)).First(word => bytes.AsSpan(word * sizeof(ulong), sizeof(ulong)).ContainsAnyExcept((byte)0));
        index.Write(IndexFile.PrefixBytes + (at * sizeof(ulong)), new byte[sizeof(ulong)]);
    }

    private static PileCache Open(TemporaryDirectory directory) =>
        PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 8 << 20 }, PileOptions.Tiny);
}
