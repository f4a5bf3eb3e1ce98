using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Primitives;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests.Files;

/// <summary>The look that `pile verify` takes at the entries of speculative tables: each once, whatever the index says.</summary>
public sealed class IndexedRecordsTests : IDisposable
{
    private const int Keys = 20_000;
    private const int NextOffset = (CacheLimits.BucketCells * Limits.WordBytes) + sizeof(uint);
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>Chains that lead to themselves, or all to one bucket.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AChainWithoutAnEndIsFollowedOnce(bool isShared)
    {
        using (ObjectPile pile = Open(PileOpenMode.OpenOrCreate))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table");
            Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.Set(key, key).IsStored));
        }

        Assert.Equal(Keys, Compare());
        Damage(isShared);
        Assert.InRange(Compare(), Keys / 2, Keys);
    }

    private long Compare()
    {
        using ObjectPile pile = Open(PileOpenMode.ReadOnly);
        var compared = IndexedRecords.Compare(pile, TestContext.Current.CancellationToken);
        Assert.Equal(0, compared.TablesLeft);
        Assert.Empty(compared.Findings);
        return compared.Entries;
    }

    private void Damage(bool isShared)
    {
        string path = Directory.GetFiles(_directory.Path, "index.*").MaxBy(static file => new FileInfo(file).Length)!;
        byte[] bytes = File.ReadAllBytes(path);
        List<int> chained = [];
        for (int at = IndexFile.PrefixBytes; at < bytes.Length; at += BucketMemory.BucketBytes)
        {
            uint next = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at + NextOffset));
            if (next != 0)
            {
                chained.Add((int)next);
            }
        }

        Assert.True(chained.Count > 1, $"{chained.Count}");
        foreach (int bucket in chained)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(IndexFile.PrefixBytes + (bucket * BucketMemory.BucketBytes) + NextOffset), (uint)(isShared ? chained[0] : bucket));
        }

        File.WriteAllBytes(path, bytes);
    }

    private ObjectPile Open(PileOpenMode mode) => ObjectPile.Open(_directory.Path, PileOptions.Tiny with { OpenMode = mode, MemoryLimitBytes = null, DiskLimitBytes = 32 << 20 });
}
