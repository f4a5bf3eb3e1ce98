// What needs bytes of the limit and no pages, buckets of an index and counts of shared objects, gets them from what is dead before
// anything that is good leaves for it.
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class BudgetRoomTests
{
    private const int Entries = 20_000;
    private const int ValueBytes = 300;

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    public void BucketsOfATableAreTakenFromWhatIsDeadBeforeEntriesLeave(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = Half(out PileTable<int, byte[]> table, inFiles);
        PileTable<int, int> small = tiny.Cache.GetOrCreateTable<int, int>("small", new PileTableOptions { Kind = kind });
        long evicted = tiny.Cache.GetStatistics().Evictions;
        for (int key = 0; key < 20_000; key++)
        {
            Assert.True(small.Set(key, key).IsStored, $"{key}");
        }

        Assert.Equal(evicted, tiny.Cache.GetStatistics().Evictions);
        Assert.InRange(table.Count, 1, 6000);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void CountsOfSharedObjectsAreTakenFromWhatIsDeadBeforeEntriesLeave(bool inFiles)
    {
        using TinyCache tiny = Half(out PileTable<int, byte[]> table, inFiles);
        long evicted = tiny.Cache.GetStatistics().Evictions;
        for (int key = 0; key < 4000; key++)
        {
            Assert.True(table.SetPointer(-1 - key, tiny.Cache.Pile.Put(new byte[10])).IsStored, $"{key}");
        }

        Assert.Equal(evicted, tiny.Cache.GetStatistics().Evictions);
    }

    /// <summary>A cache whose limit is used up, half of it by what is dead.</summary>
    private static TinyCache Half(out PileTable<int, byte[]> table, bool inFiles)
    {
        var tiny = new TinyCache(4 << 20, inFiles: inFiles);
        table = tiny.Table<int, byte[]>();
        for (int key = 0; key < Entries; key++)
        {
            Assert.True(table.Set(key, new byte[ValueBytes]).IsStored);
        }

        for (int key = 0; key < Entries; key += 2)
        {
            table.Remove(key);
            table.Remove(key - (key % 3));
        }

        return tiny;
    }
}
