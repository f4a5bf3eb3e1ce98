using System;
using System.Buffers;
using System.Linq;
using System.Threading.Tasks;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests;

public sealed class PileBufferWriterTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void WhatIsWrittenInPiecesOfAnySizeIsStoredAsOneObject(int seed)
    {
        var random = new Random(seed);
        var expected = new ArrayBufferWriter<byte>();
        using var pile = new CheckedPile();
        using PileBufferWriter writer = pile.It.BeginPut();
        for (int piece = 0; piece < 300; piece++)
        {
            byte[] bytes = new byte[random.Next(2000)];
            random.NextBytes(bytes);
            expected.Write(bytes);
            if (piece % 2 == 0)
            {
                writer.Write(bytes);
            }
            else
            {
                bytes.CopyTo(writer.GetMemory(bytes.Length));
                writer.Advance(bytes.Length);
            }

            Assert.Equal(expected.WrittenCount, writer.WrittenBytes);
        }

        Assert.True(writer.WrittenSpan.SequenceEqual(expected.WrittenSpan));
        PilePointer pointer = writer.Commit();
        Assert.True(pile.It.Get<byte[]>(pointer).AsSpan().SequenceEqual(expected.WrittenSpan));
    }

    [Fact]
    public void AWriterWithoutACommitStoresNothing()
    {
        using var pile = new CheckedPile();
        using (PileBufferWriter writer = pile.It.BeginPut())
        {
            writer.Write("lost"u8);
        }

        Assert.Equal(0, pile.Statistics.Objects);
    }

    [Fact]
    public void NothingWrittenIsAnEmptyObject()
    {
        using var pile = new CheckedPile();
        using PileBufferWriter writer = pile.It.BeginPut();

        Assert.Equal([], pile.It.Get<byte[]>(writer.Commit()));
    }

    [Fact]
    public void UseAfterCommitOrDisposeThrowsInvalidOperation()
    {
        using var pile = new CheckedPile();
        PileBufferWriter writer = pile.It.BeginPut();
        writer.Commit();

        Assert.Throws<InvalidOperationException>(() => writer.Commit());
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory());
        Assert.Throws<InvalidOperationException>(() => writer.Advance(0));
        writer.Dispose();
        writer.Dispose();
        Assert.Throws<InvalidOperationException>(() => writer.Commit());
        Assert.Equal(1, pile.Statistics.Objects);
    }

    /// <summary>It had gone back to the pile, which had given it to the next caller: that one's bytes were cut short, or stored under another's pointer.</summary>
    [Fact]
    public void AWriterThatIsDisposedTwiceIsNobodyElses()
    {
        using var pile = new CheckedPile();
        PileBufferWriter first = pile.It.BeginPut();
        first.Write("first"u8);
        first.Dispose();
        using PileBufferWriter second = pile.It.BeginPut();
        second.Write("second"u8);
        first.Dispose();
        using PileBufferWriter third = pile.It.BeginPut();
        third.Write("third"u8);
        PilePointer pointer = second.Commit();

        Assert.Equal("second"u8, pile.It.Get<byte[]>(pointer));
        Assert.Equal("third"u8, pile.It.Get<byte[]>(third.Commit()));
    }

    /// <summary>One array that goes back twice is two callers' at once.</summary>
    [Fact]
    public void ThreadsThatDisposeAWriterAtOnceGiveItsBufferBackOnce()
    {
        using var pile = new CheckedPile();
        for (int round = 0; round < 2_000; round++)
        {
            PileBufferWriter writer = pile.It.BeginPut();
            writer.Write(new byte[200]);
            Parallel.Invoke(writer.Dispose, writer.Dispose);
            byte[][] rented = [.. Enumerable.Range(0, 4).Select(static _ => ArrayPool<byte>.Shared.Rent(256))];
            Assert.Equal(rented.Length, rented.Distinct().Count());
            Array.ForEach(rented, static array => ArrayPool<byte>.Shared.Return(array));
        }
    }

    [Fact]
    public void AdvanceBeyondTheBufferOrBelowZeroThrowsWithWhatIsLeft()
    {
        using var pile = new CheckedPile();
        using PileBufferWriter writer = pile.It.BeginPut();
        int left = writer.GetSpan(100).Length;

        ArgumentOutOfRangeException failure = Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(left + 1));
        Assert.Contains($"{left}", failure.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.GetMemory(-1));
        writer.Advance(left);
        Assert.Equal(left, writer.WrittenBytes);
    }

    [Fact]
    public void ABufferBeyondTheLargestPayloadIsRefusedWithTheLimit()
    {
        using var pile = new CheckedPile();
        using PileBufferWriter writer = pile.It.BeginPut();
        writer.Write("kept"u8);

        ArgumentOutOfRangeException failure = Assert.Throws<ArgumentOutOfRangeException>(() => writer.GetMemory(Limits.PayloadBytesMax));
        Assert.Contains("268,435,459", failure.Message, StringComparison.Ordinal);
        Assert.Equal("kept"u8.ToArray(), pile.It.Get<byte[]>(writer.Commit()));
    }

    [Fact]
    public void NoMoreIsHandedOutThanCommitStores()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 512 << 20 });
        using PileBufferWriter writer = pile.It.BeginPut();

        Assert.Equal(Limits.PayloadBytesMax, writer.GetSpan(Limits.PayloadBytesMax).Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(Limits.PayloadBytesMax + 1));
        writer.Advance(Limits.PayloadBytesMax);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.GetSpan(1));
        PilePointer pointer = writer.Commit();
        using PileLease lease = pile.It.Lease(pointer);
        Assert.Equal(Limits.PayloadBytesMax, lease.Length);
    }

    [Fact]
    public void AWriterThatFoundThePileFullCommitsLater()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 4 << 20 });
        using PileBufferWriter writer = pile.It.BeginPut();
        writer.GetSpan(8 << 20)[..(8 << 20)].Fill(7);
        writer.Advance(8 << 20);

        Assert.Throws<PileFullException>(() => writer.Commit());
        Assert.Equal(0, pile.Statistics.Objects);
        pile.It.MemoryLimitBytes = 16 << 20;
        using PileLease lease = pile.It.Lease(writer.Commit());
        Assert.Equal(8 << 20, lease.Length);
        Assert.False(lease.Bytes.ContainsAnyExcept((byte)7));
    }
}
