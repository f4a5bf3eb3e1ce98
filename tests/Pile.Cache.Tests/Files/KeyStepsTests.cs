using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests.Files;

/// <summary>Keys step by step, and values that are copied without a use.</summary>
public sealed class KeyStepsTests
{
    private const int Entries = 1_000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EachKeyThatIsThereThroughoutIsMetOnceAndLittleIsHeldMeanwhile(bool inFiles)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<byte[], byte[]> table = tiny.Table<byte[], byte[]>(new PileTableOptions { Kind = inFiles ? PileTableKind.Durable : PileTableKind.Speculative });
        string[] keys = [.. Enumerable.Range(0, Entries).Select(static key => key.ToString("D8", CultureInfo.InvariantCulture))];
        Array.ForEach(keys, key => table.Set(Bytes(key), Bytes(key)));
        List<string> met = [];
        using (var steps = new KeySteps(table))
        {
            while (steps.MoveNext())
            {
                met.Add(Encoding.UTF8.GetString(steps.Current));
                Assert.InRange(steps.HeldBytes, 8, 8 * Entries);

                // Others come and go, and the index grows.
                _ = table.Set(Bytes($"other {met.Count}"), []);
                _ = table.Remove(Bytes($"other {met.Count - 50}"));
            }
        }

        Assert.Equal(keys, met.Where(static key => !key.StartsWith("other", StringComparison.Ordinal)).Order());
        Assert.Equal(met.Count, met.Distinct().Count());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AValueIsCopiedAndNothingIsCounted(bool inFiles)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<byte[], byte[]> table = tiny.Table<byte[], byte[]>(new PileTableOptions { Kind = inFiles ? PileTableKind.Durable : PileTableKind.Speculative });
        byte[] large = [.. Enumerable.Range(0, 200_000).Select(static at => (byte)at)];
        _ = table.Set(Bytes("small"), Bytes("value"), default);
        _ = table.Set(Bytes("large"), large, default);
        _ = table.Set(Bytes("empty"), [], default);
        PileCacheStatistics before = table.GetStatistics();
        Assert.True(table.TryCopyUnused(Bytes("small"), out byte[]? value));
        Assert.Equal(Bytes("value"), value);
        Assert.True(table.TryCopyUnused(Bytes("large"), out value));
        Assert.Equal(large, value);
        Assert.True(table.TryCopyUnused(Bytes("empty"), out value));
        Assert.Empty(value);
        _ = table.Remove(Bytes("small"));
        Assert.False(table.TryCopyUnused(Bytes("small"), out _));
        Assert.False(table.TryCopyUnused(Bytes("none"), out _));
        _ = table.Set(Bytes("tagged"), Bytes("value"), new PileEntryOptions { Tags = ["tag"] });
        Assert.True(table.TryCopyUnused(Bytes("tagged"), out _));
        table.RemoveByTag("tag");
        Assert.False(table.TryCopyUnused(Bytes("tagged"), out _));
        _ = table.Set(Bytes("short"), Bytes("value"), new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) });
        tiny.Clock.Move(TimeSpan.FromSeconds(2));
        Assert.False(table.TryCopyUnused(Bytes("short"), out _));
        Assert.Equal((before.Hits, before.Misses), (table.GetStatistics().Hits, table.GetStatistics().Misses));
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
