using System;
using System.Buffers;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests;

public sealed class ObjectPileTests
{
    /// <summary>Where an object becomes a large one in a tiny pile.</summary>
    private const int LargeBytes = (Limits.SegmentBytesMin / Limits.LargeObjectFraction) - 8;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(4095)]
    [InlineData(LargeBytes - 1)]
    [InlineData(LargeBytes)]
    [InlineData(LargeBytes + 1)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(3_000_001)]
    [InlineData(70_000_000)]
    public void BytesOfEveryLengthComeBackAsTheyWere(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 256 << 20 });

        PilePointer pointer = pile.It.PutBytes(bytes);
        Assert.Equal(length >= LargeBytes ? 1 : 0, pile.Statistics.LargeObjects);
        using (PileLease lease = pile.It.Lease(pointer))
        {
            Assert.Equal(PileKind.Bytes, lease.Kind);
            Assert.True(lease.Bytes.SequenceEqual(bytes));
        }

        using (PilePin pin = pile.It.Pin(pointer))
        {
            Assert.True(pin.Bytes.SequenceEqual(bytes));
        }

        bytes.AsSpan().Reverse();
        pile.It.UpdateBytes(pointer, bytes);
        Assert.True(pile.It.Get<byte[]>(pointer).AsSpan().SequenceEqual(bytes));
        Assert.True(pile.It.Delete(pointer));
        Assert.Equal(0, pile.Statistics.Objects);
    }

    [Fact]
    public void TheLargestPayloadIsStoredAndOneByteMoreIsRefusedWithTheLimitInTheMessage()
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(Limits.PayloadBytesMax + 1);
        bytes[0] = 1;
        bytes[^2] = 2;
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 300 << 20 });

        ArgumentOutOfRangeException failure = Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.PutBytes(bytes));
        Assert.Contains("268,435,456", failure.Message, StringComparison.Ordinal);
        Assert.Contains("268,435,455", failure.Message, StringComparison.Ordinal);
        Assert.Equal(0, pile.Statistics.UsedBytes);

        using PileLease lease = pile.It.Lease(pile.It.PutBytes(bytes.AsSpan(0, Limits.PayloadBytesMax)));
        Assert.Equal(Limits.PayloadBytesMax, lease.Length);
        Assert.Equal((1, 2), (lease.Bytes[0], lease.Bytes[^1]));
    }

    [Fact]
    public void AnUpdateBetweenSmallAndLargeKeepsThePointerAndFreesTheRun()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutBytes(new byte[10]);
        for (int round = 0; round < 50; round++)
        {
            byte[] bytes = new byte[round % 2 == 0 ? 1_500_000 : 20];
            bytes.AsSpan().Fill((byte)round);
            pile.It.UpdateBytes(pointer, bytes);
            Assert.Equal(bytes, pile.It.Get<byte[]>(pointer));
        }

        Assert.Equal(1, pile.Statistics.Objects);
        pile.It.UpdateBytes(pointer, []);
        _ = pile.It.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(0, pile.Statistics.LargeBytes);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(100)]
    public void ASequenceOfSeveralSegmentsIsStoredAsOneObject(int segments)
    {
        using var pile = new CheckedPile();
        ReadOnlySequence<byte> sequence = TestSequence.Of(segments, 777);

        PilePointer pointer = pile.It.PutBytes(sequence);

        Assert.Equal(sequence.ToArray(), pile.It.Get<byte[]>(pointer));
        Assert.Equal([], pile.It.Get<byte[]>(pile.It.PutBytes(ReadOnlySequence<byte>.Empty)));
    }

    [Fact]
    public void ASequenceThatThrowsWhileItIsReadChangesNothing()
    {
        using var pile = new CheckedPile();
        pile.It.PutString("before");
        PileStatistics before = pile.Statistics;

        Assert.Throws<InvalidTimeZoneException>(() => pile.It.PutBytes(TestSequence.Throwing()));

        Assert.Equal(before, pile.Statistics);
        pile.It.PutBytes(TestSequence.Of(3, 10));
    }

    [Fact]
    public void ASequenceTooLongIsRefusedBeforeItIsRead()
    {
        using var pile = new CheckedPile();

        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.PutBytes(TestSequence.Of(3, 100_000_000)));
        Assert.Equal(0, pile.Statistics.Objects);
    }

    [Fact]
    public void CopyToAndTryCopyToGiveTheStoredBytesAndTellTheLengthWhenTheyDoNotFit()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutBytes([1, 2, 3]);
        byte[] destination = [9, 9, 9, 9];

        Assert.False(pile.It.TryCopyTo(pointer, destination.AsSpan(0, 2), out int bytes));
        Assert.Equal(3, bytes);
        Assert.Equal([9, 9, 9, 9], destination);
        Assert.True(pile.It.TryCopyTo(pointer, destination, out bytes));
        Assert.Equal(3, bytes);
        Assert.Equal([1, 2, 3, 9], destination);
        var writer = new ArrayBufferWriter<byte>();
        pile.It.CopyTo(pointer, writer);
        Assert.Equal([1, 2, 3], writer.WrittenSpan.ToArray());
        Assert.Throws<ArgumentNullException>(() => pile.It.CopyTo(pointer, null!));
        Assert.True(pile.It.Delete(pointer));
        Assert.Throws<PileStaleException>(() => pile.It.TryCopyTo(pointer, destination, out _));
    }

    [Fact]
    public void ALeaseReadsItsBytesAsValuesOnlyWhenTheyAreWhole()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutSpan<int>([1, 2, 3]);
        using PileLease lease = pile.It.Lease(pointer);

        Assert.Equal([1, 2, 3], lease.AsSpan<int>().ToArray());
        Assert.Equal(12, lease.AsSpan<byte>().Length);
        Assert.Contains("12 bytes", FailureOf(lease, static held => _ = held.AsSpan<long>()), StringComparison.Ordinal);
        Assert.Contains("12 bytes", FailureOf(lease, static held => _ = held.Read<int>()), StringComparison.Ordinal);
        using PileLease value = pile.It.Lease(pile.It.PutValue(77L));
        Assert.Equal(77L, value.Read<long>());
    }

    [Theory]
    [InlineData("A")]
    [InlineData("text")]
    [InlineData("\u00DCn\u00EFcode!")]
    public void ALeaseOnATextOfOneByteACharRefusesToShowItAsChars(string text)
    {
        using var pile = new CheckedPile();
        using PileLease lease = pile.It.Lease(pile.It.PutString(text));

        Assert.Equal((PileKind.NarrowString, text.Length), (lease.Kind, lease.AsSpan<byte>().Length));
        string told = FailureOf(lease, static held => _ = held.AsSpan<char>());
        Assert.Contains($"a text of {text.Length} chars", told, StringComparison.Ordinal);
        Assert.Contains("NarrowString", told, StringComparison.Ordinal);
        Assert.Contains("Latin-1", told, StringComparison.Ordinal);
        Assert.Equal(told.Replace("Char", "Int16", StringComparison.Ordinal), FailureOf(lease, static held => _ = held.AsSpan<short>()));
        using PileLease pair = pile.It.Lease(pile.It.PutString("ab"));
        Assert.Contains("Latin-1", FailureOf(pair, static held => _ = held.Read<char>()), StringComparison.Ordinal);
        using PileLease wide = pile.It.Lease(pile.It.PutString(text + "\u0442"));
        Assert.Equal(text + "\u0442", wide.AsSpan<char>().ToString());
        using PileLease empty = pile.It.Lease(pile.It.PutString(""));
        Assert.Equal(0, empty.AsSpan<char>().Length);
    }

    [Fact]
    public void TheBytesOfALeaseStayThoseOfItsBeginningWhenTheObjectChanges()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("first");
        using PileLease lease = pile.It.Lease(pointer);
        pile.It.UpdateString(pointer, "other");
        Assert.Equal("first"u8.ToArray(), lease.Bytes.ToArray());
        Assert.True(pile.It.Delete(pointer));
        Assert.Equal("first"u8.ToArray(), lease.Bytes.ToArray());
    }

    private static string FailureOf(PileLease lease, Looking look)
    {
        try
        {
            look(lease);
            return string.Empty;
        }
        catch (InvalidOperationException failure)
        {
            return failure.Message;
        }
    }

    private delegate void Looking(PileLease lease);
}
