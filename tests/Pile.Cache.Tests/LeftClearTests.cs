// A durable table in files that is cleared or dropped where there is no room for what its removals leave in the log: what is left of it goes later.
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class LeftClearTests
{
    private const int StepsMax = 100;
    private const int FirstOfNext = 1_000_000;

    [Theory]
    [InlineData(false, 100)]
    [InlineData(true, 100)]
    [InlineData(false, 20_000)]
    [InlineData(true, 20_000)]
    public void WhatALeaseKeptFromBeingRemovedGoesOnceTheLeaseIsGone(bool drops, int bytes)
    {
        using TinyCache tiny = new(4 << 20, inFiles: true);
        PileTable<int, byte[]> other = tiny.Cache.GetOrCreateTable<int, byte[]>("other", DurableTests.Durable);
        Assert.True(other.Set(1, [1]).IsStored);
        PileTable<int, byte[]> table = tiny.Cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
        int filled = Fill(table, bytes);
        _ = Fill(table, 0);

        Assert.True(other.TryLease(1, out PileLease lease));
        using (lease)
        {
            if (drops)
            {
                Assert.True(tiny.Cache.DropTable("table"));
                Assert.False(tiny.Cache.DropTable("table"));
                Assert.DoesNotContain("table", tiny.Cache.TableNames);
            }
            else
            {
                table.Clear();
                Assert.Empty(table.Enumerate());
            }
        }

        tiny.Verify();
        for (int step = 0; tiny.Cache.GetStatistics().Entries > 1 && step < StepsMax; step++)
        {
            // What the cleaner gains, also while nobody writes, is used once a flush has come.
            tiny.Cache.Pile.Commit();
            tiny.Tick(steps: 10);
        }

        PileTable<int, byte[]> again = tiny.Cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
        int refilled = Fill(again, bytes);
        for (int step = 1; refilled < filled * 9 / 10 && step < StepsMax; step++)
        {
            // On a machine that has much to do a flush may be late for what was gained.
            tiny.Cache.Pile.Commit();
            tiny.Tick(steps: 10);
            refilled += Fill(again, bytes, first: step * FirstOfNext);
        }

        Assert.InRange(refilled, filled * 9 / 10, int.MaxValue);
        tiny.Verify();
        Assert.Equal(tiny.Cache.GetStatistics().Entries, again.Count + 1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatIsLeftAtTheEndIsRemovedByTheNextOpen(bool drops)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files, limitBytes: 4 << 20, flushes: true))
        {
            PileTable<int, byte[]> other = first.Cache.GetOrCreateTable<int, byte[]>("other", DurableTests.Durable);
            Assert.True(other.Set(1, [1]).IsStored);
            PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
            _ = Fill(table, 100);
            Assert.True(other.TryLease(1, out PileLease lease));
            using (lease)
            {
                if (drops)
                {
                    Assert.True(first.Cache.DropTable("table"));
                }
                else
                {
                    table.Clear();
                }
            }

            Assert.True(first.Cache.Pile.GetStatistics().Objects > 1);
        }

        using var second = new MappedCache(files, limitBytes: 4 << 20);
        second.Verify();
        Assert.Equal(drops ? ["other"] : ["other", "table"], second.Cache.TableNames.Order());
        Assert.Equal(1, second.Cache.Pile.GetStatistics().Objects);
    }

    /// <summary>Another object stands for a table once it is asked for, and its index is freed when it is dropped under that.</summary>
    [Fact]
    public void WhatWasLeftOfATableThatIsAskedForAndDroppedThenGoesOnNowhere()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files, limitBytes: 4 << 20, flushes: true))
        {
            Set(first.Cache.GetOrCreateTable<int, byte[]>("other", DurableTests.Durable), keys: 3000);
            _ = Fill(first.Table<int, byte[]>(DurableTests.Durable), 100);
        }

        using var second = new MappedCache(files, limitBytes: 4 << 20, flushes: true);
        PileTable<int, byte[]> other = second.Cache.GetOrCreateTable<int, byte[]>("other", DurableTests.Durable);
        Assert.True(other.TryLease(1, out PileLease lease));
        using (lease)
        {
            other.Clear();
            second.Cache.RemoveByTag("*");
        }

        using (new HeldLock(other.Parts.Slots!.Clearing))
        {
            // The first in the queue waits for who clears, and keeps the second there.
            using (new HeldLock(second.Table<int, byte[]>(DurableTests.Durable).Parts.Slots!.Clearing))
            {
                Steps(second);
            }

            Assert.True(second.Cache.DropTable("table"));
            Assert.Equal(other.Parts.Counts.Entries, second.Cache.GetStatistics().Entries);
            Steps(second);
        }

        Steps(second);
        Assert.Equal(0, second.Cache.GetStatistics().Entries);
        Assert.False(second.Cache.Pile.Durable!.Core.Keyed is CacheBase { HasLooseValues: true });
    }

    /// <summary>While there may be loose values a close in order counts for little: the next open looks at everything.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ATableThatIsClearedAgainAndAgainLeavesNothingLooseOnceAllIsRemoved(bool drops)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: 4 << 20, flushes: true);
        PileTable<int, byte[]> other = cache.Cache.GetOrCreateTable<int, byte[]>("other", DurableTests.Durable);
        Set(other, keys: 3);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>(DurableTests.Durable);
        _ = Fill(table, 100);
        Assert.True(other.TryLease(1, out PileLease lease));
        using (lease)
        {
            table.Clear();
            table.Clear();
            _ = drops && cache.Cache.DropTable("table");
        }

        Assert.True(cache.Cache.Pile.Durable!.Core.Keyed is CacheBase { HasLooseValues: true });
        Steps(cache);
        Assert.Equal(3, cache.Cache.GetStatistics().Entries);
        Assert.False(cache.Cache.Pile.Durable!.Core.Keyed is CacheBase { HasLooseValues: true });
    }

    private static void Steps(MappedCache cache)
    {
        for (int step = 0; step < StepsMax; step++)
        {
            cache.Cache.Pile.Commit();
            cache.Tick();
        }
    }

    private static void Set(PileTable<int, byte[]> table, int keys) => Assert.All(Enumerable.Range(0, keys), key => Assert.True(table.Set(key, [1]).IsStored));

    private static int Fill(PileTable<int, byte[]> table, int bytes, int first = 0)
    {
        int stored = 0;
        for (int key = first, refused = 0; refused < 20; key++)
        {
            bool isStored = table.Add(key + (bytes == 0 ? FirstOfNext : 0), new byte[bytes]).IsStored;
            stored += isStored ? 1 : 0;
            refused += isStored ? 0 : 1;
        }

        return stored;
    }
}
