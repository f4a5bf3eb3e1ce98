using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class ExtentMapTests
{
    [Fact]
    public void ALargeObjectOfManyExtentsIsNeverCutByTheTable()
    {
        AddressSpace.SkipWithoutRoom();
        using var extents = new ExtentMap(RegionProvider.Default, 48L << 30, Limits.ExtentBytes, holdsTable: true);
        int called = 0;
        extents.WhenFar(() => called++);
        Assert.Equal(1, extents.TryMap(510, 0, Limits.ExtentShiftWords, out _));
        Assert.Equal(0, called);

        Assert.Equal(1024, extents.TryMap(2, 0, Limits.ExtentShiftWords, out Region region));
        Assert.Equal(1, called);
        Assert.Equal(extents.Space.AddressOf(2 * Limits.TableWordsWhole), region.Address);
        Assert.Equal(512L * Limits.ExtentBytes, extents.Bytes);
        Assert.True(extents.Contains(2 * Limits.TableWordsWhole, 2 * Limits.ExtentBytes));
        Assert.False(extents.Contains(Limits.TableWordsWhole, 1));

        // Told later, it is told at once.
        extents.WhenFar(() => called += 10);
        Assert.Equal(11, called);

        // The rest of what was asked for is there, behind the table, and no more.
        int rest = (int)((48L << 30) / Limits.ExtentBytes) - 511 - 2;
        Assert.Equal(0, extents.TryMap(rest + 1, 0, Limits.ExtentShiftWords, out _));
        Assert.Equal((rest + 1L) * Limits.ExtentBytes, extents.WantedBytes);
        Assert.Equal(1026, extents.TryMap(rest, 0, Limits.ExtentShiftWords, out _));
    }
}
