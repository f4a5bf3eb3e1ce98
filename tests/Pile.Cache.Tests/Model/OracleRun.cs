// Random operations on a table beside a plain dictionary, with a clock that is moved, and the pile verified as it goes.
// A durable table must agree with the dictionary exactly; a speculative one may lack entries, but shows no other value.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <summary>The oracle.</summary>
internal static class OracleRun
{
    /// <summary>One run.</summary>
    internal static void Run(PileTableKind kind, bool hasBadHashes, int seed, int steps, bool inFiles = false)
    {
        var random = new Random(seed);
        bool isDurable = kind == PileTableKind.Durable;
        using TinyCache tiny = new(isDurable ? 24 << 20 : 2 << 20, backgroundCleaning: random.Next(2) == 0, inFiles);
        IPileKeyComparer comparer = hasBadHashes ? new BadComparer(random.Next(3)) : PileKeyComparers.Ordinal;
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, Comparer = comparer });
        var expected = new Dictionary<int, (byte[] Value, DateTimeOffset End)>();
        int keys = hasBadHashes ? 400 : 6000;
        for (int step = 0; step < steps; step++)
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
                    ModelMismatchException.Unless(result.IsStored, "full", $"{result} at step {step}");
                    expected[key] = (value, now + life);

                    // One thread, and nothing between: what is stored is there, whatever may be evicted.
                    ModelMismatchException.Unless(table.TryGet(key, out byte[]? stored) && value.AsSpan().SequenceEqual(stored), "not stored", $"key {key} at step {step}");
                    break;
                case < 8:
                    if (table.TryGet(key, out byte[]? got))
                    {
                        ModelMismatchException.Unless(isThere, "risen", $"key {key} rose from the dead at step {step}");
                        ModelMismatchException.Unless(held.Value.AsSpan().SequenceEqual(got), "wrong content", $"key {key} has another value at step {step}");
                    }
                    else
                    {
                        ModelMismatchException.Unless(!isThere || !isDurable, "lost", $"key {key} is lost at step {step}");
                    }

                    break;
                case 8:
                    bool isRemoved = table.Remove(key);
                    ModelMismatchException.Unless(isRemoved ? isThere : !isThere || !isDurable, "removed", $"key {key} at step {step}");
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
