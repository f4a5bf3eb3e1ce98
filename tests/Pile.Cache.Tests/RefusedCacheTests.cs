using System;
using System.IO;
using System.Linq;
using Pile.Cache.Files;
using Pile.Persistence;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A cache that is refused when its tables have been taken: its pile goes on without it, and loses nothing of it.</summary>
public sealed class RefusedCacheTests : IDisposable
{
    private const int Keys = 1000;
    private readonly TemporaryDirectory _directory = new();

    public RefusedCacheTests()
    {
        using ObjectPile pile = Open();
        using PileCache cache = PileCache.Share(pile);
        PileTable<int, byte[]> speculative = cache.GetOrCreateTable<int, byte[]>("speculative");
        PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(speculative.Set(key, RestartTests.Value(key, 60)).IsStored);
            Assert.True(key % 10 != 0 || durable.Set(key, RestartTests.Value(key, 70)).IsStored);
        }
    }

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void ACacheWithoutTheListOfItsDurableTablesIsRefusedAndKept()
    {
        string list = Path.Combine(_directory.Path, StoreNames.CacheTables);
        byte[] before = File.ReadAllBytes(list);
        File.Delete(list);
        File.Delete(Directory.GetFiles(_directory.Path, "index.*").Order(StringComparer.Ordinal).Last());
        _ = Assert.Throws<PileCorruptedException>(() => PileCache.Open(_directory.Path, new PileCacheOptions { MemoryLimitBytes = 16 << 20 }, PileOptions.Tiny).Dispose());
        using (ObjectPile pile = Open())
        {
            for (int round = 0; round < 3; round++)
            {
                _ = Assert.Throws<PileCorruptedException>(() => PileCache.Share(pile));
                PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(_ => pile.Put(new byte[300]))];
                Array.ForEach(pointers, pointer => pile.Delete(pointer));
                _ = pile.Compact(1.05, TestContext.Current.CancellationToken);
            }

            Assert.True(pile.Verify().IsGood);
        }

        File.WriteAllBytes(list, before);
        AssertWhole();
    }

    [Theory]
    [InlineData(-1, null)]
    [InlineData(int.MaxValue, null)]
    [InlineData(null, -1)]
    [InlineData(null, int.MaxValue)]
    public void FactsOfASegmentThatCanNotBeAreNotBelieved(int? index, int? liveBytes)
    {
        string path = Path.Combine(_directory.Path, StoreNames.CacheFacts);
        Assert.True(CacheFacts.TryRead(File.ReadAllBytes(path), out CacheFacts? facts, out _));
        facts.Segments[0] = facts.Segments[0] with { Index = index ?? facts.Segments[0].Index, LiveBytes = liveBytes ?? facts.Segments[0].LiveBytes };
        File.WriteAllBytes(path, facts.ToBytes());
        AssertWhole();
    }

    /// <summary>A list that no cache can have is refused by its length, before anybody makes room for it.</summary>
    [Fact]
    public void AListOfDurableTablesThatIsTooLongIsRefusedByLengthAndLimit()
    {
        string list = Path.Combine(_directory.Path, StoreNames.CacheTables);
        byte[] before = File.ReadAllBytes(list);
        Lengthen(list, 1L << 40);
        string message = Assert.Throws<PileCorruptedException>(() => PileCache.Open(_directory.Path, new PileCacheOptions { MemoryLimitBytes = 16 << 20 }, PileOptions.Tiny).Dispose()).Message;
        Assert.Contains($"{1L << 40:N0} bytes", message, StringComparison.Ordinal);
        Assert.Contains("DurableListBytesMax", message, StringComparison.Ordinal);
        File.WriteAllBytes(list, before);
        AssertWhole();
    }

    /// <summary>What a close has noted may be missing: nobody makes room for a file that is not what was written.</summary>
    [Fact]
    public void FactsThatAreLongerThanTheyWereWrittenAreNotBelievedAndTakeNoMemory()
    {
        Lengthen(Path.Combine(_directory.Path, StoreNames.CacheFacts), 256 << 20);
        long before = GC.GetAllocatedBytesForCurrentThread();
        using (ObjectPile pile = Open())
        {
            using PileCache cache = PileCache.Share(pile);
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 << 20);
        }

        AssertWhole();
    }

    private static void Lengthen(string path, long bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.SetLength(bytes);
    }

    private void AssertWhole()
    {
        using ObjectPile pile = Open();
        using PileCache cache = PileCache.Share(pile);
        PileTable<int, byte[]> speculative = cache.GetOrCreateTable<int, byte[]>("speculative");
        PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable");
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(speculative.TryGet(key, out byte[]? value));
            Assert.Equal(RestartTests.Value(key, 60), value);
            Assert.Equal(key % 10 == 0, durable.TryGet(key, out _));
        }

        Assert.True(pile.Verify().IsGood);
    }

    private ObjectPile Open() => ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 32 << 20 });
}
