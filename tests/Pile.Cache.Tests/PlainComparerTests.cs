using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class PlainComparerTests
{
    [Fact]
    public void KeysAreTheSameExactlyWhenTheComparerSaysSo()
    {
        using TinyCache tiny = new();
        StringComparer comparer = StringComparer.Create(CultureInfo.InvariantCulture, CompareOptions.IgnoreCase | CompareOptions.IgnoreNonSpace);
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.Of(comparer) });
        var expected = new Dictionary<string, int>(comparer);
        var random = new Random(7);
        string[] letters = ["a", "A", "\u00e4", "\u00c4", "b", "B", "e", "\u00e9", "E\u0301", "z"];
        for (int step = 0; step < 20_000; step++)
        {
            string key = string.Concat(Enumerable.Range(0, random.Next(4)).Select(_ => letters[random.Next(letters.Length)]));
            if (random.Next(4) == 0)
            {
                Assert.Equal(expected.Remove(key), table.Remove(key));
            }
            else
            {
                Assert.Equal(expected.ContainsKey(key) ? PileSetOutcome.Replaced : PileSetOutcome.Inserted, table.Set(key, step).Outcome);
                expected[key] = step;
            }

            Assert.Equal(expected.TryGetValue(key, out int wanted), table.TryGet(key, out int value));
            Assert.Equal(wanted, value);
        }

        Assert.Equal(expected.Count, table.Count);
        Assert.Equal(expected.Values.Order(), table.Enumerate().Select(static item => item.Value).Order());
    }

    [Fact]
    public void KeysOfAnyTypeCanBeComparedByIt()
    {
        using TinyCache tiny = new();
        PileTable<int, string> lastDigits = tiny.Cache.GetOrCreateTable<int, string>("digits", new PileTableOptions { Comparer = PileKeyComparers.Of(new ByLastDigit()) });
        lastDigits.Set(12, "two");
        Assert.True(lastDigits.TryGet(42, out string? two));
        Assert.Equal("two", two);
        Assert.False(lastDigits.ContainsKey(43));

        PileTable<Name, int> names = tiny.Cache.GetOrCreateTable<Name, int>("names", new PileTableOptions { Comparer = PileKeyComparers.Of(new ByLastName()) });
        names.Set(new Name("Ada", "Lovelace"), 1815);
        Assert.True(names.TryGet(new Name("Augusta", "Lovelace"), out int year));
        Assert.Equal(1815, year);
        Assert.False(names.ContainsKey(new Name("Ada", "Byron")));
    }

    [Fact]
    public void ItsTextHitsAllocateNothing()
    {
        using TinyCache tiny = new();
        PileTable<string, long> table = tiny.Table<string, long>(new PileTableOptions { Comparer = PileKeyComparers.Of(StringComparer.InvariantCultureIgnoreCase) });
        table.Set("a key of text", 1);
        AllocationTests.AssertFree(() => Assert.True(table.TryGet("a key of text", out long value) && value == 1));
    }

    [Fact]
    public void TheTableIsFoundAgainWithTheSameComparerAndRefusedWithAnother()
    {
        using TinyCache tiny = new();
        PileTableOptions german = new() { Comparer = PileKeyComparers.Of(StringComparer.Create(new CultureInfo("de-DE"), ignoreCase: true)) };
        PileTable<string, int> table = tiny.Cache.GetOrCreateTable<string, int>("names", german);
        Assert.Same(table, tiny.Cache.GetOrCreateTable<string, int>("names", new PileTableOptions { Comparer = PileKeyComparers.Of(StringComparer.Create(new CultureInfo("de-DE"), ignoreCase: true)) }));
        PileTableOptions ordinal = new();
        Assert.Throws<PileTypeMismatchException>(() => tiny.Cache.GetOrCreateTable<string, int>("names", ordinal));
        PileTableOptions other = new() { Comparer = PileKeyComparers.Of(StringComparer.Create(new CultureInfo("de-DE"), ignoreCase: false)) };
        Assert.Throws<PileTypeMismatchException>(() => tiny.Cache.GetOrCreateTable<string, int>("names", other));
    }

    [Fact]
    public void InADirectoryAndForOtherKeysItIsRefusedByName()
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files);
        PileTableOptions plain = new() { Comparer = PileKeyComparers.Of(StringComparer.Ordinal) };
        ArgumentException refused = Assert.ThrowsAny<ArgumentException>(() => mapped.Table<string, int>(plain));
        Assert.Contains("in memory", refused.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(IPileKeyComparer), refused.Message, StringComparison.Ordinal);
        using TinyCache tiny = new();
        ArgumentException foreign = Assert.ThrowsAny<ArgumentException>(() => tiny.Table<int, int>(plain));
        Assert.Contains("System.String", foreign.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => PileKeyComparers.Of((StringComparer)null!));
    }

    internal sealed record Name(string First, string Last);

    private sealed class ByLastDigit : IEqualityComparer<int>
    {
        public bool Equals(int x, int y) => x % 10 == y % 10;

        public int GetHashCode(int obj) => obj % 10;
    }

    private sealed class ByLastName : IEqualityComparer<Name>
    {
        public bool Equals(Name? x, Name? y) => x?.Last == y?.Last;

        public int GetHashCode(Name obj) => obj.Last.GetHashCode(StringComparison.Ordinal);
    }
}
