using System;
using System.Globalization;
using System.Linq;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests;

public sealed class PileOptionsTests
{
    public static TheoryData<string, Func<PileOptions, PileOptions>> Refused() => new()
    {
        { nameof(PileOptions.MemoryLimitBytes), static options => options with { MemoryLimitBytes = Limits.MemoryLimitMin - 1 } },
        { nameof(PileOptions.MemoryLimitBytes), static options => options with { MemoryLimitBytes = 0 } },
        { nameof(PileOptions.MemoryLimitBytes), static options => options with { MemoryLimitBytes = long.MinValue } },
        { nameof(PileOptions.UsedOverLive), static options => options with { UsedOverLive = 1.04 } },
        { nameof(PileOptions.UsedOverLive), static options => options with { UsedOverLive = 16.1 } },
        { nameof(PileOptions.UsedOverLive), static options => options with { UsedOverLive = double.NaN } },
        { nameof(PileOptions.WritersMax), static options => options with { WritersMax = 0 } },
        { nameof(PileOptions.WritersMax), static options => options with { WritersMax = 1025 } },
        { nameof(PileOptions.DisposeWait), static options => options with { DisposeWait = TimeSpan.FromTicks(-1) } },
        { nameof(PileOptions.DisposeWait), static options => options with { DisposeWait = TimeSpan.FromMinutes(61) } },
    };

    [Theory]
    [MemberData(nameof(Refused), DisableDiscoveryEnumeration = true)]
    public void AnOptionOutOfRangeIsRefusedByItsName(string name, Func<PileOptions, PileOptions> change)
    {
        ArgumentOutOfRangeException failure = Assert.Throws<ArgumentOutOfRangeException>(() => ObjectPile.Create(change(PileOptions.Tiny)));

        Assert.Equal(name, failure.ParamName);
        Assert.Contains(name, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void NullOptionsAreRefusedByTheirNames()
    {
        Assert.Equal(nameof(PileOptions.TimeProvider), Assert.Throws<ArgumentNullException>(
            static () => ObjectPile.Create(PileOptions.Tiny with { TimeProvider = null! })).ParamName);
        Assert.Equal(nameof(PileOptions.Codecs), Assert.Throws<ArgumentNullException>(
            static () => ObjectPile.Create(PileOptions.Tiny with { Codecs = null! })).ParamName);
    }

    [Fact]
    public void TheExtremesThatAreAllowedWork()
    {
        PileOptions[] extremes =
        [
            PileOptions.Tiny with { MemoryLimitBytes = Limits.MemoryLimitMin },
            PileOptions.Tiny with { UsedOverLive = RoomLimits.UsedOverLiveMin },
            PileOptions.Tiny with { UsedOverLive = RoomLimits.UsedOverLiveMax },
            PileOptions.Tiny with { WritersMax = 1 },
            PileOptions.Tiny with { WritersMax = 1024 },
            PileOptions.Tiny with { DisposeWait = TimeSpan.Zero },
            PileOptions.Tiny with { DisposeWait = TimeSpan.FromHours(1) },
            new() { BackgroundCleaning = false },
        ];

        foreach (PileOptions options in extremes)
        {
            using var pile = new CheckedPile(options);
            Assert.Equal(5, pile.It.Get<int>(pile.It.Put(5)));
        }
    }

    [Fact]
    public void WithoutALimitThreeQuartersOfTheMachineAreTheLimit()
    {
        using var pile = new CheckedPile(new PileOptions { BackgroundCleaning = false });

        Assert.Equal(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4 * 3, pile.It.MemoryLimitBytes);
    }

    /// <summary>The ranges are written by hand: a value that is added to an enum must be let in, and what lies beside must not.</summary>
    [Fact]
    public void EveryValueOfAnEnumIsKnownAndItsNeighboursAreNot()
    {
        AssertRange<PileOpenMode>(nameof(PileOptions.OpenMode), static value => PileOptions.Tiny with { OpenMode = value });
        AssertRange<PilePromise>(nameof(PileOptions.Promise), static value => PileOptions.Tiny with { Promise = value });
        AssertRange<PileVerifyOnRead>(nameof(PileOptions.VerifyOnRead), static value => PileOptions.Tiny with { VerifyOnRead = value });
    }

    private static void AssertRange<TOption>(string name, Func<TOption, PileOptions> options)
        where TOption : struct, Enum
    {
        int[] known = [.. Enum.GetValues<TOption>().Select(static value => Convert.ToInt32(value, CultureInfo.InvariantCulture))];
        for (int value = known.Min() - 2; value <= known.Max() + 2; value++)
        {
            PileOptions changed = options((TOption)Enum.ToObject(typeof(TOption), value));
            ArgumentException? failure = Record.Exception(() => changed.Validate()) as ArgumentException;
            Assert.Equal(known.Contains(value), failure?.ParamName != name);
        }
    }
}
