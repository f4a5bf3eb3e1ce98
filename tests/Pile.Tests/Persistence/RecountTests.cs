using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The recount of more slots than one chunk, which several threads share once somebody waits for it.</summary>
public sealed class RecountTests : IDisposable
{
    private const int Objects = (4 * FileLimits.TablePieceSlots) + 1000;
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(PileOpenMode.OpenExisting)]
    [InlineData(PileOpenMode.ReadOnly)]
    public void WhoWaitsForItFindsEveryCountRight(PileOpenMode mode)
    {
        List<PilePointer> pointers = Fill();
        using ObjectPile pile = Open(mode);
        Assert.Empty(pile.Verify().Findings);
        Assert.Equal(pointers.Count, pile.GetStatistics().Objects);
        Assert.Equal(1, pile.GetStatistics().LargeObjects);
    }

    [Fact]
    public void WhoWritesMeanwhileIsCountedOnce()
    {
        List<PilePointer> pointers = Fill();
        using ObjectPile pile = Open(PileOpenMode.OpenExisting);
        OwnThread[] writers = [.. Enumerable.Range(0, 3).Select(part => OwnThread.Start(() => Change(pile, pointers, part)))];
        Assert.Empty(pile.Verify().Findings);
        foreach (OwnThread writer in writers)
        {
            writer.Join();
        }

        Assert.Empty(pile.Verify().Findings);
        Assert.Equal(pointers.Count - pointers.Where(static (_, index) => index % 9 < 3).Count(), pile.GetStatistics().Objects);
    }

    [Fact]
    public void RootsThatChangeBeforeItComesByAreCountedOnce()
    {
        using (ObjectPile pile = Open(PileOpenMode.CreateNew))
        {
            PilePointer first = pile.Put("first");
            for (int index = 0; index < Objects; index++)
            {
                _ = pile.PutBytes([(byte)index]);
            }

            // The last slots are counted last.
            for (int root = 0; root < 100; root++)
            {
                pile.Roots.Set($"root {root}", first);
            }
        }

        using (ObjectPile pile = Open(PileOpenMode.OpenExisting))
        {
            for (int root = 0; root < 100; root++)
            {
                if (root % 2 == 0)
                {
                    Assert.True(pile.Roots.Remove($"root {root}"));
                }
                else
                {
                    pile.Roots.Set($"root {root}", default);
                }
            }

            Assert.Empty(pile.Verify().Findings);
            for (int index = 0; index < 1_000; index++)
            {
                Assert.True(pile.Delete(pile.PutBytes([1])));
            }

            Assert.Empty(pile.Verify().Findings);
        }
    }

    /// <summary>A root's record of before the open counts when the count comes by, what came since when it comes.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ARootThatIsChangedAgainBeforeItIsCountedCountsOnce(bool isRemoved)
    {
        using var files = new SimulatedFiles();
        using (ObjectPile pile = ObjectPile.Open("/pile", Simulated(files)))
        {
            pile.Roots.Set("root", pile.PutBytes([1]));
        }

        using ObjectPile again = ObjectPile.Open("/pile", Simulated(files) with { RecountSlots = -1 });
        again.Roots.Set("root", default);
        again.Roots.Set("root", again.PutBytes([2]));
        if (isRemoved)
        {
            Assert.True(again.Roots.Remove("root"));
        }

        Assert.False(again.Core.IsCountedWhole);
        again.Durable!.Upkeep.Recounting.CountNow();
        Assert.Equal((isRemoved ? 0 : 1, 2), (again.Core.Schemas, again.GetStatistics().Objects));
        Assert.Empty(again.Verify().Findings);
    }

    /// <summary>What was deleted before the count came by has a tombstone that no flush has covered (W5): a power cut takes it back, and with it the slot's next pointer.</summary>
    [Fact]
    public void SlotsThatWereFreedBeforeItComesByWaitForAFlush()
    {
        using var files = new SimulatedFiles();
        List<PilePointer> deleted = FillSimulated(files);
        DurableHeap heap = OpenUncounted(files, out Thread upkeep);
        try
        {
            var writes = new HeapWrites<DurableRecord>(heap.Core);
            Assert.All(deleted.Skip(1), pointer => Assert.Equal(PileStatus.Ok, writes.TryDelete(pointer.Word, default)));
            upkeep.Start();
            heap.Core.WaitCounted(TestContext.Current.CancellationToken);
            (long pooled, long waiting) = (heap.Core.Slots.Pooled, heap.Core.Slots.Waiting);
            Assert.Equal(deleted.Count - 1, waiting);
            heap.Flusher.Commit();
            Assert.Equal((pooled + waiting, 0), (heap.Core.Slots.Pooled, heap.Core.Slots.Waiting));
        }
        finally
        {
            heap.Core.Dispose();
        }
    }

    /// <summary>Whoever gets a free slot counts its tombstone as dead only where that counts as living.</summary>
    [Fact]
    public void ASlotIsCountedBeforeAnyoneCanHaveIt()
    {
        using var files = new SimulatedFiles();
        PilePointer free = FillSimulated(files)[0];
        DurableHeap heap = OpenUncounted(files, out Thread upkeep);
        try
        {
            // The table grows under the lock that the recount needs to free a slot, and the files' own, which it must not wait for here.
            heap.Upkeep.Recounting.Leftovers = static () => { };
            bool? isCounted = null;
            files.AtCall = _ =>
            {
                files.AtCall = null;
                upkeep.Start();
                isCounted = SpinWait.SpinUntil(() => heap.Core.Counting!.HasPassed(free.Slot), TimeSpan.FromSeconds(10));
            };
            Assert.True(heap.Core.Slots.TryRestore(heap.Core.Slots.HighWater + FileLimits.TablePieceSlots));
            Assert.True(isCounted);
            heap.Core.WaitCounted(TestContext.Current.CancellationToken);
        }
        finally
        {
            heap.Core.Dispose();
        }
    }

    /// <summary>Deletes every ninth, updates others and puts; from the end, where the recount is last.</summary>
    private static void Change(ObjectPile pile, List<PilePointer> pointers, int part)
    {
        for (int index = pointers.Count - 1; index >= 0; index--)
        {
            if (index % 9 == part)
            {
                Assert.True(pile.Delete(pointers[index]));
            }
            else if (index % 9 == part + 3)
            {
                pile.UpdateBytes(pointers[index], [1, 2, 3, 4]);
                Assert.True(pile.Delete(pile.PutBytes([5])));
            }
        }
    }

    /// <summary>The first object of a type brings a schema, which needs room before the object does: where none has begun the count, its thread does.</summary>
    [Fact]
    public void ASchemaThatFindsThePileFullBeginsTheCount()
    {
        using var files = new SimulatedFiles();
        PileOptions options = Simulated(files) with { DiskLimitBytes = 1 << 20, BackgroundCleaning = false };
        using (ObjectPile pile = ObjectPile.Open("/pile", options))
        {
            List<PilePointer> pointers = [];
            byte[] payload = new byte[1_000];
            while (pile.TryPutBytes(payload, out PilePointer pointer) == PileStatus.Ok)
            {
                pointers.Add(pointer);
            }

            Assert.All(pointers.Where(static (_, index) => index % 2 == 0), pointer => Assert.True(pile.Delete(pointer)));
        }

        using ObjectPile again = ObjectPile.Open("/pile", options with { RecountSlots = -1 });
        Assert.False(again.Core.IsCountedWhole);
        PileStatus status = default;
        using var put = new ManualResetEventSlim();
        var putting = OwnThread.Start(() =>
        {
            _ = again.TryPut(new Version(1, 2), out _, out status);
            put.Set();
        });
        Assert.True(put.Wait(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken), "it waits for a count that nobody begins");
        putting.Join();
        Assert.Equal((PileStatus.Ok, true), (status, again.Core.IsCountedWhole));
        Assert.True(again.Verify().IsGood);
    }

    private List<PilePointer> Fill()
    {
        using ObjectPile pile = Open(PileOpenMode.CreateNew);
        List<PilePointer> pointers = [.. Enumerable.Range(0, Objects).Select(index => pile.PutBytes([(byte)index]))];
        pointers.Add(pile.PutBytes(new byte[100_000]));
        for (int index = pointers.Count - 2; index >= 0; index -= 5)
        {
            Assert.True(pile.Delete(pointers[index]));
            pointers.RemoveAt(index);
        }

        return pointers;
    }

    /// <summary>Fills a pile with more slots than are counted before an open returns.</summary>
    /// <returns>Some of its pointers; the first one is deleted.</returns>
    private static List<PilePointer> FillSimulated(SimulatedFiles files)
    {
        using ObjectPile pile = ObjectPile.Open("/pile", Simulated(files));
        PilePointer[] pointers = [.. Enumerable.Range(0, 2 * FileLimits.RecountSlots).Select(index => pile.PutBytes([(byte)index]))];
        Assert.True(pile.Delete(pointers[0]));
        return [.. pointers.Take(3_000)];
    }

    /// <summary>Opens it, and holds the recount where it begins.</summary>
    private static DurableHeap OpenUncounted(SimulatedFiles files, out Thread upkeep)
    {
        DurableHeap heap = DurableOpen.Run("/pile", Simulated(files), progress: null, TestContext.Current.CancellationToken);
        Thread? held = null;
        heap.Upkeep.Starting = thread => held = thread;
        heap.Upkeep.Continue();
        upkeep = held!;
        return heap;
    }

    private static PileOptions Simulated(SimulatedFiles files) =>
        PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) };

    private ObjectPile Open(PileOpenMode mode) =>
        ObjectPile.Open(_directory.Path, new PileOptions { OpenMode = mode, DiskLimitBytes = 256 << 20, FlushInterval = TimeSpan.FromHours(1) });
}
