// Each read counts once, wherever the value stands.
using System;
using System.Buffers;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class HitTests
{
    [Theory]
    [InlineData(100, false)]
    [InlineData(100, true)]
    [InlineData(200_000, false)]
    [InlineData(200_000, true)]
    public void AReadCountsAsOneHitOrOneMiss(int bytes, bool hasTag)
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        var terms = new PileEntryOptions { Tags = hasTag ? ["tag"] : null, SlidingExpiration = TimeSpan.FromHours(1) };
        byte[] stored = new byte[bytes];
        new Random(bytes).NextBytes(stored);
        table.Set("a", stored, terms);
        byte[] copied = new byte[bytes];
        var writer = new ArrayBufferWriter<byte>();
        byte[]?[] values = new byte[1][];
        (string Name, Func<string, bool> Read)[] reads =
        [
            ("object", key => table.TryGet(key, out byte[]? value) && value.AsSpan().SequenceEqual(stored)),
            ("version", key => table.TryGet(key, out byte[]? value, out PileEntryVersion _) && value.AsSpan().SequenceEqual(stored)),
            ("span", key => table.TryGet(key, copied, out int length) && length == bytes && copied.AsSpan().SequenceEqual(stored)),
            ("writer", key => table.TryGet(key, writer) && writer.WrittenSpan.SequenceEqual(stored)),
            ("lease", key => IsLeased(table, key, stored)),
            ("many", key => table.GetMany<string, byte[]>((string[])[key], values.AsSpan()) == 1 && values[0].AsSpan().SequenceEqual(stored)),
            ("refresh", table.Refresh),
        ];
        foreach ((string name, Func<string, bool> read) in reads)
        {
            PileCacheStatistics before = table.GetStatistics();
            Assert.True(read("a"), name);
            Assert.False(read("none"), name);
            PileCacheStatistics after = table.GetStatistics();
            Assert.Equal((name, 1L, 1L), (name, after.Hits - before.Hits, after.Misses - before.Misses));
        }

        Assert.Equal(bytes, table.SizeOf("a"));
        Assert.False(table.TryGet("a", copied.AsSpan(0, 1), out int needed));
        Assert.Equal(bytes, needed);
    }

    private static bool IsLeased(PileTable<string, byte[]> table, string key, byte[] stored)
    {
        if (!table.TryLease(key, out PileLease lease))
        {
            return false;
        }

        using (lease)
        {
            return lease.Bytes.SequenceEqual(stored);
        }
    }
}
