using Pile.Caching.Hybrid;
using Xunit;

namespace Pile.Caching.Tests.Hybrid;

/// <summary>What is not believed of the cache behind.</summary>
public sealed class DoubtsTests
{
    [Fact]
    public void AKeyIsDoubtedUpToTheLatestMomentAndUntilALaterWriteGotThrough()
    {
        var doubts = new Doubts();
        Assert.Equal(0, doubts.Of("a"));
        doubts.Add("a", 5);
        doubts.Add("a", 3);
        Assert.Equal(5, doubts.Of("a"));
        Assert.Equal(0, doubts.Of("b"));
        doubts.Settle("a", 4);
        Assert.Equal(5, doubts.Of("a"));
        doubts.Settle("a", 5);
        Assert.Equal(0, doubts.Of("a"));
        doubts.Settle("a", 6);
    }

    [Fact]
    public void BeyondTheLimitWhatIsOlderThanTheMiddleIsDoubtedAndNothingLaterIsForgotten()
    {
        var doubts = new Doubts();
        doubts.Add("later", long.MaxValue);
        for (int index = 0; index < CachingLimits.DoubtsMax; index++)
        {
            doubts.Add($"{index}", 1 + index);
        }

        const int Middle = (CachingLimits.DoubtsMax / 2) + 1;
        Assert.Equal(Middle, doubts.Of("never seen"));
        Assert.Equal(Middle, doubts.Of("0"));
        Assert.Equal(CachingLimits.DoubtsMax, doubts.Of($"{CachingLimits.DoubtsMax - 1}"));
        Assert.Equal(long.MaxValue, doubts.Of("later"));
        doubts.Add("0", CachingLimits.DoubtsMax + 7);
        Assert.Equal(CachingLimits.DoubtsMax + 7, doubts.Of("0"));
        Assert.Equal(Middle, doubts.Of("1"));
    }
}
