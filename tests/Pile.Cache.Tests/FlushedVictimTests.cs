using System;
using Pile.Cache.Tests.Model;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>What leaves a cache to make room stands in segments that the cleaner may take (S1): eviction is cleaning.</summary>
public sealed class FlushedVictimTests
{
    private const int Steps = 60;

    [Fact]
    public void EvictionTakesNoSegmentThatWaitsForItsFlush()
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files);
        HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
        int wanted = 0;
        core.Log.Flushes.Wanted = () => wanted++;
        byte[] value = Fill(mapped);

        Assert.Equal(CleanOutcome.Blocked, Evict(core));
        Assert.True(wanted > 0, "no flush was asked for");
        Assert.Equal(0, CountRetired(core));

        mapped.Cache.Pile.Commit();
        Assert.NotEqual(CleanOutcome.NothingWorth, Evict(core));
        Assert.True(mapped.Cache.GetStatistics().Evictions > 0, "nothing left");
        Assert.Equal(PileSetOutcome.Inserted, mapped.Table<int, byte[]>().Set(-1, value).Outcome);
    }

    [Fact]
    public void MoreThanASegmentIsEvictedAheadWhereWritersWaitForFlushes()
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files, flushes: true);
        HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
        PileTable<int, byte[]> table = mapped.Table<int, byte[]>();
        byte[] value = new byte[1000];
        int key = 0;
        for (; key < 10_000; key++)
        {
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, value).Outcome);
        }

        // Several segments' worth between two steps of the keeper.
        int stepsAhead = 0;
        long mostAhead = 0;
        for (int step = 0; step < Steps; step++)
        {
            for (int last = key + 300; key < last; key++)
            {
                Assert.Equal(PileSetOutcome.Inserted, table.Set(key, value).Outcome);
            }

            mapped.Cache.Pile.Commit();
            mapped.Tick();
            long ahead = core.Pool.FreeBytes + core.Retired.Bytes - ((long)core.Pool.ReserveSegments * core.Pool.NextSegmentBytes);
            stepsAhead += ahead > 2 * core.Pool.NextSegmentBytes ? 1 : 0;
            mostAhead = long.Max(mostAhead, ahead);
        }

        string said = $"{stepsAhead} of {Steps} steps left more than two segments ahead of the writers, {mostAhead} bytes at the most";
        Assert.True(stepsAhead > Steps / 2, said);
        Assert.True(mostAhead <= (core.Budget.LimitBytes / RoomLimits.FlushLeadFraction) + (2 * core.Pool.NextSegmentBytes), said);
    }

    [Fact]
    public void ObjectsThatWereCommittedOutliveAnEvictionAndAPowerCut()
    {
        for (int seed = 0; seed < 40; seed++)
        {
            using var files = new SimulatedFiles();
            using var mapped = new MappedCache(files);
            HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
            PilePointer pointer = mapped.Cache.Pile.Put("kept");
            mapped.Cache.Pile.Commit();
            _ = Fill(mapped);
            _ = Evict(core);

            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using var again = new MappedCache(cut);
            Assert.Equal("kept", again.Cache.Pile.Get<string>(pointer));
        }
    }

    /// <summary>Fills half of the cache, with the sealed segments in no flush.</summary>
    private static byte[] Fill(MappedCache mapped)
    {
        PileTable<int, byte[]> table = mapped.Table<int, byte[]>();
        byte[] value = new byte[1000];
        for (int key = 0; key < 3000; key++)
        {
            value[0] = (byte)key;
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, value).Outcome);
        }

        return value;
    }

    private static CleanOutcome Evict(HeapCore<DurableRecord> core)
    {
        core.Cleaner.EnterRole();
        try
        {
            // Each pass asks for less to let an entry go.
            CleanOutcome outcome = CleanOutcome.NothingWorth;
            for (int pass = 0; pass < 20; pass++)
            {
                outcome = core.Cleaner.Evict(waitMs: 0);
            }

            return outcome;
        }
        finally
        {
            core.Cleaner.ExitRole();
        }
    }

    private static int CountRetired(HeapCore<DurableRecord> core)
    {
        int count = 0;
        for (int index = 0; index < core.Directory.Count; index++)
        {
            count += core.Directory[index].State == SegmentState.Retired ? 1 : 0;
        }

        return count;
    }
}
