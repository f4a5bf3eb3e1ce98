using System;
using System.Globalization;
using Pile.Format;
using Xunit;

namespace Pile.Tests;

public sealed class PileRefTests
{
    private static readonly PilePointer _low = new(PointerWord.Pack(1, 1, 1));
    private static readonly PilePointer _high = new(PointerWord.Pack(2, 1, 1));

    [Fact]
    public void AReferenceFormatsAndParsesAsItsPointer()
    {
        var reference = new PileRef<string>(_low);

        Assert.Equal("1.1@1", reference.ToString());
        Assert.Equal("1.1@1", string.Create(CultureInfo.InvariantCulture, $"{reference}"));
        Assert.Equal("1.1@1", reference.ToString(null, null));
        Assert.Equal(reference, PileRef<string>.Parse("1.1@1", null));
        Assert.Equal(reference, PileRef<string>.Parse("1.1@1".AsSpan(), null));
        Assert.True(PileRef<string>.TryParse("1.1@1", null, out PileRef<string> parsed));
        Assert.Equal(reference, parsed);
        Assert.False(PileRef<string>.TryParse("nothing", null, out parsed));
        Assert.True(parsed.IsNull);
        Assert.Throws<FormatException>(() => PileRef<string>.Parse("nothing", null));
    }

    [Fact]
    public void ReferencesCompareAsTheirPointers()
    {
        var low = new PileRef<int>(_low);
        var high = new PileRef<int>(_high);

        Assert.True(low < high && low <= high && high > low && high >= low);
        Assert.True(low.CompareTo(high) < 0);
        Assert.NotEqual(low, high);
        Assert.Equal(_low, (PilePointer)low);
        Assert.Equal(_low, low.ToPilePointer());
    }
}
