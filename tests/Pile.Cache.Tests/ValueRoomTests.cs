using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Diagnostics;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Large values beside entries that may not leave: where these leave no room, nothing is evicted for it.</summary>
public sealed class ValueRoomTests
{
    private const long LimitBytes = 64 << 20;
    private const int StayingEntries = 30_000;
    private const int SmallEntries = 60_000;

    public enum Staying
    {
        Durable,
        NeverRemove,
        NeverRemoveAmongOthers,
    }

    /// <summary>30 MB of 64 MiB may not leave: 36 MB find no room, and 32 MB do.</summary>
    [Theory]
    [InlineData(Staying.Durable, false)]
    [InlineData(Staying.NeverRemove, false)]
    [InlineData(Staying.NeverRemoveAmongOthers, false)]
    [InlineData(Staying.Durable, true)]
    [InlineData(Staying.NeverRemove, true)]
    public void AValueThatCantFitBesideWhatStaysEvictsNothing(Staying what, bool isInFiles)
    {
        using var files = new SimulatedFiles();
        using PileCache cache = Open(files, isInFiles);
        PileTable<int, byte[]> small = cache.GetOrCreateTable<int, byte[]>("small");
        PileTable<int, byte[]> staying = what == Staying.NeverRemoveAmongOthers ? small
            : cache.GetOrCreateTable<int, byte[]>("staying", new PileTableOptions { Kind = what == Staying.Durable ? PileTableKind.Durable : PileTableKind.Speculative });
        Fill(staying, -StayingEntries, StayingEntries, 1000, new PileEntryOptions { Priority = what == Staying.Durable ? null : PileCachePriority.NeverRemove });
        Fill(small, 1, SmallEntries, 200, default);
        PileTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>("large");
        for (int attempt = 0; attempt < 3; attempt++)
        {
            PileSetResult result = large.Set(1, new byte[36_000_000]);
            Assert.Equal((PileSetOutcome.Full, 0), (result.Outcome, result.Evicted));
            Assert.Equal(SmallEntries, Enumerable.Range(1, SmallEntries).Count(small.ContainsKey));
        }

        Assert.True(large.Set(1, new byte[32_000_000]).IsStored);
        Assert.Equal(StayingEntries, Enumerable.Range(-StayingEntries, StayingEntries).Count(staying.ContainsKey));
    }

    /// <summary>Whether all of the limit is too little, or what stays leaves too little of it.</summary>
    [Theory]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    public void EachSetOfALargeValueThatIsFullIsCountedAndTold(PileTableKind kind, bool isInFiles)
    {
        using var files = new SimulatedFiles();
        using PileCache cache = Open(files, isInFiles);
        using var listener = new HeardEvents<long>(cache.Pile.Tag, nameof(PileEventSource.PileFull), static told => (long)told[0]!);
        PileTable<int, byte[]> staying = cache.GetOrCreateTable<int, byte[]>("staying", DurableTests.Durable);
        Fill(staying, 1, StayingEntries, 1000, default);
        PileTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>("large", new PileTableOptions { Kind = kind });
        int refused = 0;
        foreach (int bytes in (int[])[100_000_000, 36_000_000, 36_000_000])
        {
            Assert.Equal(PileSetOutcome.Full, large.Set(1, new byte[bytes]).Outcome);
            Assert.Equal(++refused, cache.Pile.GetStatistics().Refusals);
        }

        Assert.Equal(refused, listener.Events.Count);
        Assert.All(listener.Events.Zip([100_000_000, 36_000_000, 36_000_000]), static told => Assert.InRange(told.First, told.Second, told.Second + 100));
        Assert.True(large.Set(1, new byte[20_000_000]).IsStored);
        Assert.Equal(refused, cache.Pile.GetStatistics().Refusals);
    }

    /// <summary>The counts have it once for each key.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnObjectThatKeysShareLeavesTheRoomThatThereIs(bool isInFiles)
    {
        using var files = new SimulatedFiles();
        using PileCache cache = Open(files, isInFiles);
        PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
        PilePointer shared = cache.Pile.Put(new byte[6_000_000]);
        Assert.All(Enumerable.Range(0, 15), key => Assert.True(durable.SetPointer(key, shared).IsStored));
        PileTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>("large");
        Assert.All(Enumerable.Range(0, 10), key => Assert.True(large.Set(key, new byte[2_000_000]).IsStored));
    }

    /// <summary>Both have to be there at once.</summary>
    [Fact]
    public void ADurableValueThatCantBeReplacedByAnotherEvictsNothing()
    {
        using PileCache cache = Open(null!, isInFiles: false);
        PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
        Assert.True(durable.Set(1, new byte[35_000_000]).IsStored);
        PileTable<int, byte[]> small = cache.GetOrCreateTable<int, byte[]>("small");
        Fill(small, 1, SmallEntries, 200, default);
        PileSetResult result = durable.Set(1, new byte[35_000_000]);
        Assert.Equal((PileSetOutcome.Full, 0), (result.Outcome, result.Evicted));
        Assert.Equal(SmallEntries, small.Count);
    }

    /// <summary>Until somebody removes it, it is counted.</summary>
    [Theory]
    [InlineData(PileTableKind.Durable)]
    [InlineData(PileTableKind.Speculative)]
    public void AValueFindsTheRoomOfWhatHasEnded(PileTableKind kind)
    {
        var clock = new ManualClock();
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false, TimeProvider = clock });
        PileTable<int, byte[]> ending = cache.GetOrCreateTable<int, byte[]>("ending", new PileTableOptions { Kind = kind });
        Fill(ending, 1, StayingEntries, 1000, new PileEntryOptions { Priority = PileCachePriority.NeverRemove, TimeToLive = TimeSpan.FromHours(1) });
        clock.Move(TimeSpan.FromHours(2));
        Assert.True(cache.GetOrCreateTable<int, byte[]>("large").Set(1, new byte[36_000_000]).IsStored);
    }

    private static PileCache Open(SimulatedFiles files, bool isInFiles)
    {
        var options = new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false };
        return isInFiles
            ? PileCache.Open(MappedCache.Directory, options with { Promise = PilePromise.ProcessSafe }, new PileOptions { Files = files, MemoryLimitBytes = null })
            : PileCache.Create(options);
    }

    private static void Fill(PileTable<int, byte[]> table, int first, int entries, int bytes, PileEntryOptions options)
    {
        byte[] value = new byte[bytes];
        for (int key = first; key < first + entries; key++)
        {
            Assert.True(table.Set(key, value, options).IsStored);
        }
    }
}
