using Pile.Primitives;
using Pile.Table;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Table;

/// <summary>Pages of a table that is being built.</summary>
public sealed class ObjectTableTests
{
    private const uint Granule = Limits.TableGranuleSlots;
    private const long GranuleBytes = (long)Granule * Limits.WordBytes;

    [Fact]
    public void ATableThatIsBuiltIsPopulatedUpToASlotAndEachStretchOnce()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, 4 * Granule) { IsPopulated = true };

        table.Populate(5);
        table.Populate(Granule - 1);
        Assert.Equal([(0, GranuleBytes)], machine.Populated);

        table.Populate((2 * Granule) + 1);
        Assert.Equal([(0, GranuleBytes), (GranuleBytes, GranuleBytes), (2 * GranuleBytes, GranuleBytes)], machine.Populated);
    }

    [Fact]
    public void ThePagesBehindTheLastSlotAreNotAskedFor()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, Granule) { IsPopulated = true };

        table.Populate(table.SlotsMax);

        Assert.Equal([(0, GranuleBytes), (GranuleBytes, Limits.WordBytes)], machine.Populated);
    }

    [Fact]
    public void ATableThatIsNotBuiltIsPopulatedByTouchAlone()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, Granule);

        table.Populate(5);

        Assert.Empty(machine.Populated);
    }
}
