using System;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Format;

public sealed class FormatFeaturesTests
{
    [Fact]
    public void WhatThisVersionWritesItReadsAndWrites()
    {
        FormatFeatures.Current.Check("f", readOnly: false);
        FormatFeatures.Current.Check("f", readOnly: true);
        (FormatFeatures.Current with { Compatible = ulong.MaxValue }).Check("f", readOnly: false);
        Assert.True(FormatFeatures.Current.IsReadable);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ANewerVersionIsRefusedByNumber(bool readOnly)
    {
        FormatFeatures newer = FormatFeatures.Current with { Version = 7 };
        PileFormatException failure = Assert.Throws<PileFormatException>(() => newer.Check("f", readOnly));

        Assert.Equal((PileStatus.Format, "f"), (failure.Status, failure.Path));
        Assert.Contains("version 7", failure.Message, StringComparison.Ordinal);
        Assert.Contains("newer version", failure.Message, StringComparison.Ordinal);
        Assert.False(newer.IsReadable);
        Assert.Throws<PileFormatException>(() => (newer with { Version = 0 }).Check("f", readOnly));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void UnknownIncompatibleFeaturesAreRefusedByBit(bool readOnly)
    {
        FormatFeatures newer = FormatFeatures.Current with { Incompatible = (1UL << 5) | (1UL << 63) };
        PileFormatException failure = Assert.Throws<PileFormatException>(() => newer.Check("f", readOnly));

        Assert.Contains("incompatible bits 5, 63", failure.Message, StringComparison.Ordinal);
        Assert.Contains("newer version", failure.Message, StringComparison.Ordinal);
        Assert.False(newer.IsReadable);
    }

    [Fact]
    public void UnknownReadOnlyCompatibleFeaturesLetReadersIn()
    {
        FormatFeatures newer = FormatFeatures.Current with { ReadOnlyCompatible = 1UL << 3 };
        newer.Check("f", readOnly: true);
        PileFormatException failure = Assert.Throws<PileFormatException>(() => newer.Check("f", readOnly: false));

        Assert.Contains("read-only-compatible bit 3", failure.Message, StringComparison.Ordinal);
        Assert.Contains("ReadOnly", failure.Message, StringComparison.Ordinal);
        Assert.True(newer.IsReadable);
    }
}
