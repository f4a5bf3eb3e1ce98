using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Objects that entries share, across clean stops, kills and power cuts: the counts are those of the entries.</summary>
public sealed class PointerRestartTests
{
    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void TheCountsAreThereAfterACleanStopAndAfterAKill(PileTableKind kind, bool isKilled)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        PilePointer[] pointers = [.. Enumerable.Range(0, 6).Select(item => first.Cache.Pile.Put(RestartTests.Value(item, item * 9000)))];
        for (int key = 0; key < 18; key++)
        {
            table.SetPointer(key, pointers[key / 3]);
        }

        // Of the first the last key is gone, of the second there is one left.
        Array.ForEach([0, 1, 2, 3, 4], key => table.Remove(key));
        if (!isKilled)
        {
            first.Dispose();
        }

        using SimulatedFiles left = files.Fork();
        using var second = new MappedCache(left, first.Clock);
        PileTable<int, byte[]> again = second.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        Settle(second);
        Assert.Equal(5, second.Cache.GetStatistics().SharedObjects);
        Assert.False(second.Cache.Pile.TryGet(pointers[0], out byte[]? _));
        for (int key = 5; key < 18; key++)
        {
            Assert.True(again.TryGetPointer(key, out PilePointer found) && found == pointers[key / 3]);
            Assert.True(again.TryGet(key, out byte[]? value));
            Assert.Equal(RestartTests.Value(key / 3, key / 3 * 9000), value);
            Assert.True(again.Remove(key));
            Settle(second);
            Assert.Equal(key % 3 != 2, second.Cache.Pile.TryGet(pointers[key / 3], out byte[]? _));
        }

        Assert.Equal(0, second.Cache.GetStatistics().SharedObjects);
        Assert.Equal(0, second.Cache.Pile.GetStatistics().Objects);
        second.Verify();
    }

    [Fact]
    public void AfterAPowerCutAnObjectIsKeptForDurableKeysAloneAndGoesWithoutThem()
    {
        for (int seed = 0; seed < 30; seed++)
        {
            using var files = new SimulatedFiles();
            using var first = new MappedCache(files);
            PileTable<int, byte[]> durable = first.Table<int, byte[]>(DurableTests.Durable);
            PileTable<int, byte[]> speculative = first.Cache.GetOrCreateTable<int, byte[]>("speculative");
            (PilePointer both, PilePointer alone, PilePointer own) = (first.Cache.Pile.Put(new byte[10]), first.Cache.Pile.Put(new byte[40_000]), first.Cache.Pile.Put(new byte[20]));
            speculative.SetPointer(1, both);
            durable.SetPointer(1, both);
            speculative.SetPointer(2, alone);
            speculative.SetPointer(3, alone);
            first.Cache.Pile.Commit();
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using var second = new MappedCache(cut, first.Clock);
            Settle(second);
            Assert.False(second.Cache.Pile.TryGet(alone, out byte[]? _));
            Assert.Equal(20, second.Cache.Pile.Get<byte[]>(own).Length);
            PileTable<int, byte[]> again = second.Table<int, byte[]>();
            Assert.True(again.TryGetPointer(1, out PilePointer found) && found == both);
            Assert.Equal(10, second.Cache.Pile.Get<byte[]>(both).Length);
            again.Remove(1);
            Settle(second);
            Assert.False(second.Cache.Pile.TryGet(both, out byte[]? _));
            Assert.Equal(1, second.Cache.Pile.GetStatistics().Objects);
            second.Verify();
        }
    }

    [Fact]
    public void AnObjectStaysUntilAFlushCoversTheEndOfAllItsDurableKeys()
    {
        Assert.SkipUnless(Environment.ProcessorCount > 1, "A process with one core has one writer, and nothing is beside it.");
        for (int seed = 0; seed < 60; seed++)
        {
            PointerCuts.AfterTheLastKey(seed);
        }
    }

    [Fact]
    public void AnObjectThatNoFlushHasCoveredTakesNoFlushedValuesPlace()
    {
        Assert.SkipUnless(Environment.ProcessorCount > 1, "A process with one core has one writer, and nothing is beside it.");
        for (int seed = 0; seed < 60; seed++)
        {
            PointerCuts.AfterANewObject(seed);
        }
    }

    [Fact]
    public void ACacheThatIsCopiedTakesNoObjectsAlongThatSpeculativeKeysShared()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PilePointer pointer = first.Cache.Pile.Put(new byte[10]);
        PilePointer kept = first.Cache.Pile.Put(new byte[10]);
        first.Table<int, byte[]>().SetPointer(1, pointer);
        first.Cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable).SetPointer(1, kept);
        first.Cache.Pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
        using PileCache copy = PileCache.Open("/copy", new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files));
        copy.Pile.Commit();
        copy.Core.Shared.DeleteDue();
        Assert.False(copy.Pile.TryGet(pointer, out byte[]? _));
        Assert.Equal(10, copy.Pile.Get<byte[]>(kept).Length);
        Assert.True(copy.GetOrCreateTable<int, byte[]>("durable").TryGetPointer(1, out PilePointer found) && found == kept);
    }

    internal static void Settle(MappedCache mapped)
    {
        mapped.Cache.Pile.Commit();
        mapped.Tick();
    }
}
