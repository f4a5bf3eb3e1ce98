using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Table;

public sealed class SlotPoolTests : IDisposable
{
    private const uint SlotsMax = 1 << 20;
    private readonly MemoryBudget _budget = new(1 << 30);
    private readonly ObjectTable _table = new(RegionProvider.Default, SlotsMax);
    private readonly SlotPool _pool;

    public SlotPoolTests()
    {
        _pool = new SlotPool(RegionProvider.Default, _table, _budget);
    }

    public void Dispose()
    {
        _pool.Dispose();
        _table.Dispose();
    }

    [Fact]
    public void FreshSlotsBeginAtOneAndNeverRepeat()
    {
        SlotStock stock = default;
        uint expected = Limits.FirstSlot;
        for (int block = 0; block < 20; block++)
        {
            Assert.True(_pool.TryRefill(ref stock));
            Assert.InRange(stock.Count, 1, Limits.SlotRunsMax * SlotStock.RunSlots);
            foreach (uint slot in TakeAll(ref stock))
            {
                Assert.Equal(expected++, slot);
            }
        }

        Assert.Equal(expected, _pool.HighWater);
        Assert.Equal(_pool.TakenBytes, _budget.UsedBytes);
        Assert.InRange(_pool.TakenBytes, expected * 8L, (expected * 8L) + (64 << 10));
    }

    [Fact]
    public void ThePagesOfATablePageAreMadeReadyOnceWhenItsFirstSlotIsIssued()
    {
        const long PageBytes = Limits.TablePageSlots * Limits.WordBytes;
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, (3 * Limits.TablePageSlots) + 5);
        using var pool = new SlotPool(machine, table, _budget);
        SlotStock stock = default;

        // The first page is touched slot by slot: a small pile takes no more than it needs.
        Assert.True(pool.TryRefill(ref stock));
        Assert.Empty(machine.Populated);
        while (pool.TryRefill(ref stock))
        {
            stock.Clear();
            long pages = (pool.HighWater - 1) / Limits.TablePageSlots;
            Assert.Equal(pages, machine.Populated.Count);
        }

        Assert.Equal([(PageBytes, PageBytes), (2 * PageBytes, PageBytes), (3 * PageBytes, 6 * Limits.WordBytes)], machine.Populated);

