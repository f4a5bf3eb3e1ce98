using System;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Batches of threads that are interrupted: what they have taken they give back. The piles are not disposed where a test fails, which would wait for it.</summary>
public sealed class InterruptedBatchTests : IDisposable
{
    /// <summary>An interrupt that ends a wait has done so by then.</summary>
    private static readonly TimeSpan _while = TimeSpan.FromMilliseconds(50);
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>It has taken one stripe, and waits for another: what it has would never be given back.</summary>
    [Fact]
    public void ABatchThatIsInterruptedWhileItWaitsForAStripeIsCommittedAndHoldsNobody()
    {
        ObjectPile pile = Open();
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        PilePointer[] pointers = [.. Enumerable.Range(0, 100).Select(index => pile.Put(index)).OrderBy(StripeOf)];
        int last = StripeOf(pointers[^1]);
        Assert.NotEqual(StripeOf(pointers[0]), last);
        core.Stripes!.EnterStripe(last);
        OwnThread commit = OwnThread.Start(() =>
        {
            using PileBatch batch = pile.BeginBatch();
            batch.Update(pointers[0], -1);
            batch.Update(pointers[^1], -2);
            Thread.CurrentThread.Interrupt();
            batch.Commit();
            using var never = new SemaphoreSlim(0);
            _ = Assert.Throws<ThreadInterruptedException>(never.Wait);
        });

        _ = commit.Waits(_while);
        core.Stripes.ExitStripe(last);
        commit.Join();
        Assert.Equal([-1, -2], [pile.Get<int>(pointers[0]), pile.Get<int>(pointers[^1])]);
        Assert.True(pile.Delete(pointers[0]));
        Assert.Empty(pile.Verify().Findings);
        pile.Dispose();

        static int StripeOf(PilePointer pointer) => SlotStripes.StripeOf(PointerWord.Slot(pointer.Word));
    }

    [Fact]
    public void ABatchThatIsInterruptedWhileItIsAbandonedGivesItsSlotsBack()
    {
        ObjectPile pile = Open();
        PileBatch batch = pile.BeginBatch();
        _ = batch.Put("abandoned");
        _ = batch.Put("too");
        pile.Durable!.Core.Writers.HoldAll();
        OwnThread abandon = OwnThread.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            batch.Dispose();
        });
        _ = abandon.Waits(_while);
        pile.Durable.Core.Writers.ReleaseAll();
        abandon.Join();
        Assert.Equal(0, pile.Durable.Batches.SlotsHeld);
        Assert.Empty(pile.Verify().Findings);
        pile.Dispose();
    }

    /// <summary>What was staged for an object that gets no slot leaves the batch again, whatever ends the wait for one.</summary>
    [Fact]
    public void ABatchWhosePutIsInterruptedWhileItWaitsForASlotIsAsItWas()
    {
        ObjectPile pile = Open(slotsMax: 4096);
        PilePointer pointer = pile.Put(0);
        while (pile.TryPut(1, out _, out _))
        {
        }

        using PileBatch batch = pile.BeginBatch();
        pile.Durable!.Core.Cleaner.EnterRole();
        OwnThread put = OwnThread.Start(() =>
        {
            for (int index = 0; index < 5; index++)
            {
                Thread.CurrentThread.Interrupt();
                _ = Assert.Throws<ThreadInterruptedException>(() => batch.Put(new byte[16_000]));
            }
        });
        put.Join();
        pile.Durable.Core.Cleaner.ExitRole();
        batch.Update(pointer, new byte[16_000]);
        batch.Commit();
        Assert.Equal(16_000, pile.Get<byte[]>(pointer).Length);
        Assert.Empty(pile.Verify().Findings);
        pile.Dispose();
    }

    private ObjectPile Open(uint slotsMax = 1 << 22) =>
        ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, SlotsMax = slotsMax, FlushInterval = TimeSpan.FromHours(1) });
}
