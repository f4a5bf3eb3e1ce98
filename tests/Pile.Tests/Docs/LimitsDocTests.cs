using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Pile.Codecs;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Docs;

/// <summary>docs/LIMITS.md says what the pile's classes of limits hold.</summary>
public sealed partial class LimitsDocTests
{
    private static readonly string _text = DocTable.Read("LIMITS.md");

    private static readonly Type[] _classes = [typeof(Limits), typeof(RoomLimits), typeof(FileLimits), typeof(CodecLimits)];

    private static readonly Dictionary<string, double> _limits = _classes
        .SelectMany(static limits => limits.GetFields(BindingFlags.NonPublic | BindingFlags.Static))
        .Where(static field => field.IsLiteral)
        .ToDictionary(static field => field.Name, static field => Convert.ToDouble(field.GetRawConstantValue(), CultureInfo.InvariantCulture));

    [Fact]
    public void EveryRowOfALimitGivesItsValue()
    {
        string[][] rows = [.. DocTable.Rows(_text).Where(static row => DocTable.Names(row[0]).Any(_limits.ContainsKey))];

        Assert.True(rows.Length >= 10, $"{rows.Length} rows name a limit");
        Assert.All(rows, static row => Assert.All(
            DocTable.Names(row[0]).Where(_limits.ContainsKey).Where(name => !row[0].Contains($"`{name}` (option)", StringComparison.Ordinal)),
            name => Assert.True(DocTable.Quantities(row[1]).Contains(_limits[name]), $"{name} is {_limits[name]:N2}, LIMITS.md says: {row[1]}")));
    }

    [Fact]
    public void EveryLimitNamedWithAValueHasThatValue()
    {
        Match[] named = [.. NamedValue().Matches(_text).Where(static match => _limits.ContainsKey(match.Groups["name"].Value))];

        Assert.True(named.Length >= 3, $"{named.Length} limits are named with their values");
        Assert.All(named, static match => Assert.Contains(_limits[match.Groups["name"].Value], DocTable.Quantities(match.Groups["value"].Value)));
    }

    [Theory]
    [InlineData(nameof(PileOptions.UsedOverLive), RoomLimits.UsedOverLiveMin, RoomLimits.UsedOverLiveMax, RoomLimits.UsedOverLiveDefault)]
    [InlineData(nameof(PileOptions.WritersMax), 1, PileOptions.WritersLimit, 1)]
    [InlineData(nameof(PileOptions.DisposeWait), 0, 1, Limits.DisposeWaitMs / 1000.0)]
    [InlineData(nameof(PileOptions.MemoryLimitBytes), Limits.MemoryLimitMin, Limits.MemoryLimitMin, Limits.MemoryLimitMin)]
    [InlineData(nameof(PileOptions.DiskLimitBytes), Limits.MemoryLimitMin, Limits.MemoryLimitMin, Limits.MemoryLimitMin)]
    [InlineData(nameof(PileOptions.DiskReserveBytes), 0, 0, FileLimits.DiskReserveBytesMax)]
    [InlineData(nameof(PileOptions.FlushInterval), 10, 1, FileLimits.FlushIntervalMs / 1000.0)]
    [InlineData(nameof(PileOptions.PreallocationBytes), 0, 0, 0)]
    [InlineData(nameof(PileOptions.ScrubBytesPerSecond), 0, 0, 0)]
    public void EveryOptionGivesItsRangeAndWhatItIsUnlessSet(string option, double least, double most, double unlessSet)
    {
        string[] row = Assert.Single(DocTable.Rows(_text), row => row[0] == $"`{option}` (option)");

        Assert.NotNull(typeof(PileOptions).GetProperty(option));
        Assert.Superset(new HashSet<double> { least, most, unlessSet }, DocTable.Quantities(row[1]));
    }

    [Fact]
    public void EveryOptionOfTheTablesIsTestedAbove() => Assert.Equal(9, DocTable.Rows(_text).Count(static row => row[0].EndsWith("` (option)", StringComparison.Ordinal)));

    [Fact]
    public void EveryClassOfLimitsIsLookedAt() => Assert.Equal(
        _classes.Select(static limits => limits.Name).Order(),
        typeof(Limits).Assembly.GetTypes().Select(static type => type.Name).Where(static name => name.EndsWith("Limits", StringComparison.Ordinal)).Order());

    [Fact]
    public void EveryNameIsAName() => Assert.Empty(DocTable.Names(_text).Except(DocTable.KnownNames()));

    [GeneratedRegex(@"`(?<name>[A-Z]\w+)`(?: =)? (?<value>\d[\d,.]*(?: [KMGT]iB)?)")]
    private static partial Regex NamedValue();
}
