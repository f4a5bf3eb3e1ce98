// What ends while a cache, or its pile, is being closed is removed then or after the next open: that it is due is not forgotten.
using System;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class EndedAtCloseTests
{
    private const int Keys = 200;
    private static readonly PileEntryOptions _short = new() { TimeToLive = TimeSpan.FromSeconds(10) };

    [Fact]
    public void EntriesThatEndAfterTheirSharedCacheGoAsOthers()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        using (ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)))
        {
            using (PileCache cache = PileCache.Share(pile, new PileCacheOptions { TimeProvider = clock }))
            {
                Fill(cache);
            }

            clock.Move(TimeSpan.FromSeconds(11));
            HeapCore<DurableRecord> core = pile.Durable!.Core;
            var keeper = new Housekeeping<DurableRecord>(core.Cleaner, core.Room, core.Pool, core.Policy, core.Large, core.Budget, core.Epochs, TimeProvider.System, pile);
            _ = keeper.Tick(woken: false);
            Assert.True(pile.Verify().IsGood);
        }

        AssertNoneIsLeft(files, clock);
    }

    [Fact]
    public void EntriesWhoseRemovalADisposeInterruptsAreRemovedAfterTheNextOpen()
    {
        using var files = new SimulatedFiles();
        var first = new MappedCache(files);
        PileTable<int, byte[]> table = Fill(first.Cache);
        first.Clock.Move(TimeSpan.FromSeconds(11));
        HeapCore<DurableRecord> core = first.Cache.Pile.Durable!.Core;
        var closer = new Thread(first.Cache.Dispose);
        first.Clock.AtRead = () =>
        {
            // An entry is about to be removed, and it is not the first one: inside the epoch, for which the other thread waits.
            if (table.Parts.Counts.Entries < Keys)
            {
                first.Clock.AtRead = null;
                closer.Start();
                Assert.True(SpinWait.SpinUntil(() => core.IsDisposed, TimeSpan.FromMinutes(1)), "nobody disposed the pile");
            }
        };
        Assert.True(core.Keyed!.TryExpire());
        closer.Join();
        AssertNoneIsLeft(files, first.Clock);
    }

    private static PileTable<int, byte[]> Fill(PileCache cache)
    {
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, new byte[100], _short).IsStored);
        }

        return table;
    }

    private static void AssertNoneIsLeft(SimulatedFiles files, ManualClock clock)
    {
        using var again = new MappedCache(files, clock);
        Assert.Equal("it had been closed in order", Assert.Single(again.Cache.Recovery).Reason);
        again.Tick();
        Assert.Equal(0, again.Table<int, byte[]>().Count);
    }
}
