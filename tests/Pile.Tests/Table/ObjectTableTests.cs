using System.Linq;
using Pile.Primitives;
using Pile.Table;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Table;

/// <summary>Pages of a table that is being built.</summary>
public sealed class ObjectTableTests
{
    private const uint Granule = Limits.TableGranuleSlots;
    private const long PageBytes = (long)Limits.TablePageSlots * Limits.WordBytes;
    private const long GranuleBytes = (long)Granule * Limits.WordBytes;

    private static long[] UpToAGranule => [0, PageBytes, 2 * PageBytes, 4 * PageBytes, 8 * PageBytes, 16 * PageBytes, 32 * PageBytes, GranuleBytes];

    [Fact]
    public void ATableThatIsBuiltIsPopulatedUpToASlotAndEachStretchOnce()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, 4 * Granule) { IsPopulated = true };

        table.Populate(5);
        table.Populate(Limits.TablePageSlots - 1);
        Assert.Equal([(0, PageBytes)], machine.Populated);

        table.Populate(Granule - 1);
        table.Populate((2 * Granule) + 1);
        Assert.Equal(Stretches([.. UpToAGranule, 2 * GranuleBytes, 3 * GranuleBytes]), machine.Populated);
    }

    [Fact]
    public void ThePagesBehindTheLastSlotAreNotAskedFor()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, Granule) { IsPopulated = true };

        table.Populate(table.SlotsMax);

        Assert.Equal([.. Stretches(UpToAGranule), (GranuleBytes, Limits.WordBytes)], machine.Populated);
    }

    [Fact]
    public void ATableThatIsNotBuiltIsPopulatedByTouchAlone()
    {
        var machine = new SmallMachine();
        using var table = new ObjectTable(machine, Granule);

        table.Populate(5);

        Assert.Empty(machine.Populated);
    }

    /// <summary>Where each stretch begins, and how long it is; the last begins where the one before ends.</summary>
    private static (long, long)[] Stretches(long[] from) => [.. from.Zip(from.Skip(1), static (at, next) => (at, next - at))];
}
