using Pile.Cleaning;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Cleaning;

public sealed class FlushLeadTests
{
    private const int SegmentBytes = 64 << 10;
    private const long LimitBytes = 64 << 20;

    [Fact]
    public void ItDoublesWithEachFlushForWhichSomebodyWaitedUpToAPartOfTheLimit()
    {
        var clock = new FlushClock(isWaitedFor: true);
        var lead = new FlushLead(clock);
        long expected = SegmentBytes;
        for (int waits = 1; waits <= 12; waits++)
        {
            clock.Complete(clock.Begin());
            lead.Look(waits, SegmentBytes, LimitBytes);
            Assert.Equal(long.Min(expected, LimitBytes / RoomLimits.FlushLeadFraction), lead.Bytes);
            expected *= 2;
        }
    }

    [Fact]
    public void ItShrinksToNothingWhenNobodyWaitsAnyMore()
    {
        var clock = new FlushClock(isWaitedFor: true);
        var lead = new FlushLead(clock);
        for (int waits = 1; waits <= 6; waits++)
        {
            clock.Complete(clock.Begin());
            lead.Look(waits, SegmentBytes, LimitBytes);
        }

        long before = lead.Bytes;
        for (int flush = 0; flush < 200; flush++)
        {
            clock.Complete(clock.Begin());
            lead.Look(waits: 6, SegmentBytes, LimitBytes);
            Assert.True(lead.Bytes < before || before < RoomLimits.FlushLeadDecay, $"{before} bytes, then {lead.Bytes}");
            before = lead.Bytes;
        }

        Assert.True(before < SegmentBytes, $"{before} bytes are left");
    }

    [Fact]
    public void ItLooksOncePerFlush()
    {
        var clock = new FlushClock(isWaitedFor: true);
        var lead = new FlushLead(clock);
        clock.Complete(clock.Begin());
        lead.Look(waits: 1, SegmentBytes, LimitBytes);
        lead.Look(waits: 2, SegmentBytes, LimitBytes);

        Assert.Equal(SegmentBytes, lead.Bytes);
    }

    [Fact]
    public void ItIsNothingWhereNobodyWaitsForFlushes()
    {
        var clock = new FlushClock(isWaitedFor: false);
        var lead = new FlushLead(clock);
        clock.Complete(clock.Begin());
        lead.Look(waits: 5, SegmentBytes, LimitBytes);

        Assert.Equal(0, lead.Bytes);
    }
}
