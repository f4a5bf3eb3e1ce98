using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using Pile.Cache.Files;
using Pile.Format;
using Pile.Tests.Golden;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A directory that the last version before <see cref="Keys.KeyHash"/> wrote: its tables keep the hashes that they have.</summary>
[SupportedOSPlatform("linux")]
public sealed class FormerHashTests : IDisposable
{
    private const int Keys = 200;

    private readonly string _directory = Directory.CreateTempSubdirectory("pile-test-").FullName;

    public FormerHashTests()
    {
        using FileStream image = File.OpenRead(Path.Combine(AppContext.BaseDirectory, "golden", "cache", "former-hash.image"));
        GoldenImage.Unpack(image, _directory);
    }

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatWasStoredIsFoundChangedAndFoundAgain(bool isIndexLost)
    {
        if (isIndexLost)
        {
            foreach (string path in Directory.GetFiles(_directory, "index.*").Append(Path.Combine(_directory, "cache.facts")))
            {
                File.Delete(path);
            }
        }

        Use(cache => Require(cache, "", hasSpeculative: !isIndexLost));
        Use(cache =>
        {
            foreach (int number in Enumerable.Range(0, Keys))
            {
                Assert.True(Bytes(cache, "bytes").Set(Key(number), $"again bytes {number}").IsStored);
                Assert.True(Bytes(cache, "plain").Set(Key(number), $"again plain {number}").IsStored);
                Assert.True(Own(cache).Set(Key(number), $"again own {number}").IsStored);
                Assert.True(Text(cache).Set(TextOf(number).ToUpperInvariant(), $"again text {number}").IsStored);
            }

            Assert.Equal(Keys, Bytes(cache, "bytes").Count);
            Assert.Equal(Keys, Text(cache).Count);
        });
        Use(cache => Require(cache, "again ", hasSpeculative: true));
    }

    /// <summary>The list of tables says of each how its keys are hashed, so that an older version refuses it only where it must.</summary>
    [Fact]
    public void ANewTableBesideThemHasTheHashOfToday()
    {
        DurableList before = List();
        Assert.All(before.Rows, static row => Assert.True(row.Seed.IsFormer));
        Assert.True(before.ToBytes().AsSpan().SequenceEqual(File.ReadAllBytes(ListPath)), "a list of former tables alone is written as it was");
        Use(cache =>
        {
            Assert.True(Bytes(cache, "bytes").TryGet(Key(0), out _));
            PileTable<byte[], string> added = cache.GetOrCreateTable<byte[], string>("new", new PileTableOptions { Kind = PileTableKind.Durable });
            Assert.True(added.Set([1, 2, 3], "new").IsStored);
            Assert.False(added.Parts.Seed.IsFormer);
            Assert.Null(added.Parts.Comparer);
            Assert.True(Bytes(cache, "bytes").Parts.Seed.IsFormer);
        });
        Assert.Equal(["new"], List().Rows.Where(static row => !row.Seed.IsFormer).Select(static row => row.Options.Name));
        Use(cache =>
        {
            Assert.Equal("new", Bytes(cache, "new").TryGet([1, 2, 3], out string? value) ? value : null);
            Require(cache, "", hasSpeculative: true);
        });
    }

    /// <summary>Drop and make again is how a table gets the hash of today.</summary>
    [Fact]
    public void ATableThatIsMadeAgainHasTheHashOfToday()
    {
        Use(cache =>
        {
            Assert.True(cache.DropTable("bytes"));
            Assert.True(Bytes(cache, "bytes").Set(Key(1), "new").IsStored);
            Assert.False(Bytes(cache, "bytes").Parts.Seed.IsFormer);
        });
        Use(cache => Assert.Equal("new", Bytes(cache, "bytes").TryGet(Key(1), out string? value) ? value : null));
    }

    [Fact]
    public void AListWithAFeatureOfALaterVersionSaysSo()
    {
        byte[] bytes = File.ReadAllBytes(ListPath);
        for (int half = 0; half < bytes.Length; half += bytes.Length / 2)
        {
            bytes[half + 32] = 0b101;
            HeaderBlock.Seal(bytes.AsSpan(half, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(half + 48))));
        }

        File.WriteAllBytes(ListPath, bytes);
        PileFormatException refused = Assert.Throws<PileFormatException>(() => Use(static _ => { }));
        Assert.Contains("of the first copy, it uses incompatible features that this version of Pile does not know: bit 2;", refused.Message, StringComparison.Ordinal);
    }

    private string ListPath => Path.Combine(_directory, "cache.tables");

    private DurableList List()
    {
        Assert.True(DurableList.TryRead(File.ReadAllBytes(ListPath), out DurableList? list, out string? problem, out _), problem);
        return list;
    }

    private void Use(Action<PileCache> use)
    {
        using ObjectPile pile = ObjectPile.Open(_directory, new PileOptions { DiskLimitBytes = 64 << 20, Promise = PilePromise.ProcessSafe });
        using PileCache cache = PileCache.Share(pile);
        use(cache);
    }

    private static void Require(PileCache cache, string prefix, bool hasSpeculative)
    {
        foreach (int number in Enumerable.Range(0, Keys))
        {
            // Odd ones were removed by their tag.
            bool isThere = number % 2 == 0 || prefix.Length > 0;
            Assert.Equal(isThere ? $"{prefix}bytes {number}" : null, Bytes(cache, "bytes").TryGet(Key(number), out string? ofBytes) ? ofBytes : null);
            Assert.Equal(isThere ? $"{prefix}own {number}" : null, Own(cache).TryGet(Key(number), out string? ofOwn) ? ofOwn : null);
            Assert.Equal(isThere ? $"{prefix}text {number}" : null, Text(cache).TryGet(TextOf(number).ToUpperInvariant(), out string? ofText) ? ofText : null);
            Assert.Equal(isThere && hasSpeculative ? $"{prefix}plain {number}" : null, Bytes(cache, "plain").TryGet(Key(number), out string? ofPlain) ? ofPlain : null);
        }
    }

    private static PileTable<byte[], string> Bytes(PileCache cache, string name) =>
        cache.GetOrCreateTable<byte[], string>(name, new PileTableOptions { Kind = name == "plain" ? PileTableKind.Speculative : PileTableKind.Durable });

    private static PileTable<byte[], string> Own(PileCache cache) =>
        cache.GetOrCreateTable<byte[], string>("own", new PileTableOptions { Kind = PileTableKind.Durable, Comparer = new OwnComparer() });

    private static PileTable<string, string> Text(PileCache cache) =>
        cache.GetOrCreateTable<string, string>("text", new PileTableOptions { Kind = PileTableKind.Durable, Comparer = PileKeyComparers.OrdinalIgnoreCase });

    private static byte[] Key(int number)
    {
        byte[] key = new byte[(number % 40) + 4];
        new Random(number).NextBytes(key);
        return key;
    }

    private static string TextOf(int number) => $"{(number % 2 == 0 ? "Schl\u00FCssel der Gr\u00F6\u00DFe" : "Key")} {number}";

    /// <summary>A program's own comparer that builds on the ordinal one, as comparers did that were written before.</summary>
    private sealed class OwnComparer : IPileKeyComparer
    {
        public string Name => "own";

        public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => PileKeyComparers.Ordinal.Hash(key, seed);

        public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
    }
}
