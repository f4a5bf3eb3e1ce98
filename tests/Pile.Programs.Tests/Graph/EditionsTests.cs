using PackageGraph.Data;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class EditionsTests
{
    [Theory]
    [InlineData(1, 100, 1)]
    [InlineData(149, 100, 1)]
    [InlineData(150, 100, 2)]
    [InlineData(2_000_000, 101_762, 20)]
    [InlineData(1_000_000_000, 101_762, 9827)]
    public void TheNumberOfEditionsComesClosest(long objects, int perEdition, int editions)
    {
        Assert.Equal(editions, Editions.CountFor(objects, perEdition));
    }

    [Fact]
    public void TheFirstEditionIsTheFileAndTheOthersSayWhichTheyAre()
    {
        Assert.Equal(("vim", "9", "Edits"), (Editions.NameOf("vim", 0), Editions.VersionOf("9", 0), Editions.DescriptionOf("Edits", 0)));
        Assert.Equal(("vim@3", "9+e3", "Edits (edition 3)"), (Editions.NameOf("vim", 3), Editions.VersionOf("9", 3), Editions.DescriptionOf("Edits", 3)));
    }
}
