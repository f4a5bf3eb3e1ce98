using System;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Names of tables and comparers: what two calls take for two names are two in the files as well.</summary>
public sealed class NameTests
{
    [Theory]
    [InlineData("a", 0xD800, "")]
    [InlineData("", 0xDC00, "b")]
    [InlineData("\uD83D\uDE00", 0xD83D, "c")]
    public void ANameWithHalfOfASurrogatePairIsRefused(string before, int half, string after)
    {
        string name = $"{before}{(char)half}{after}";
        using PileCache cache = PileCache.Create();

        ArgumentException ofTable = Assert.ThrowsAny<ArgumentException>(() => cache.GetOrCreateTable<int, int>(name));
        Assert.Contains($"char {before.Length} of this one, U+{half:X4}", ofTable.Message, StringComparison.Ordinal);
        ArgumentException ofComparer = Assert.ThrowsAny<ArgumentException>(() => cache.GetOrCreateTable<int, int>("table", new PileTableOptions { Comparer = new Named(name) }));
        Assert.Contains("A comparer's name is well-formed text", ofComparer.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(257)]
    public void ANameOfAWrongLengthIsRefused(int chars)
    {
        using PileCache cache = PileCache.Create();
        string name = new('n', chars);

        _ = Assert.ThrowsAny<ArgumentException>(() => cache.GetOrCreateTable<int, int>(name));
        _ = Assert.ThrowsAny<ArgumentException>(() => cache.GetOrCreateTable<int, int>("table", new PileTableOptions { Comparer = new Named(name) }));
    }

    [Fact]
    public void LongestNamesAreFoundAgain()
    {
        // Three bytes of UTF-8 a char, and the last one tells.
        string one = new string('\u4E00', 255) + '1';
        string other = new string('\u4E00', 255) + '2';
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            first.Cache.GetOrCreateTable<int, int>(one, new PileTableOptions { Comparer = new Named(one) }).Set(1, 1);
            first.Cache.GetOrCreateTable<int, int>(other, new PileTableOptions { Comparer = new Named(other) }).Set(1, 2);
        }

        using var second = new MappedCache(files);
        _ = Assert.Throws<PileTypeMismatchException>(() => second.Cache.GetOrCreateTable<int, int>(one, new PileTableOptions { Comparer = new Named(other) }));
        Assert.True(second.Cache.GetOrCreateTable<int, int>(one, new PileTableOptions { Comparer = new Named(one) }).TryGet(1, out int value));
        Assert.Equal(1, value);
        Assert.True(second.Cache.GetOrCreateTable<int, int>(other, new PileTableOptions { Comparer = new Named(other) }).TryGet(1, out value));
        Assert.Equal(2, value);
    }

    private sealed class Named(string name) : IPileKeyComparer
    {
        public string Name => name;

        public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => PileKeyComparers.Ordinal.Hash(key, seed);

        public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
    }
}