        // What an open continues with is touched by whoever reads it.
        using var opened = new ObjectTable(machine, 4 * Limits.TablePageSlots);
        using var poolOfOpened = new SlotPool(machine, opened, _budget);
        Assert.True(poolOfOpened.TryRestore(3 * Limits.TablePageSlots));
        Assert.Equal(3, machine.Populated.Count);
    }

    [Fact]
    public void RestoringMoreThanTheTableHasIsRefused()
    {
        Assert.False(_pool.TryRestore(uint.MaxValue));
        Assert.False(_pool.TryRestore(_table.SlotsMax + 2));
        Assert.Equal(Limits.FirstSlot, _pool.HighWater);
        Assert.True(_pool.TryRestore(_table.SlotsMax + 1));
    }

    [Fact]
    public void SpilledSlotsComeBackEachOnceBeforeFreshOnes()
    {
        SlotStock stock = default;
        (uint fresh, uint freshEnd) = TakeFresh(ref stock);
        freshEnd = uint.Min(freshEnd, fresh + Limits.SlotRingSlots);
        for (uint slot = fresh; slot < freshEnd; slot++)
        {
            stock.Push(slot);
        }

        uint highWater = _pool.HighWater;
        _pool.Spill(ref stock, isWaiting: false);
        Assert.Equal(freshEnd - fresh, stock.Count + _pool.Pooled);
        Assert.Equal(_pool.Pooled, _pool.Recount(out _, out _));
        var seen = new HashSet<uint>();
        while (stock.TryPop(out uint slot, ahead: 0, out _))
        {
            seen.Add(slot);
        }

        while (_pool.Pooled > 0)
        {
            Assert.True(_pool.TryRefill(ref stock));
            foreach (uint slot in TakeAll(ref stock))
            {
                Assert.True(seen.Add(slot));
            }
        }

        Assert.Equal(freshEnd - fresh, (uint)seen.Count);
        Assert.Equal(highWater, _pool.HighWater);
        Assert.Equal(0, _pool.Pooled);
    }

    [Fact]
    public void RefillWithoutBudgetIsRefusedAndTakesNothing()
    {
        _budget.LimitBytes = 1000;

        SlotStock stock = default;
        Assert.False(_pool.TryRefill(ref stock));
        Assert.Equal(0, _budget.UsedBytes);
        Assert.Equal(Limits.FirstSlot, _pool.HighWater);
    }

    [Fact]
    public void RefillBeyondTheLastSlotIsRefused()
    {
        SlotStock stock = default;
        long issued = 0;
        while (_pool.TryRefill(ref stock))
        {
            issued += stock.Count;
            stock.Clear();
        }

        Assert.Equal(SlotsMax, issued);
        Assert.Equal(SlotsMax + 1, _pool.HighWater);
    }

    [Fact]
    public void ATablePageWhoseSlotsAreAllRetiredGoesBackToTheSystemAndNoneOfItIsIssuedAgain()
    {
        SlotStock stock = default;
        while (_pool.HighWater < 3 * Limits.TablePageSlots)
        {
            Assert.True(_pool.TryRefill(ref stock));
            stock.Clear();
        }

        long taken = _pool.TakenBytes;
        for (uint slot = 1; slot < 2 * Limits.TablePageSlots; slot++)
        {
            _table.Publish(slot, EntryWord.Free(EntryWord.GenerationMax));
            _pool.Retire(slot);
            Assert.Equal(slot >= Limits.TablePageSlots - 1 ? 0 : EntryWord.Free(EntryWord.GenerationMax), _table.Read(1));
        }

        Assert.Equal(0UL, _table.Read((2 * Limits.TablePageSlots) - 1));
        Assert.Equal(2 * 32 << 10, taken - _pool.TakenBytes);
        Assert.Equal(_pool.TakenBytes, _budget.UsedBytes);
        Assert.Equal((2 * Limits.TablePageSlots) - 1, _pool.Retired);

        _pool.PoolAll();
        Assert.Equal((2 * Limits.TablePageSlots) - 1, _pool.Retired);
        Assert.Equal(Limits.TablePageSlots, _pool.Pooled);
        Assert.False(_pool.IsPooled(5));
        Assert.True(_pool.IsPooled(2 * Limits.TablePageSlots));
        Assert.Equal(_pool.Pooled, _pool.Recount(out _, out _));
    }

    /// <summary>The object was deleted by then: a slot that can't be noted would be lost.</summary>
    [Fact]
    public void ASlotIsRetiredWithoutMemoryForIt()
    {
        SlotStock stock = default;
        while (_pool.HighWater < 3 * Limits.TablePageSlots)
        {
            Assert.True(_pool.TryRefill(ref stock));
            stock.Clear();
        }

        // The first call of it is compiled by itself.
        _pool.Retire(Limits.FirstSlot);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (uint slot = Limits.FirstSlot + 1; slot < 2 * Limits.TablePageSlots; slot++)
        {
            _pool.Retire(slot);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal([0U, 1U], _pool.GonePages().Order());
    }

    [Fact]
    public void PoolAllFreesEverySlotButThoseAtTheLastGeneration()
    {
        SlotStock stock = default;
        (uint fresh, uint freshEnd) = TakeFresh(ref stock);
        _table.Publish(fresh, EntryWord.Free(EntryWord.GenerationLast));
        _table.Publish(fresh + 1, EntryWord.Free(EntryWord.GenerationLast - 1));

        _pool.PoolAll();

        Assert.Equal(1, _pool.Retired);
        Assert.Equal(freshEnd - fresh - 1, _pool.Pooled);
        Assert.False(_pool.IsPooled(fresh));
        Assert.True(_pool.IsPooled(fresh + 1));
        Assert.Equal(_pool.Pooled, _pool.Recount(out _, out _));
        _pool.Damage(fresh);
        Assert.Equal(-1, _pool.Recount(out _, out _));
    }

    private (uint First, uint End) TakeFresh(ref SlotStock stock)
    {
        Assert.True(_pool.TryRefill(ref stock));
        List<uint> slots = TakeAll(ref stock);
        Assert.Equal([.. Enumerable.Range((int)slots[0], slots.Count).Select(static slot => (uint)slot)], slots);
        return (slots[0], slots[^1] + 1);
    }

    private static List<uint> TakeAll(ref SlotStock stock)
    {
        var taken = new List<uint>();
        while (stock.HasRun || stock.TryNext(out _))
        {
            taken.Add(stock.Take());
        }

        return taken;
    }
}
