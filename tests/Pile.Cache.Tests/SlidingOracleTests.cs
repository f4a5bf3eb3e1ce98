// Random operations on sliding entries beside a plain dictionary, with a clock that jumps back and forth, the keeper's steps and churn
// that makes the cleaner move records in between. The last use is the greatest time at which an entry was used.
using System;
using System.Collections.Generic;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class SlidingOracleTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    public void ATableAgreesWithADictionaryWhileTheClockJumps(int run, bool inFiles)
    {
        int seed = Seeds.Next(run);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using TinyCache tiny = new(24 << 20, backgroundCleaning: false, inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });
        var expected = new Dictionary<int, Entry>();
        for (int step = 0; step < 30_000; step++)
        {
            int key = random.Next(1500);
            long now = tiny.Clock.GetUtcNow().UtcTicks;
            bool wasKnown = expected.TryGetValue(key, out Entry? entry);
            bool isThere = wasKnown && entry!.End > now;
            switch (random.Next(12))
            {
                case < 4:
                    entry = new Entry
                    {
                        Value = new byte[random.Next(25) == 0 ? 20_000 : random.Next(400)],
                        Sliding = random.Next(3) == 0 ? 0 : TimeSpan.FromSeconds(random.Next(1, 100)).Ticks,
                        Absolute = random.Next(2) == 0 ? long.MaxValue : now + TimeSpan.FromSeconds(random.Next(1, 300)).Ticks,
                        Touched = now,
                    };
                    random.NextBytes(entry.Value);
                    PileSetResult result = table.Set(key, entry.Value, new PileEntryOptions
                    {
                        SlidingExpiration = entry.Sliding == 0 ? null : TimeSpan.FromTicks(entry.Sliding),
                        AbsoluteExpiration = entry.Absolute == long.MaxValue ? null : new DateTimeOffset(entry.Absolute, TimeSpan.Zero),
                    });

                    // What has ended may be gone already or not: that is all that a jump back may leave open.
                    Assert.True(result.Outcome == (isThere ? PileSetOutcome.Replaced : PileSetOutcome.Inserted), $"{result} at step {step}");
                    expected[key] = entry;
                    break;
                case < 9:
                    bool isShown = table.TryGet(key, out byte[]? value);
                    Assert.True(isShown == isThere, $"key {key} at step {step}: {isShown}, not {isThere}");
                    if (isThere)
                    {
                        Assert.Equal(entry!.Value, value);
                        entry.Touched = long.Max(entry.Touched, now);
                    }

                    break;
                case 9:
                    Assert.Equal(isThere, table.ContainsKey(key));
                    Assert.True(table.TryGetExpiration(key, out DateTimeOffset? end) == isThere);
                    Assert.True(!isThere || (end?.UtcTicks ?? long.MaxValue) == entry!.End, $"key {key} at step {step} ends {end}");
                    break;
                case 10:
                    Assert.Equal(isThere, table.Remove(key));
                    expected.Remove(key);
                    break;
                default:
                    Jump(tiny, random, expected);
                    break;
            }
        }
    }

    private static void Jump(TinyCache tiny, Random random, Dictionary<int, Entry> expected)
    {
        if (random.Next(10) == 0)
        {
            tiny.Clock.Move(TimeSpan.FromSeconds(random.Next(60) - 20));
        }

        if (random.Next(50) == 0)
        {
            // What the keeper finds ended goes for good, whatever the clock says later.
            tiny.Tick(1);
            _ = tiny.Cache.Pile.Compact();
            tiny.Verify();
        }

        // A clock that goes back would show again what had ended and nobody had removed yet: the oracle can't tell which, and asks.
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        long now = tiny.Clock.GetUtcNow().UtcTicks;
        foreach ((int key, Entry entry) in expected)
        {
            if (entry.End > now && !table.ContainsKey(key))
            {
                Assert.True(entry.HasEnded, $"key {key} is gone, and never had ended");
                expected.Remove(key);
            }

            entry.HasEnded |= entry.End <= now;
        }
    }

    private sealed class Entry
    {
        internal required byte[] Value { get; init; }

        internal long Sliding { get; init; }

        internal long Absolute { get; init; }

        internal long Touched { get; set; }

        internal bool HasEnded { get; set; }

        internal long End => Sliding == 0 ? Absolute : long.Min(Absolute, Touched + Sliding);
    }
}
