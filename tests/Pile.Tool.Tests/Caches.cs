using System;
using System.Globalization;
using Pile.Cache;

namespace Pile.Tool.Tests;

/// <summary>A cache in a directory, with a table of each kind that the command meets.</summary>
internal static class Caches
{
    internal const int Many = 1000;

    internal static PileCacheOptions Options => new() { MemoryLimitBytes = 64 << 20, BackgroundCleaning = false };

    /// <summary>Makes one, closed in order.</summary>
    internal static string Make(Piles piles, string name = "cache")
    {
        string path = piles.PathOf(name);
        using PileCache cache = PileCache.Open(path, Options);
        Fill(cache);
        return path;
    }

    internal static void Fill(PileCache cache)
    {
        PileTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
        Require(texts.Set("greeting", Piles.Text).IsStored);
        Require(texts.Set("old", "to be removed").IsStored);
        Require(texts.Set("a\nb", "\u4E16\u754C").IsStored);
        Require(texts.Set("ended", "not shown", new PileEntryOptions { AbsoluteExpiration = DateTimeOffset.UnixEpoch.AddDays(1) }).Outcome == PileSetOutcome.Expired);
        Require(texts.Set("tagged", "x", new PileEntryOptions { Tags = ["red"] }).IsStored);
        PileTable<byte[], byte[]> bytes = cache.GetOrCreateTable<byte[], byte[]>("default", new PileTableOptions { DefaultTimeToLive = TimeSpan.FromDays(3650), MaximumEntries = 100_000 });
        Require(bytes.Set([0, 255], [1, 2, 3]).IsStored);
        Require(bytes.Set("name"u8.ToArray(), "Ada"u8).IsStored);
        Require(bytes.Set("large"u8.ToArray(), Piles.Large).IsStored);
        PileTable<long, double> numbers = cache.GetOrCreateTable<long, double>("numbers", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int index = 0; index < Many; index++)
        {
            Require(numbers.Set(index, index / 4.0).IsStored);
        }

        PileTable<Guid, Piles.Order> objects = cache.GetOrCreateTable<Guid, Piles.Order>("objects");
        Require(objects.Set(Guid.Parse("00112233-4455-6677-8899-aabbccddeeff", CultureInfo.InvariantCulture), new Piles.Order { Number = 7 }).IsStored);
    }

    private static void Require(bool isTrue)
    {
        if (!isTrue)
        {
            throw new InvalidOperationException("The cache could not be filled.");
        }
    }
}
