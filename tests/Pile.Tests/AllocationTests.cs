using System;
using System.Buffers;
using Xunit;

namespace Pile.Tests;

/// <summary>What costs no allocation, measured on the calling thread.</summary>
public sealed class AllocationTests
{
    private const int Rounds = 2000;

    private const int WindowsMax = 2000;

    [Fact]
    public void PutLeaseCopyUpdateAndDeleteAllocateNothing()
    {
        using var pile = new CheckedPile();
        byte[] bytes = new byte[100];
        byte[] copy = new byte[100];

        AssertFree(pile, it =>
        {
            PilePointer pointer = it.PutBytes(bytes);
            using (PileLease lease = it.Lease(pointer))
            {
                lease.Bytes.CopyTo(copy);
            }

            Assert.True(it.TryCopyTo(pointer, copy, out _));
            it.UpdateBytes(pointer, copy);
            Assert.True(it.Delete(pointer));
        });
    }

    [Fact]
    public void StringsAllocateNothingOnTheirWayIn()
    {
        using var pile = new CheckedPile();

        AssertFree(pile, static it =>
        {
            PilePointer narrow = it.PutString("narrow");
            PilePointer wide = it.PutString("w\u0100de");
            it.UpdateString(narrow, "other");
            it.UpdateString(wide, "w\u0101de");
            PilePointer typed = it.Put("typed");
            Assert.True(it.Delete(narrow) & it.Delete(wide) & it.Delete(typed));
        });
    }

    [Fact]
    public void UnmanagedValuesAllocateNothing()
    {
        using var pile = new CheckedPile();

        AssertFree(pile, static it =>
        {
            PilePointer pointer = it.PutValue(5L);
            PilePointer typed = it.Put(Guid.Empty);
            Span<int> values = [1, 2, 3];
            PilePointer span = it.PutSpan<int>(values);
            Assert.True(it.TryGet(pointer, out long read) && read == 5);
            it.Update(pointer, read + 1);
            it.Update(pointer, 1L, static (long value, long add) => value + add);
            Assert.True(it.TryTake(pointer, out long taken) && taken == 7);
            Assert.True(it.Delete(typed) & it.Delete(span));
        });
    }

    [Fact]
    public void ReserveAllocatesNothing()
    {
        using var pile = new CheckedPile();

        AssertFree(pile, static it =>
        {
            using PileReservation reservation = it.Reserve(100);
            reservation.Span.Fill(1);
            Assert.True(it.Delete(reservation.Commit()));
        });
    }

    /// <summary>It is handed out, and must not be another's when it is disposed once more.</summary>
    [Fact]
    public void BeginPutAllocatesTheWriterAndNothingElse()
    {
        using var pile = new CheckedPile();

        AssertFree(
            pile,
            static it =>
            {
                using PileBufferWriter writer = it.BeginPut();
                writer.GetSpan(700)[..700].Fill(2);
                writer.Advance(700);
                Assert.True(it.Delete(writer.Commit()));
            },
            bytes: 64);
    }

    [Fact]
    public void ASequenceOfSeveralSegmentsAllocatesNothing()
    {
        using var pile = new CheckedPile();
        ReadOnlySequence<byte> sequence = TestSequence.Of(3, 100);

        AssertFree(pile, it => Assert.True(it.Delete(it.PutBytes(sequence))));
    }

    [Fact]
    public void BatchesReadersAndEnumerationAllocateNothing()
    {
        using var pile = new CheckedPile();
        PilePointer[] pointers = new PilePointer[100];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.Put((long)index);
        }

        long[] values = new long[pointers.Length];
        PileStatus[] statuses = new PileStatus[pointers.Length];
        AssertFree(pile, it =>
        {
            Assert.True(it.GetMany(pointers, values.AsSpan(), statuses) == 100);
            var visitor = default(Summer);
            Assert.True(it.LeaseMany(pointers, ref visitor) == 100 && visitor.Bytes == 800);
            int seen = 0;
            foreach (PileItem item in it.Enumerate())
            {
                seen += item.PayloadBytes;
            }

            Assert.True(seen == 800);
            using var reader = new PileReader(it);
            Assert.True(reader[pointers[5]].Length == 8);
        });
    }

    [Fact]
    public void ChurnThatCleansAllocatesNothing()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1, MemoryLimitBytes = 4 << 20 });
        byte[] bytes = new byte[1000];
        PilePointer[] pointers = new PilePointer[1000];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(bytes);
        }

        int next = 0;
        AssertFree(pile, it =>
        {
            for (int step = 0; step < 10; step++)
            {
                it.UpdateBytes(pointers[next = (next + 7) % pointers.Length], bytes);
            }
        });
        Assert.True(pile.Statistics.CleanerPasses > 100);
    }

    [Fact]
    public void LargeObjectsAllocateNothing()
    {
        using var pile = new CheckedPile();
        byte[] bytes = new byte[100_000];

        AssertFree(pile, it =>
        {
            PilePointer pointer = it.PutBytes(bytes);
            using (PileLease lease = it.Lease(pointer))
            {
                Assert.True(lease.Length == bytes.Length);
            }

            Assert.True(it.Delete(pointer));
        });
    }

    /// <summary>Code that the runtime has not optimised yet may box; so the work is repeated until a whole window of it
    /// allocates nothing, or for long enough to know that none ever does.</summary>
    private static void AssertFree(CheckedPile pile, Action<ObjectPile> work, int bytes = 0)
    {
        long allocated = -1;
        for (int window = 0; window < WindowsMax && allocated != bytes * Rounds; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < Rounds; round++)
            {
                work(pile.It);
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Assert.Equal(bytes * Rounds, allocated);
    }

    private struct Summer : IPileVisitor
    {
        internal int Bytes { get; private set; }

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => Bytes += bytes.Length;
    }
}
