using System;
using System.Buffers.Binary;
using Pile.Format;
using Xunit;

namespace Pile.Tests;

public sealed class ForgedPointerTests
{
    private const int Objects = 2000;
    private const int Tries = 1_000_000;

    [Fact]
    public void AMillionStaleAndForgedPointersNeverReadAnotherObject() => Try(seed: 1, Tries);

    [Fact]
    [Trait("Category", "Soak")]
    public void AHundredMillionStaleAndForgedPointersNeverReadAnotherObject()
    {
        // Each pile uses its slots again some 1,250 times, as 10 million tries with a quarter of them deletions of 2,000 objects do.
        for (int seed = 2; seed < 12; seed++)
        {
            Try(seed, 10 * Tries);
        }
    }

    [Fact]
    public void APointerWithAnyOtherTagIsRefusedByEveryRead()
    {
        using var pile = new CheckedPile();
        PilePointer own = pile.It.Put(5L);
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            var pointer = new PilePointer(PointerWord.Pack(own.Slot, (byte)tag, (uint)own.Generation));
            using PileReader reader = pile.It.BeginRead();
            PileStatus status = reader.TryRead(pointer, out ReadOnlySpan<byte> bytes);
            Assert.Equal(pointer == own ? PileStatus.Ok : PileStatus.WrongPile, status);
            Assert.Equal(pointer == own ? sizeof(long) : 0, bytes.Length);
        }

        foreach (int tag in (int[])[own.Tag - 1, own.Tag + 1, own.Tag + 128])
        {
            Assert.Equal(PileStatus.WrongPile, Assert.ThrowsAny<PileException>(() => pile.It.Lease(new PilePointer(PointerWord.Pack(own.Slot, (byte)tag, (uint)own.Generation))).Dispose()).Status);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(255)]
    public void PointersOfTheLastSlotsWithAnyOtherTagAreRefused(int generation)
    {
        // The piles before this one: its tag and its id are not the least.
        using var first = new CheckedPile();
        using var second = new CheckedPile();
        using var pile = new CheckedPile();
        PilePointer own = pile.It.Put(5L);
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            for (int bit = 0; bit < 32; bit++)
            {
                var pointer = new PilePointer(PointerWord.Pack(uint.MaxValue - (uint)((1UL << bit) - 1), (byte)tag, (uint)generation));
                bool isGood = pile.It.TryLease(pointer, out PileLease lease);
                lease.Dispose();
                Assert.False(isGood);
                PileStatus status = Assert.ThrowsAny<PileException>(() => pile.It.Lease(pointer).Dispose()).Status;
                Assert.Equal(tag == own.Tag ? PileStatus.Stale : PileStatus.WrongPile, status);
            }
        }
    }

    [Fact]
    public void ASlotAtItsLastGenerationIsRetiredAndItsPointersStayStale()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1 });
        PilePointer first = pile.It.Put(1L);
        Assert.True(pile.It.Delete(first));

        // Plant: the free slot has two generations left.
        pile.Core.Table.Publish(first.Slot, EntryWord.Free(EntryWord.GenerationLast - 2));
        PilePointer before = PutInto(pile.It, first.Slot);
        Assert.Equal((int)EntryWord.GenerationLast - 1, before.Generation);
        Assert.True(pile.It.Delete(before));
        PilePointer last = PutInto(pile.It, first.Slot);
        Assert.Equal((int)EntryWord.GenerationLast, last.Generation);
        pile.It.Update(last, 7L);
        Assert.Equal(7L, pile.It.Get<long>(last));
        Assert.Equal(0, pile.Statistics.SlotsRetired);

        Assert.True(pile.It.Delete(last));

        Assert.Equal(1, pile.Statistics.SlotsRetired);
        for (int index = 0; index < 10_000; index++)
        {
            Assert.NotEqual(first.Slot, pile.It.Put(0L).Slot);
        }

        foreach (PilePointer pointer in (PilePointer[])[first, before, last])
        {
            Assert.False(pile.It.TryGet(pointer, out long _, out PileStatus status));
            Assert.Equal(PileStatus.Stale, status);
        }

        pile.It.Clear();
        Assert.Equal(1, pile.Statistics.SlotsRetired);
    }

    private static PilePointer PutInto(ObjectPile pile, uint slot)
    {
        for (int attempt = 0; attempt < 10_000; attempt++)
        {
            PilePointer pointer = pile.Put(0L);
            if (pointer.Slot == slot)
            {
                return pointer;
            }
        }

        throw new InvalidOperationException($"Slot {slot} was not issued again.");
    }

    private static PilePointer Forge(Random random, PilePointer[] live, ReadOnlySpan<PilePointer> stale)
    {
        PilePointer real = live[random.Next(live.Length)];
        return random.Next(6) switch
        {
            0 => PilePointer.FromInt64(random.NextInt64(long.MinValue, long.MaxValue)),
            1 => stale[random.Next(stale.Length)],
            2 => new PilePointer(PointerWord.Pack(real.Slot, real.Tag, (uint)random.Next(1 << 24))),
            3 => new PilePointer(PointerWord.Pack(real.Slot, (byte)(real.Tag ^ random.Next(1, 256)), (uint)real.Generation)),
            4 => new PilePointer(PointerWord.Pack((uint)random.Next(100_000), real.Tag, (uint)random.Next(8))),
            _ => PilePointer.FromInt64(real.ToInt64() ^ (1L << random.Next(64))),
        };
    }

    /// <summary>Reads pointers that led to an object once, or never, among such as lead to one: each of those reads its own object, the others nothing.</summary>
    private static void Try(int seed, int tries)
    {
        var random = new Random(seed);
        using var pile = new CheckedPile();
        PilePointer[] live = new PilePointer[Objects];
        PilePointer[] stale = new PilePointer[20_000];
        int staleCount = 0;
        for (int index = 0; index < Objects; index++)
        {
            live[index] = pile.It.Put((long)index);
        }

        for (int attempt = 0; attempt < tries; attempt++)
        {
            int victim = random.Next(Objects);
            if (attempt % 4 == 0)
            {
                stale[staleCount++ % stale.Length] = live[victim];
                Assert.True(pile.It.Delete(live[victim]));
                live[victim] = pile.It.Put((long)victim);
            }

            PilePointer tried = Forge(random, live, stale.AsSpan(0, Math.Min(staleCount, stale.Length)));
            bool isFound = pile.It.TryGet(tried, out long read, out PileStatus status);

            // The short way of a reader, which is a lease's too, comes to the same.
            using (PileReader reader = pile.It.BeginRead())
            {
                PileStatus again = reader.TryRead(tried, out ReadOnlySpan<byte> bytes);
                if (again != status || (isFound && BinaryPrimitives.ReadInt64LittleEndian(bytes) != read))
                {
                    Assert.Fail($"seed {seed}, attempt {attempt}: {tried} read {read} ({status}) and, by a reader, {bytes.Length} bytes ({again})");
                }
            }

            if (isFound && (Array.IndexOf(live, tried) is var owner && owner != read))
            {
                Assert.Fail($"seed {seed}, attempt {attempt}: {tried} read {read} ({status})");
            }
        }
    }
}
