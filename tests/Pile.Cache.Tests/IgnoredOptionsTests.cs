using System;
using System.Linq;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Options that a table was asked for by and does not have: all but those that make it another table, and the advice how large it will be.</summary>
public sealed class IgnoredOptionsTests
{
    [Fact]
    public void EveryOptionThatDiffersIsNamed()
    {
        var asked = new PileTableOptions
        {
            DefaultTimeToLive = TimeSpan.FromSeconds(1),
            DefaultPriority = PileCachePriority.High,
            MaximumEntries = 1,
            MaximumBytes = 1,
            MinimumBytes = 1,
            EventBytes = 65_536,
            Factory = new PileFactoryOptions(),
            InitialCapacity = 1,
        };

        string[] names = [.. typeof(PileTableOptions).GetProperties().Select(static property => property.Name)
            .Except([nameof(PileTableOptions.Kind), nameof(PileTableOptions.Comparer), nameof(PileTableOptions.InitialCapacity), nameof(PileTableOptions.TakesFormerKeys)]).Order(StringComparer.Ordinal)];
        Assert.Equal(names, new PileTableOptions().NamesOfOthers(asked).Split(", ").Order(StringComparer.Ordinal));
        Assert.Equal(string.Empty, asked.NamesOfOthers(asked with { InitialCapacity = 2, TakesFormerKeys = true }));
    }
}
