// Sentences of docs/CACHE.md and of the options that no other test names: what a shared pile keeps, ways to read, visits after an open,
// keys that are nearly the same, growth in small steps.
using System;
using System.Buffers;
using System.Linq;
using System.Threading.Tasks;
using Pile.Cache.Index;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class PromiseTests
{
    [Fact]
    public void ACacheThatSharesAPileLeavesThePilesOptionsAsTheyAre()
    {
        using ObjectPile pile = ObjectPile.Create(new PileOptions { MemoryLimitBytes = 8 << 20, UsedOverLive = 1.5, BackgroundCleaning = false });
        PilePointer kept = pile.Put("kept");
        Assert.Contains("MemoryLimitBytes", Assert.Throws<ArgumentException>(() => PileCache.Share(pile, new PileCacheOptions { MemoryLimitBytes = 2 << 20 })).Message, StringComparison.Ordinal);
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
            for (int key = 0; key < 20_000; key++)
            {
                Assert.True(table.Set(key, new byte[1000]).IsStored);
            }

            // Entries have what the pile's limit leaves.
            Assert.InRange(pile.GetStatistics().PeakUsedBytes, 6 << 20, 8 << 20);
        }

        Assert.Equal(8 << 20, pile.MemoryLimitBytes);
        Assert.Equal(1.5, pile.Core.Policy.UsedOverLive);
        Assert.Equal("kept", pile.Get<string>(kept));
        Assert.Equal(1, pile.GetStatistics().Objects);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(5000)]
    [InlineData(100_000)]
    public void AnEntryIsReadAsObjectIntoASpanIntoAWriterAndAsALease(int bytes)
    {
        foreach (bool inFiles in new[] { false, true })
        {
            using TinyCache tiny = new(inFiles: inFiles);
            PileTable<string, byte[]> table = tiny.Table<string, byte[]>();
            byte[] expected = RestartTests.Value(7, bytes);
            Assert.True(table.Set("key", expected).IsStored);

            Assert.True(table.TryGet("key", out byte[]? value));
            Assert.Equal(expected, value);

            byte[] target = new byte[bytes + 1];
            Assert.True(table.TryGet("key", target.AsSpan(), out int written));
            Assert.Equal(expected, target[..written]);
            Assert.False(table.TryGet("none", target.AsSpan(), out written));
            Assert.Equal(0, written);

            var writer = new ArrayBufferWriter<byte>();
            Assert.True(table.TryGet("key", writer));
            Assert.False(table.TryGet("none", writer));
            Assert.Equal(expected, writer.WrittenSpan.ToArray());

            Assert.True(table.TryLease("key", out PileLease lease));
            using (lease)
            {
                Assert.Equal(expected, lease.Bytes.ToArray());
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void VisitsSurviveACleanStopAndAKill(bool isKilled)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        const int Keys = 2000;
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, new byte[1000]).IsStored);
        }

        for (int round = 0; round < 3; round++)
        {
            for (int key = 0; key < Keys; key += 10)
            {
                Assert.True(table.TryGet(key, out _));
            }
        }

        using SimulatedFiles left = isKilled ? files.Fork() : files;
        if (!isKilled)
        {
            first.Dispose();
        }

        // All that comes from now on is new to the cache: of what was there, that stays which was asked for before the stop.
        using var second = new MappedCache(left, first.Clock, flushes: true);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        for (int key = 0; key < 8000; key++)
        {
            if (key % 100 == 0)
            {
                second.Cache.Pile.Commit();
            }

            Assert.True(again.Set(Keys + key, new byte[1000]).IsStored);
        }

        int visited = Enumerable.Range(0, Keys).Count(key => key % 10 == 0 && again.ContainsKey(key));
        int others = Enumerable.Range(0, Keys).Count(key => key % 10 != 0 && again.ContainsKey(key));
        Assert.True(visited > Keys / 10 * 0.9, $"{visited} of {Keys / 10} that were visited, {others} others");
        Assert.True(others < Keys / 10, $"{visited} of {Keys / 10} that were visited, {others} others");
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public async Task KeysWithLongCommonPrefixesAreDifferentKeysForEightThreads(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(64 << 20, inFiles: inFiles);
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Kind = kind });
        const int Keys = 500;
        string prefix = new('p', 2000);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(thread => Task.Run(() =>
        {
            for (int key = 0; key < Keys; key++)
            {
                // Different in the last char, in length alone, and in one char of the middle.
                int number = (thread * Keys) + key;
                string mine = (key % 3) switch
                {
                    0 => $"{prefix}{(char)(0x4E00 + number)}",
                    1 => $"{prefix}{new string('q', number)}",
                    _ => $"{prefix}{(char)(0x4E00 + number)}{prefix}",
                };
                Assert.Equal(PileSetOutcome.Inserted, table.Set(mine, number).Outcome);
                Assert.True(table.TryGet(mine, out int value) && value == number, $"{thread}: {key}");
                if (key % 5 == 0)
                {
                    Assert.True(table.Remove(mine));
                    Assert.False(table.ContainsKey(mine));
                }
            }
        }, TestContext.Current.CancellationToken)));
        Assert.Equal(8 * Keys * 4 / 5, table.Count);
        Assert.Equal(table.Count, table.Enumerate().Select(static entry => entry.Value).Distinct().Count());
    }

    [Fact]
    public void NoSetSplitsMoreThanAFewBuckets()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> table = tiny.Table<int, int>();
        TableIndex index = ((IPileTableCore)table).Core.Parts.Index;
        uint before = index.Homes;
        for (int key = 0; key < 100_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
            Assert.InRange(index.Homes - before, 0u, (uint)CacheLimits.SplitsAtOnce);
            before = index.Homes;
        }

        Assert.True(index.Homes > 15_000, $"{index.Homes}");
    }
}
