using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pile.Tests.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests;

[Collection(Alone.Name)]
public sealed class ManyPilesTests
{
    private const int Piles = 1000;

    [Fact]
    public void AThousandPilesWorkAtOnceAndAnEmptyOneCostsLessThanAMebibyte()
    {
        PileOptions options = new() { BackgroundCleaning = true };
        using (var warm = new CheckedPile(options))
        {
            warm.It.Put(1);
        }

        long before = Environment.WorkingSet;
        List<ObjectPile> piles = [.. Enumerable.Range(0, Piles).Select(_ => ObjectPile.Create(options))];
        try
        {
            Assert.All(piles, static pile => Assert.Equal(0, pile.GetStatistics().UsedBytes));
            Assert.InRange((Environment.WorkingSet - before) / Piles, long.MinValue, 1 << 20);
            Assert.Equal(127, piles.Select(static pile => pile.Tag).Distinct().Count());
            PilePointer[] pointers = [.. piles.Select(static (pile, index) => pile.Put(index))];
            for (int index = 0; index < Piles; index++)
            {
                Assert.Equal(index, piles[index].Get<int>(pointers[index]));
                ObjectPile other = piles[(index + 1) % Piles];
                Assert.False(other.TryGet(pointers[index], out int _, out PileStatus status));
                Assert.Equal(PileStatus.WrongPile, status);
            }

            Assert.All(piles, static pile => Assert.InRange(pile.GetStatistics().UsedBytes, 1, 1 << 20));
            Assert.InRange((Environment.WorkingSet - before) / Piles, long.MinValue, 1 << 20);
        }
        finally
        {
            foreach (ObjectPile pile in piles)
            {
                pile.Dispose();
            }
        }
    }

    [Fact]
    public void APileThatCouldNotBeCreatedKeepsNoTag()
    {
        int before = PileTags.Held;
        for (int failAt = 1; failAt <= 3; failAt++)
        {
            int at = failAt;
            Assert.Throws<PileException>(() => ObjectPile.Create(PileOptions.Tiny with { Regions = new FailingRegions(at, forEver: true) }));
        }

        Assert.Equal(before, PileTags.Held);
    }

    [Fact]
    public void APileDroppedWithoutDisposeGivesBackItsTagAndItsMemory()
    {
        int before = PileTags.Held;
        var regions = new FailingRegions(int.MaxValue, forEver: false);
        Drop(regions);
        for (int tries = 0; tries < 100 && regions.MappedBytes > 0; tries++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.Equal(0, regions.MappedBytes);
        Assert.Equal(before, PileTags.Held);
    }

    /// <summary>Finalizers of one collection come in any order: what still calls a pile that was finalized is answered, and reads nothing.</summary>
    [Fact]
    public void WhoCallsADroppedPileFromAFinalizerIsAnswered()
    {
        ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        PilePointer pointer = pile.Put("there");
        _ = typeof(Pile.Heap.HeapBase).GetMethod("Finalize", BindingFlags.Instance | BindingFlags.NonPublic)!.Invoke(pile.Core, null);
        Assert.Throws<ObjectDisposedException>(() => pile.Get<string>(pointer));
        Assert.False(pile.TryLease(pointer, out _));
        Assert.Throws<ObjectDisposedException>(() => pile.Pin(pointer));
        Assert.Throws<ObjectDisposedException>(() => pile.Put("more"));
        Assert.Throws<ObjectDisposedException>(() => pile.Delete(pointer));
    }

    /// <summary>Who wants no limit says so with the greatest number.</summary>
    [Fact]
    public void APileWithoutALimitHasRoomForAllThatTheMachineHas()
    {
        using ObjectPile pile = ObjectPile.Create(new PileOptions { MemoryLimitBytes = long.MaxValue });
        _ = pile.Put("small");
        PilePointer large = pile.PutBytes(new byte[70 << 20]);
        using PileLease lease = pile.Lease(large);
        Assert.Equal(70 << 20, lease.Length);
    }

    [Fact]
    public void RootsOfADisposedPileAreNotChanged()
    {
        ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        pile.Roots.Set("root", default);
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.Roots.Set("other", default));
        Assert.Throws<ObjectDisposedException>(() => pile.Roots.Remove("root"));
        Assert.Throws<ObjectDisposedException>(() => pile.Roots.TryGet("root", out _));
        Assert.Throws<ObjectDisposedException>(() => pile.Roots.TryExchange("root", default, default));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(1000)]
    public void APileDroppedWithAPinIsKeptAndNoFinalizerFails(int puts)
    {
        var regions = new FailingRegions(int.MaxValue, forEver: false);
        DropPinned(regions, puts);
        for (int tries = 0; tries < 10; tries++)
        {
            // What fails in a finalizer ends the process.
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.NotEqual(0, regions.MappedBytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropPinned(FailingRegions regions, int puts)
    {
        var pile = ObjectPile.Create(PileOptions.Tiny with { Regions = regions, BackgroundCleaning = true });
        for (int put = 0; put < puts; put++)
        {
            _ = pile.PutBytes(new byte[1000]);
        }

        _ = pile.Pin(pile.PutBytes([1, 2, 3]));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(FailingRegions regions)
    {
        var pile = ObjectPile.Create(PileOptions.Tiny with { Regions = regions, BackgroundCleaning = true });
        for (int put = 0; put < 1000; put++)
        {
            pile.PutBytes(new byte[1000]);
        }

        UseEachLane(pile);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NoThreadKeepsADisposedPile(bool inFiles)
    {
        WeakReference pile = UseAndDispose(inFiles);
        for (int tries = 0; tries < 100 && pile.IsAlive; tries++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(pile.IsAlive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseAndDispose(bool inFiles)
    {
        using SimulatedFiles? files = inFiles ? new SimulatedFiles() : null;
        using ObjectPile pile = inFiles ? ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files!, MemoryLimitBytes = null }) : ObjectPile.Create(PileOptions.Tiny);
        UseEachLane(pile);
        if (inFiles)
        {
            using PileBatch batch = pile.BeginBatch();
            _ = batch.Put(new List<string> { "four" });
            batch.Commit();
            pile.Commit();
        }

        return new WeakReference(pile);
    }

    private static void UseEachLane(ObjectPile pile)
    {
        PilePointer text = pile.PutString("text");
        Assert.NotEmpty(pile.ToJson(text));
        PilePointer graph = pile.Put(new List<string> { "one", "two" });
        Assert.Equal(["one", "two"], pile.Get<List<string>>(graph));
        using (PileBufferWriter writer = pile.BeginPut())
        {
            writer.GetSpan(100).Clear();
            writer.Advance(100);
            text = writer.Commit();
        }

        using (PileLease lease = pile.Lease(text))
        {
            Assert.Equal(100, lease.Bytes.Length);
        }

        using PilePin pin = pile.Pin(text);
        pile.Update(graph, new List<string> { "three" });
    }

    [Fact]
    public void PilesAliveAtOnceHaveDifferentTagsWhileThereAreAny()
    {
        List<ObjectPile> piles = [.. Enumerable.Range(0, 120).Select(static _ => ObjectPile.Create(PileOptions.Tiny))];
        int tags = piles.Select(static pile => pile.Tag).Distinct().Count();
        piles.ForEach(static pile => pile.Dispose());

        Assert.Equal(120, tags);
        Assert.All(piles, static pile => Assert.InRange(pile.Tag, 1, 127));
    }
}
