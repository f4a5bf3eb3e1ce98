using Pile.Cleaning;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Cleaning;

public sealed class VictimsTests
{
    private const int Bytes = 64 << 10;
    private readonly Victims _victims = new();

    [Fact]
    public void AnEmptySegmentStandsBeforeEveryOther()
    {
        _victims.Offer(Make(1), 8, 1_000_000);
        _victims.Offer(Make(2), 0, 0);
        _victims.Offer(Make(3), 16, 2_000_000);

        Assert.Equal(2, _victims[0].Index);
    }

    [Fact]
    public void OfEqualAgeTheEmptierComesFirstAndOfEqualFillTheOlder()
    {
        _victims.Offer(Make(1), Bytes / 2, 10);
        _victims.Offer(Make(2), Bytes / 4, 10);
        _victims.Offer(Make(3), Bytes / 4, 20);

        Assert.Equal([3, 2, 1], [_victims[0].Index, _victims[1].Index, _victims[2].Index]);
    }

    [Fact]
    public void OfMoreThanTheMostOnlyTheBestAreKept()
    {
        for (int index = 0; index < 3 * RoomLimits.CleanerVictimsMax; index++)
        {
            _victims.Offer(Make(index), (index + 1) * 1000, 10);
        }

        Assert.Equal(RoomLimits.CleanerVictimsMax, _victims.Count);
        for (int place = 0; place < _victims.Count; place++)
        {
            Assert.Equal(place, _victims[place].Index);
        }
    }

    [Fact]
    public void FitKeepsWhatFitsTheRoomAndStopsAtTheWantedGain()
    {
        _victims.Offer(Make(1), 1000, 10);
        _victims.Offer(Make(2), 2000, 10);
        _victims.Offer(Make(3), 3000, 10);

        _victims.Fit(roomBytes: 2999, wantedBytes: long.MaxValue);
        Assert.Equal(1, _victims.Count);
        Assert.Equal(Bytes - 1000, _victims.GainBytes);

        _victims.Clear();
        Assert.Equal(0, _victims.Count);
        _victims.Offer(Make(1), 1000, 10);
        _victims.Offer(Make(2), 2000, 10);
        _victims.Offer(Make(3), 3000, 10);
        _victims.Fit(roomBytes: long.MaxValue, wantedBytes: Bytes);
        Assert.Equal(2, _victims.Count);
        Assert.Equal((2L * Bytes) - 3000, _victims.GainBytes);
    }

    /// <summary>Copies of its records would leave as much at the end of theirs.</summary>
    [Fact]
    public void WhatIsLeftAtTheEndOfAFullSegmentIsNoGain()
    {
        Segment full = Make(1);
        full.UnfitBytes = Bytes / 4;
        _victims.Offer(full, Bytes / 2, 10);
        _victims.Offer(Make(2), Bytes * 6 / 10, 10);
        Assert.Equal([2, 1], [_victims[0].Index, _victims[1].Index]);
    }

    private static Segment Make(int index) => new(index, 1, Bytes, default, 0, default);
}
