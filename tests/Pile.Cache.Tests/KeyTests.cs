// Keys of all kinds: which are the same, which are not, and which are refused.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Pile.Cache.Keys;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class KeyTests
{
    private static readonly string[] _texts =
    [
        string.Empty, " ", "a", "A", "key", "Key", "kEy", "\u00e4", "\u00c4", "stra\u00dfe", "STRASSE", "STRA\u1E9EE", "\u0131", "I", "i", "\u0130",
        "\u017F", "s", "S", "\u212A", "k", "K", "\u03c3", "\u03c2", "\u03a3", "\ud801\udc28", "\ud801\udc00", "\ud83d\ude00", "\ud800", "\udc00",
        "a\ud800", "a\udc00b", "\ud800\ud800", "\udc00\ud800", "\ufffd", "\u0000", "a\u0000", "\u01c4", "\u01c5", "\u01c6", "\u00ff", "\u0178", "\u00b5", "\u039c", "\u03bc",
    ];

    private enum Colour : byte
    {
        Red,
        Green = 200,
    }

    [Fact]
    public void TextsAreTheSameExactlyWhenTheyAreOrdinally()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>();
        for (int index = 0; index < _texts.Length; index++)
        {
            Assert.Equal(PileSetOutcome.Inserted, table.Set(_texts[index], index).Outcome);
        }

        for (int index = 0; index < _texts.Length; index++)
        {
            Assert.True(table.TryGet(_texts[index], out int value) && value == index, $"text {index}");
        }

        Assert.Equal(_texts.Order(StringComparer.Ordinal), table.Enumerate().Select(static item => item.Key).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void KeysThatAreNoTextHaveNoCase()
    {
        using TinyCache tiny = new();
        var options = new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase };

        Assert.Contains("System.Int32", Assert.Throws<ArgumentOutOfRangeException>(() => tiny.Table<int, int>(options)).Message, StringComparison.Ordinal);
        _ = Assert.Throws<ArgumentOutOfRangeException>(() => tiny.Table<byte[], int>(options));
        _ = tiny.Table<string, int>(options);
    }

    [Fact]
    public void WithoutCaseTextsAreTheSameExactlyWhenTheFrameworkSaysSo()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        var expected = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        for (int index = 0; index < _texts.Length; index++)
        {
            bool isNew = !expected.ContainsKey(_texts[index]);
            Assert.True((table.Set(_texts[index], index).Outcome == PileSetOutcome.Inserted) == isNew, $"text {index}");
            expected[_texts[index]] = index;
        }

        foreach (string text in _texts)
        {
            Assert.True(table.TryGet(text, out int value));
            Assert.Equal(expected[text], value);
        }

        Assert.Equal(expected.Count, table.Count);
    }

    /// <summary>All that have a case stand in the first plane behind the basic one. Scripts that a machine's library of cultures does not know yet are among them.</summary>
    [Fact]
    public void WithoutCaseEachLetterOfTwoCharsIsTheSameAsWhatTheFrameworkSays()
    {
        var expected = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        var hashes = new Dictionary<ulong, int>();
        byte[] key = new byte[8];
        for (int value = 0x10000; value < 0x20000; value++)
        {
            string letter = char.ConvertFromUtf32(value);
            int first = expected.TryAdd(letter, value) ? value : expected[letter];
            ulong hash = PileKeyComparers.OrdinalIgnoreCase.Hash(key.AsSpan(0, TextKey.Write(letter, key)), seed: 1);
            Assert.True(first == (hashes.TryAdd(hash, value) ? value : hashes[hash]), $"U+{value:X}");
        }
    }

    [Theory]
    [InlineData("et", "\u5445")]
    [InlineData("A\u0001", "\u0141")]
    [InlineData("\u0101\u0101", "\u0001\u0001\u0001\u0001")]
    public void WithoutCaseATextIsNotTheSameAsOneWhoseCharsAreItsBytes(string one, string other)
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        table.Set(one, 1);

        Assert.False(table.ContainsKey(other));
        Assert.Equal(PileSetOutcome.Inserted, table.Set(other, 2).Outcome);
        Assert.True(table.TryGet(one, out int value) && value == 1);
        Assert.True(table.TryGet(other, out value) && value == 2);
    }

    [Theory]
    [InlineData(15_360, true)]
    [InlineData(15_361, false)]
    public void KeysOfUpToTheLimitAreTakenAndLongerOnesRefusedByName(int bytes, bool isTaken)
    {
        using TinyCache tiny = new(16 << 20);
        PileTable<string, byte[]> texts = tiny.Table<string, byte[]>();
        PileTable<byte[], byte[]> arrays = tiny.Cache.GetOrCreateTable<byte[], byte[]>("arrays");
        string text = new('k', bytes);
        byte[] array = new byte[bytes];
        foreach (int length in new[] { 0, 10, 20_000, 300_000 })
        {
            if (isTaken)
            {
                Assert.True(texts.Set(text, new byte[length]).IsStored);
                Assert.True(arrays.Set(array, new byte[length]).IsStored);
                Assert.Equal(length, texts.SizeOf(text));
                Assert.True(arrays.TryGet(array, out byte[]? value) && value.Length == length);
            }
            else
            {
                Assert.Contains("KeyBytesMax", Assert.Throws<ArgumentOutOfRangeException>(() => texts.Set(text, new byte[length])).Message, StringComparison.Ordinal);
                Assert.Contains("KeyBytesMax", Assert.Throws<ArgumentOutOfRangeException>(() => arrays.ContainsKey(array)).Message, StringComparison.Ordinal);
            }
        }

        // Long keys are moved as any: the cleaner goes through many segments of them.
        for (int key = 0; isTaken && key < 3000; key++)
        {
            Assert.True(texts.Set($"{key}{text.AsSpan(0, 15_350)}", new byte[key % 2 == 0 ? 10 : 20_000]).IsStored, $"key {key}: {texts.GetStatistics()} {tiny.Cache.Pile.GetStatistics()}");
        }
    }

    [Fact]
    public void NullKeysAndValuesAreRefusedByName()
    {
        using TinyCache tiny = new();
        PileTable<string, string> table = tiny.Table<string, string>();

        Assert.Equal("key", Assert.Throws<ArgumentNullException>(() => table.Set(null!, "x")).ParamName);
        Assert.Equal("value", Assert.Throws<ArgumentNullException>(() => table.Set("x", null!)).ParamName);
        Assert.Equal("key", Assert.Throws<ArgumentNullException>(() => table.TryGet(null!, out _)).ParamName);
        Assert.Equal("key", Assert.Throws<ArgumentNullException>(() => table.Remove(null!)).ParamName);
        Assert.Equal("key", Assert.Throws<ArgumentNullException>(() => table.ContainsKey(null!)).ParamName);
        Assert.Equal("keys", Assert.Throws<ArgumentNullException>(() => table.RemoveMany<string, string>([null!])).ParamName);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void BytesGuidsEnumsAndRecordsAreFoundByTheirValues()
    {
        using TinyCache tiny = new();
        PileTable<byte[], int> arrays = tiny.Cache.GetOrCreateTable<byte[], int>("arrays");
        PileTable<Guid, int> guids = tiny.Cache.GetOrCreateTable<Guid, int>("guids");
        PileTable<Colour, int> colours = tiny.Cache.GetOrCreateTable<Colour, int>("colours");
        PileTable<Person, int> people = tiny.Cache.GetOrCreateTable<Person, int>("people");
        var guid = new Guid("00112233-4455-6677-8899-aabbccddeeff");
        arrays.Set([1, 2, 3], 1);
        guids.Set(guid, 2);
        colours.Set(Colour.Green, 3);
        people.Set(new Person("Ada", 36), 4);

        Assert.True(arrays.ContainsKey([1, 2, 3]));
        Assert.False(arrays.ContainsKey([1, 2]));
        Assert.False(arrays.ContainsKey([]));
        Assert.True(guids.TryGet(new Guid(guid.ToByteArray()), out int two) && two == 2);
        Assert.True(colours.ContainsKey(Colour.Green));
        Assert.False(colours.ContainsKey(Colour.Red));
        Assert.True(people.TryGet(new Person("Ada", 36), out int four) && four == 4);
        Assert.False(people.ContainsKey(new Person("Ada", 37)));
        Assert.Equal(new Person("Ada", 36), people.Enumerate().Single().Key);
    }

    [Fact]
    public void WhatStandsInPaddingDoesNotMatter()
    {
        using TinyCache tiny = new();
        PileTable<Padded, int> table = tiny.Table<Padded, int>();
        PileTable<(byte Small, long Large), int> tuples = tiny.Cache.GetOrCreateTable<(byte Small, long Large), int>("tuples");
        var clean = new Padded { Small = 7, Large = 8 };
        Padded dirty = default;
        MemoryMarshal.AsBytes(new Span<Padded>(ref dirty)).Fill(0xEE);
        dirty.Small = 7;
        dirty.Large = 8;
        Assert.False(MemoryMarshal.AsBytes(new Span<Padded>(ref dirty)).SequenceEqual(MemoryMarshal.AsBytes(new Span<Padded>(ref clean))));
        (byte Small, long Large) dirtyTuple = default;
        MemoryMarshal.AsBytes(new Span<(byte Small, long Large)>(ref dirtyTuple)).Fill(0xEE);
        dirtyTuple.Small = 7;
        dirtyTuple.Large = 8;

        table.Set(dirty, 1);
        tuples.Set(dirtyTuple, 1);

        Assert.True(table.ContainsKey(clean));
        Assert.True(table.Remove(clean));
        Assert.True(tuples.ContainsKey((7, 8)));
    }

    [Fact]
    public void BytesThatNoFieldNamesInATypeOfGivenSizeCount()
    {
        using TinyCache tiny = new();
        PileTable<Blob, int> table = tiny.Table<Blob, int>();
        for (int index = 0; index < 16; index++)
        {
            Blob key = default;
            MemoryMarshal.AsBytes(new Span<Blob>(ref key))[index] = 1;
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, index).Outcome);
        }

        Assert.Equal(16, table.Count);
    }

    [Fact]
    public void WhetherANumberIsThereAtAllCounts()
    {
        using TinyCache tiny = new();
        PileTable<Maybe, int> table = tiny.Table<Maybe, int>();
        table.Set(new Maybe { Number = null }, 1);
        table.Set(new Maybe { Number = 0 }, 2);

        Assert.Equal(2, table.Count);
        Assert.True(table.TryGet(new Maybe { Number = null }, out int one) && one == 1);
        Maybe dirty = default;
        MemoryMarshal.AsBytes(new Span<Maybe>(ref dirty)).Fill(0xEE);
        dirty.Number = 7;
        Assert.True(table.Set(new Maybe { Number = 7 }, 3).IsStored && table.ContainsKey(dirty) && table.Remove(dirty));
        Assert.Equal([null, 0], table.Enumerate().OrderBy(static item => item.Value).Select(static item => item.Key.Number));
    }

    [Fact]
    public void ValuesOfAllShapesAreKeys()
    {
        using TinyCache tiny = new();
        Use(DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        Use(Int128.MinValue, Int128.MaxValue);
        Use(1.5m, 1.25m);
        Use(Vector128<byte>.Zero, Vector128<byte>.AllBitsSet);
        Use((default(Nothing), (int?)1), (default(Nothing), (int?)null));
        Three three = default;
        three[2] = (7, 8);
        Use(three, default(Three));

        void Use<T>(T one, T other)
            where T : unmanaged
        {
            PileTable<T, int> table = tiny.Cache.GetOrCreateTable<T, int>(typeof(T).ToString());
            table.Set(one, 1);
            Assert.Equal(PileSetOutcome.Inserted, table.Set(other, 2).Outcome);
            Assert.True(table.TryGet(one, out int value) && value == 1);
            Assert.True(table.TryGet(table.Enumerate().Single(static item => item.Value == 2).Key, out value) && value == 2);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void KeysOfATypeThatIsAnotherByNowAreRefusedAndNotReadBeyondTheirEnd(bool isShorter)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Nest<int>(depth: 30, new SetOne(first.Cache));
        }

        using var second = new MappedCache(files);
        if (isShorter)
        {
            Nest<short>(depth: 30, new RefuseOne(second.Cache));
        }
        else
        {
            Nest<long>(depth: 30, new RefuseOne(second.Cache));
        }
    }

    [Fact]
    public void AViewOfAScopeSeesItsOwnEntriesOnly()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>();
        PilePrefixedTable<int> left = table.WithPrefix("left");
        PilePrefixedTable<int> right = table.WithPrefix("left\u001E");
        left.Set("a", 1);
        left.Set("b", 2);
        right.Set("a", 3);
        table.Set("a", 4);

        Assert.True(left.TryGet("a", out int one) && one == 1);
        Assert.True(right.TryGet("a", out int three) && three == 3);
        Assert.False(right.ContainsKey("b"));
        Assert.Equal(["a", "b"], left.Enumerate().Select(static item => item.Key).Order(StringComparer.Ordinal));
        Assert.Equal(2, left.Clear());
        Assert.False(left.Remove("a"));
        Assert.True(right.Remove("a"));
        Assert.Equal(1, table.Count);
        Assert.Throws<ArgumentException>(() => table.WithPrefix("a\u001Fb"));
        Assert.Throws<ArgumentException>(() => table.WithPrefix(string.Empty));
    }

    [Fact]
    public void AScopeInATableWhoseComparerPassesOverItsEndIsRefused()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>(new PileTableOptions { Comparer = PileKeyComparers.Of(new WithoutControls()) });
        Assert.Equal("table", Assert.Throws<ArgumentException>(() => table.WithPrefix("a")).ParamName);
    }

    /// <summary>As a comparer of a culture where ICU is: chars without a shape do not count.</summary>
    private sealed class WithoutControls : IEqualityComparer<string>
    {
        public bool Equals(string? left, string? right) => left is null || right is null ? ReferenceEquals(left, right) : Of(left) == Of(right);

        public int GetHashCode(string text) => Of(text).GetHashCode(StringComparison.Ordinal);

        private static string Of(string text) => string.Concat(text.Where(static character => !char.IsControl(character)));
    }

    /// <summary>Uses a key of a type whose name is longer than files keep.</summary>
    private static void Nest<T>(int depth, IUse use)
        where T : unmanaged
    {
        if (depth == 0)
        {
            use.With<T>();
        }
        else
        {
            Nest<Wrapped<T>>(depth - 1, use);
        }
    }

    private interface IUse
    {
        void With<T>()
            where T : unmanaged;
    }

    private sealed class SetOne(PileCache cache) : IUse
    {
        public void With<T>()
            where T : unmanaged => Assert.True(cache.GetOrCreateTable<T, int>("table").Set(default, 1).IsStored);
    }

    private sealed class RefuseOne(PileCache cache) : IUse
    {
        public void With<T>()
            where T : unmanaged
        {
            PileTable<T, int> table = cache.GetOrCreateTable<T, int>("table");
            Assert.False(table.ContainsKey(default));
            Assert.Contains("another type", Assert.Throws<PileTypeMismatchException>(() => table.Enumerate().Count()).Message, StringComparison.Ordinal);
        }
    }

    private record struct Wrapped<T>(T Value)
        where T : unmanaged;

    [InlineArray(3)]
    private struct Three
    {
        private (byte Small, int Large) _first;
    }

    private struct Nothing;

    private struct Maybe
    {
        public int? Number;
    }

    private struct Padded
    {
        public byte Small;
        public long Large;
    }

    [StructLayout(LayoutKind.Sequential, Size = 16)]
    private struct Blob
    {
        public byte First;
    }

    private sealed record Person(string Name, int Age);
}
