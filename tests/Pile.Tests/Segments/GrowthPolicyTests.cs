using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class GrowthPolicyTests
{
    private const int SegmentBytes = Limits.SegmentBytesMin;
    private const long Objects = 10_000_000;
    private const long LiveBytes = Objects * 112;

    [Theory]
    [InlineData(1.0, 1.20, 1.20)]
    [InlineData(1.5, 1.20, 1.18)]
    [InlineData(4.0, 1.20, RoomLimits.UsedOverLiveHeld)]
    [InlineData(4.0, 2.00, 1.86)]
    [InlineData(1.0, RoomLimits.UsedOverLiveMin, RoomLimits.UsedOverLiveMin)]
    [InlineData(4.0, RoomLimits.UsedOverLiveMin, RoomLimits.UsedOverLiveMin)]
    public void TheKeeperCleansFurtherWhereTheTableHasTooMuch(double tableOverEntries, double usedOverLive, double held)
    {
        GrowthPolicy policy = Of(LiveBytes, (long)(Objects * Limits.WordBytes * tableOverEntries), usedOverLive);
        Assert.Equal(1 / held, policy.UtilisationMax(SegmentBytes), tolerance: 0.01);
    }

    [Fact]
    public void ASmallPileIsCleanedToItsRatio()
    {
        GrowthPolicy policy = Of(SegmentBytes, tableBytes: 10 * SegmentBytes, RoomLimits.UsedOverLiveDefault);
        Assert.Equal(1 / RoomLimits.UsedOverLiveDefault, policy.UtilisationMax(SegmentBytes));
        policy = Of(liveBytes: 0, tableBytes: 0, RoomLimits.UsedOverLiveDefault);
        Assert.Equal(1 / RoomLimits.UsedOverLiveDefault, policy.UtilisationMax(SegmentBytes));
    }

    /// <summary>What no cleaning can gain is no reason to clean.</summary>
    [Fact]
    public void ThePileMayGrowBeyondWhatIsLeftAtTheEndsOfFullSegments()
    {
        GrowthPolicy policy = Of(LiveBytes, Objects * Limits.WordBytes, RoomLimits.UsedOverLiveDefault, unfitBytes: LiveBytes / 4);
        Assert.InRange(policy.ResidentBytesMax(SegmentBytes), (long)(LiveBytes * 1.30), (long)(LiveBytes * 1.35));
        policy = Of(LiveBytes, Objects * Limits.WordBytes, RoomLimits.UsedOverLiveDefault, unfitBytes: LiveBytes / 20);
        Assert.InRange(policy.ResidentBytesMax(SegmentBytes), (long)(LiveBytes * 1.20), (long)(LiveBytes * 1.22));
    }

    [Theory]
    [InlineData(1L << 30, 1L << 40, 1 << 20, 8)]
    [InlineData(1L << 30, 1L << 40, 16 << 20, 0)]
    [InlineData(16 << 20, 1L << 40, SegmentBytes, 32)]
    [InlineData(1L << 30, 16 << 20, SegmentBytes, 32)]
    [InlineData(1L << 30, 0, SegmentBytes, 0)]
    [InlineData(0, 1L << 40, SegmentBytes, 0)]
    public void InFilesSegmentsAreMadeReadyAhead(long residentBytes, long budgetBytes, int segmentBytes, int ahead)
    {
        GrowthPolicy policy = Of(LiveBytes, Objects * Limits.WordBytes, RoomLimits.UsedOverLiveDefault);
        Assert.Equal(0, policy.SegmentsAhead(residentBytes, segmentBytes, budgetBytes));
        policy.HoldsTombstones = true;
        Assert.Equal(ahead, policy.SegmentsAhead(residentBytes, segmentBytes, budgetBytes));
    }

    private static GrowthPolicy Of(long liveBytes, long tableBytes, double usedOverLive, long unfitBytes = 0)
    {
        var policy = new GrowthPolicy(usedOverLive, keptBytes: 0);
        policy.Follow(() => new PileVolume { LiveBytes = liveBytes, Objects = liveBytes / 112, TableBytes = tableBytes, UnfitBytes = unfitBytes, Writers = 1 });
        return policy;
    }
}
