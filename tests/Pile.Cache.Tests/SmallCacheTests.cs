// Caches of a few megabytes with the segments that they are shipped with, and what a full cache copies: only what stays for having
// been used.
using System;
using System.Globalization;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class SmallCacheTests
{
    private const long SmallestBytes = 1 << 20;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(6)]
    public void ASmallCacheIsMostlyEntries(int mebibytes)
    {
        using PileCache cache = Small(mebibytes * SmallestBytes);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("entries");
        for (int key = 0; key < 100_000; key++)
        {
            Assert.True(table.Set(key, new byte[200]).IsStored);
        }

        PileStatistics pile = cache.Pile.GetStatistics();
        Assert.True(pile.PeakUsedBytes <= pile.MemoryLimitBytes, $"{pile}");
        Assert.InRange(table.GetStatistics().EntryBytes / (double)pile.MemoryLimitBytes, 0.8, 1);
        Assert.Empty(cache.Pile.Verify().Findings);
    }

    [Fact]
    public void TheLongestKeyWithAllThatAnEntryCanHaveFitsTheSmallestSegment()
    {
        int most = KeyedHead.WordsBytes + KeyedHead.ExpiryBytes + KeyedHead.SlidingBytes + KeyedHead.NoteBytes + CacheLimits.KeyBytesMax + KeyedHead.LinkBytes
            + (CacheLimits.TagsMax * KeyedHead.TagBytes);
        Assert.True(SegmentWriter<MemoryRecord>.RecordBytes(most) <= CacheLimits.SegmentBytesMin);
        Assert.True(KeyedPrefix.Bytes + SegmentWriter<DurableRecord>.RecordBytes(most) + SegmentHeader.Bytes <= Limits.SegmentBytesMin);

        using PileCache cache = Small(SmallestBytes);
        PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("entries");
        var options = new PileEntryOptions
        {
            AbsoluteExpiration = DateTimeOffset.MaxValue,
            SlidingExpiration = TimeSpan.FromDays(1),
            KeptPastEnd = TimeSpan.FromDays(1),
            Tags = [.. Enumerable.Range(0, CacheLimits.TagsMax).Select(static tag => tag.ToString(CultureInfo.InvariantCulture))],
        };
        for (int round = 0; round < 3000; round++)
        {
            // Values in the log and as objects; the first ten keys are asked for all the time, and so moved again and again.
            string key = round.ToString(CultureInfo.InvariantCulture).PadLeft(CacheLimits.KeyBytesMax, 'k');
            Assert.True(table.Set(key, new byte[round % 3 == 0 ? 8000 : round % 3], options).IsStored);
            for (int hot = 0; hot < int.Min(10, round); hot++)
            {
                Assert.Equal(hot % 3 == 0 ? 8000 : hot % 3, table.SizeOf(hot.ToString(CultureInfo.InvariantCulture).PadLeft(CacheLimits.KeyBytesMax, 'k')));
                Assert.True(table.TryGet(hot.ToString(CultureInfo.InvariantCulture).PadLeft(CacheLimits.KeyBytesMax, 'k'), out _), $"round {round}: {hot}");
            }
        }

        Assert.True(cache.Pile.GetStatistics().CleanerMovedRecords > 100);
        Assert.Empty(cache.Pile.Verify().Findings);
    }

    [Fact]
    public void ASmallCacheWhoseLimitIsRaisedUsesTheNewOne()
    {
        using PileCache cache = Small(SmallestBytes);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("entries");
        for (int key = 0; key < 20_000; key++)
        {
            Assert.True(table.Set(key, new byte[200]).IsStored);
        }

        long evictions = table.GetStatistics().Evictions;
        cache.Pile.MemoryLimitBytes = 100 * SmallestBytes;
        for (int key = 0; key < 300_000; key++)
        {
            Assert.True(table.Set(key, new byte[200]).IsStored);
        }

        Assert.Equal(evictions, table.GetStatistics().Evictions);
        Assert.Equal(300_000, table.Count);
        Assert.Empty(cache.Pile.Verify().Findings);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(6000)]
    [InlineData(12_000)]
    public void WhatNobodyAskedForIsNotCopiedAndLeavesInOrder(int valueBytes)
    {
        // Records that leave a part of each segment unused: that is no reason to move them, since they are about to leave.
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 30_000; key++)
        {
            Assert.True(table.Set(key, new byte[valueBytes]).IsStored);
        }

        // Now and then a new key is taken for one that was there before: ghosts are 18 bits of a hash.
        Assert.InRange(tiny.Cache.Pile.GetStatistics().CleanerMovedRecords, 0, table.GetStatistics().Evictions / 500);

        // In the order in which they came: those that are left are the youngest.
        int left = (int)table.Count;
        Assert.InRange(Enumerable.Range(30_000 - left, left).Count(table.ContainsKey), left * 0.9, left);
    }

    [Fact]
    public void WhatComesBackSoonAfterItLeftOutlivesWhatIsNew()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        byte[] value = new byte[100];
        for (int key = 0; key < 60_000; key++)
        {
            Assert.True(table.Set(key, value).IsStored);
        }

        // The youngest of those that left, which are remembered without their values, and as many that nobody has seen before.
        int oldest = Enumerable.Range(0, 60_000).First(table.ContainsKey);
        int[] back = [.. Enumerable.Range(oldest - 1_000, 1_000).Where(key => !table.ContainsKey(key)).Take(500)];
        int[] fresh = [.. Enumerable.Range(1_000_000, back.Length)];
        foreach (int key in (int[])[.. back, .. fresh])
        {
            Assert.True(table.Set(key, value).IsStored);
        }

        for (int key = 2_000_000; key < 2_060_000; key++)
        {
            Assert.True(table.Set(key, value).IsStored);
        }

        Assert.Equal(500, back.Length);
        Assert.InRange(back.Count(table.ContainsKey), 400, 500);
        Assert.InRange(fresh.Count(table.ContainsKey), 0, 50);
    }

    private static PileCache Small(long limitBytes) => PileCache.Create(new PileCacheOptions { MemoryLimitBytes = limitBytes, BackgroundCleaning = false });
}
