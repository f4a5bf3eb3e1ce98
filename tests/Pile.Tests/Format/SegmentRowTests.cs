using System;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Format;

public sealed class SegmentRowTests
{
    private const ulong Identity = 0xFEDC_BA98_7654_3210;
    private const long Location = 1L << 23;

    [Fact]
    public void ARowPacksWhereItIsDrawnAndComesBack()
    {
        foreach (SegmentRowState state in Enum.GetValues<SegmentRowState>())
        {
            foreach (long sequence in (long[])[1, 2, 77, 1L << 20, SegmentRow.SequenceMax])
            {
                var row = new SegmentRow(state == SegmentRowState.Absent ? 0 : sequence, state);
                ulong word = SegmentRow.Pack(row.Sequence, state, Identity, Location);

                Assert.Equal(((ulong)row.Sequence, (ulong)state), (word & 0xFF_FFFF_FFFF, (word >> 40) & 15));
                Assert.True(SegmentRow.TryParse(word, Identity, Location, out SegmentRow read));
                Assert.Equal(row, read);
            }
        }
    }

    [Fact]
    public void AZeroWordIsAbsent()
    {
        Assert.Equal(0UL, SegmentRow.Pack(0, SegmentRowState.Absent, Identity, Location));
        Assert.True(SegmentRow.TryParse(0, Identity, Location, out SegmentRow row));
        Assert.Equal(default, row);
    }

    [Fact]
    public void EveryFlippedBitIsNoticed()
    {
        foreach (SegmentRowState state in Enum.GetValues<SegmentRowState>())
        {
            for (long sequence = 1; sequence < SegmentRow.SequenceMax; sequence *= 3)
            {
                ulong word = SegmentRow.Pack(state == SegmentRowState.Absent ? 0 : sequence, state, Identity, Location);
                for (int bit = 0; bit < 64; bit++)
                {
                    Assert.False(SegmentRow.TryParse(word ^ (1UL << bit), Identity, Location, out _), $"bit {bit} of {sequence}, {state}");
                }
            }
        }
    }

    [Fact]
    public void EveryTwoFlippedBitsOfARowAreNoticed()
    {
        ulong word = SegmentRow.Pack(12345, SegmentRowState.Sealed, Identity, Location);
        for (int first = 0; first < 64; first++)
        {
            for (int second = first + 1; second < 64; second++)
            {
                Assert.False(SegmentRow.TryParse(word ^ (1UL << first) ^ (1UL << second), Identity, Location, out _), $"bits {first}, {second}");
            }
        }
    }

    [Fact]
    public void ARowOfAnotherPileOrPlaceIsNoticed()
    {
        ulong word = SegmentRow.Pack(12345, SegmentRowState.Open, Identity, Location);

        Assert.False(SegmentRow.TryParse(word, Identity + 1, Location, out _));
        Assert.False(SegmentRow.TryParse(word, Identity, Location + 8192, out _));
    }

    [Fact]
    public void RowsThatArePossibleOnlyByTheirCheckAreNoRows()
    {
        int passed = 0;
        for (ulong check = 0; check < 1 << 20; check++)
        {
            passed += Parses((1UL << 40) | (check << 44)) + Parses(5 | (check << 44));
            passed += Parses(5 | (7UL << 40) | (check << 44));
        }

        Assert.Equal(0, passed);

        static int Parses(ulong word) => SegmentRow.TryParse(word, Identity, Location, out _) ? 1 : 0;
    }
}
