// Calls that end things against calls in flight: Clear of table and pile, DropTable, Verify, leases, many threads, records that move.
// Nothing may be lost, shown twice, or counted wrong; the pile is verified meanwhile and afterwards.
using System;
using System.Buffers.Binary;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class RaceTests
{
    [Fact]
    public void AUseThatTheCleanerOvertakesKeepsTheEntry()
    {
        using TinyCache tiny = new(3 << 20, backgroundCleaning: true);
        PileTable<int, long> sliding = tiny.Cache.GetOrCreateTable<int, long>("sliding", new PileTableOptions { Kind = PileTableKind.Durable });
        PileTable<int, byte[]> churn = tiny.Table<int, byte[]>();
        var span = TimeSpan.FromSeconds(10);
        for (int key = 0; key < 8; key++)
        {
            sliding.Set(key, key, new PileEntryOptions { SlidingExpiration = span });
        }

        using var failures = new Failures();
        failures.Run(
            () =>
            {
                for (int step = 0; step < 300_000; step++)
                {
                    int key = step & 7;
                    failures.Unless(sliding.TryGet(key, out _), $"key {key} ended at step {step} in spite of its use");
                    if (key == 7)
                    {
                        tiny.Clock.Move(span - TimeSpan.FromTicks(1));
                    }
                }
            },
            () =>
            {
                for (int step = 0; !failures.IsOver; step++)
                {
                    churn.Set(step % 20_000, new byte[300]);
                }
            });
    }

    [Fact]
    public void ClearsOfTableAndPileAgainstEverythingElseLoseAndKeepNothingWrong()
    {
        using TinyCache tiny = new(6 << 20, backgroundCleaning: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        using var failures = new Failures();
        failures.Run(
            () =>
            {
                for (int round = 0; round < 60; round++)
                {
                    table.Clear();
                    tiny.Cache.Pile.Clear();
                    PileVerifyReport report = tiny.Cache.Pile.Verify();
                    failures.Unless(report.IsGood, string.Join("; ", report.Findings));
                }
            },
            () => Churn(table, failures, 1),
            () => Churn(table, failures, 2),
            () => Churn(table, failures, 3));
        tiny.Cache.Pile.Clear();
        Assert.Equal(0, table.Count);
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().Objects);
    }

    [Fact]
    public void TablesThatComeAndGoUnderLoadLeaveNothingBehind()
    {
        using TinyCache tiny = new(6 << 20, backgroundCleaning: true);
        long before = tiny.Cache.GetStatistics().IndexBytes;
        using var failures = new Failures();
        failures.Run(
            () =>
            {
                for (int round = 0; round < 150; round++)
                {
                    ComeAndGo(tiny, round);
                }
            },
            () => Visit(tiny, failures),
            () => Visit(tiny, failures),
            () =>
            {
                while (!failures.IsOver)
                {
                    PileVerifyReport report = tiny.Cache.Pile.Verify();
                    failures.Unless(report.IsGood, string.Join("; ", report.Findings));
                }
            });
        Assert.Empty(tiny.Cache.TableNames);
        tiny.Tick(3);
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().LiveBytes);
        Assert.Equal(0, tiny.Cache.GetStatistics().Entries);
        Assert.True(tiny.Cache.GetStatistics().IndexBytes <= before + (1 << 20));
    }

    [Fact]
    public void SixtyFourThreadsWithLeasesInsideLeasesComeToAnEnd()
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        using var failures = new Failures();
        var work = new Action[64];
        for (int index = 0; index < work.Length; index++)
        {
            int number = index;
            work[index] = () =>
            {
                var random = new Random(number);
                for (int step = 0; step < 1500; step++)
                {
                    int key = random.Next(20_000);
                    byte[] value = new byte[4 + random.Next(300)];
                    Mark(key, value);
                    _ = table.Set(key, value);
                    if (table.TryLease(random.Next(20_000), out PileLease outer))
                    {
                        // Inside its own lease a thread reads, stores and removes as ever.
                        int other = random.Next(20_000);
                        failures.Unless(!table.TryGet(other, out byte[]? read) || Of(read!) == other, $"key {other} has another's value");
                        _ = table.Set(key, value);
                        _ = table.Remove(other);
                        outer.Dispose();
                    }
                }
            };
        }

        failures.Run(work);
    }

    private static void Churn(PileTable<int, byte[]> table, Failures failures, int number)
    {
        var random = new Random(number);
        while (!failures.IsOver)
        {
            int key = (random.Next(2000) * 4) + number;
            byte[] value = new byte[random.Next(15) == 0 ? 20_000 + random.Next(20_000) : 4 + random.Next(300)];
            Mark(key, value);
            _ = table.Set(key, value);
            int other = random.Next(8000);
            failures.Unless(!table.TryGet(other, out byte[]? read) || Of(read!) == other, $"key {other} has another's value");
            if (random.Next(3) == 0)
            {
                _ = table.Remove(key);
                failures.Unless(!table.ContainsKey(key), $"key {key} rose from the dead");
            }
        }
    }

    private static void Visit(TinyCache tiny, Failures failures)
    {
        var random = new Random(5);
        while (!failures.IsOver)
        {
            ComeAndGo(tiny, random.Next(1000));
        }
    }

    private static void ComeAndGo(TinyCache tiny, int seed)
    {
        var random = new Random(seed);
        try
        {
            PileTable<int, byte[]> table = tiny.Cache.GetOrCreateTable<int, byte[]>("come and go", new PileTableOptions { MaximumEntries = 200, InitialCapacity = 2000 });
            for (int step = 0; step < 200; step++)
            {
                _ = table.Set(random.Next(400), new byte[random.Next(40) == 0 ? 30_000 : random.Next(300)]);
                _ = table.TryGet(random.Next(400), out _);
                _ = table.Remove(random.Next(400));
            }

            table.Clear();
            tiny.Cache.DropTable("come and go");
        }
        catch (ObjectDisposedException)
        {
            // What a table answers that somebody else has dropped.
        }
    }

    private static void Mark(int key, byte[] value) => BinaryPrimitives.WriteInt32LittleEndian(value, key);

    private static int Of(byte[] value) => BinaryPrimitives.ReadInt32LittleEndian(value);
}
