// Random operations on a table beside a plain dictionary, with a clock that is moved, and the pile verified as it goes.
// A durable table must agree with the dictionary exactly; a speculative one may lack entries, but shows no other value.
using System;
using System.Collections.Generic;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class OracleTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Speculative, true)]
    public void ATableAgreesWithADictionary(PileTableKind kind, bool hasBadHashes)
    {
        for (int run = 0; run < 4; run++)
        {
            int seed = Seeds.Next(run);
            output.WriteLine($"seed {seed}");
            Run(kind, hasBadHashes, seed);
        }
    }

    private static void Run(PileTableKind kind, bool hasBadHashes, int seed)
    {
        var random = new Random(seed);
        bool isDurable = kind == PileTableKind.Durable;
        using TinyCache tiny = new(isDurable ? 24 << 20 : 2 << 20, backgroundCleaning: random.Next(2) == 0);
        IPileKeyComparer comparer = hasBadHashes ? new BadComparer(random.Next(3)) : PileKeyComparers.Ordinal;
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, Comparer = comparer });
        var expected = new Dictionary<int, (byte[] Value, DateTimeOffset End)>();
        int keys = hasBadHashes ? 400 : 6000;
        for (int step = 0; step < 40_000; step++)
        {
            int key = random.Next(keys);
            DateTimeOffset now = tiny.Clock.GetUtcNow();
            bool isThere = expected.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > now;
            switch (random.Next(10))
            {
                case < 4:
                    byte[] value = new byte[random.Next(20) == 0 ? random.Next(40_000) : random.Next(300)];
                    random.NextBytes(value);
                    TimeSpan life = TimeSpan.FromSeconds(random.Next(1, 1000));
                    PileSetResult result = table.Set(key, value, new PileEntryOptions { TimeToLive = life });
                    Assert.True(result.IsStored, $"{result} at step {step}");
                    expected[key] = (value, now + life);
                    break;
                case < 8:
                    if (table.TryGet(key, out byte[]? got))
                    {
                        Assert.True(isThere, $"key {key} rose from the dead at step {step}");
                        Assert.True(held.Value.AsSpan().SequenceEqual(got), $"key {key} has another value at step {step}");
                    }
                    else
                    {
                        Assert.False(isThere && isDurable, $"key {key} is lost at step {step}");
                    }

                    break;
                case 8:
                    bool isRemoved = table.Remove(key);
                    Assert.True(isRemoved ? isThere : !isThere || !isDurable, $"key {key} at step {step}");
                    expected.Remove(key);
                    break;
                default:
                    if (random.Next(20) == 0)
                    {
                        tiny.Clock.Move(TimeSpan.FromSeconds(random.Next(100)));
                    }

                    if (random.Next(2000) == 0)
                    {
                        table.Clear();
                        expected.Clear();
                    }

                    if (random.Next(500) == 0)
                    {
                        tiny.Verify();
                    }

                    break;
            }
        }
    }
}
