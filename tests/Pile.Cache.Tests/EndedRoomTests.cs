// What has ended makes room before a call is answered Full, whoever is about to remove it, and however lately others went.
using System;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class EndedRoomTests
{
    private const int ValueBytes = 700;
    private static readonly PileEntryOptions _red = new() { Tags = ["red"] };
    private static readonly PileEntryOptions _short = new() { TimeToLive = TimeSpan.FromSeconds(10) };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EntriesThatHaveEndedMakeRoomWithoutTheKeeper(bool inFiles)
    {
        using var tiny = new TinyCache(3 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        int stored = Fill(tiny.Cache, table, 0, _short);
        tiny.Clock.Move(TimeSpan.FromSeconds(11));
        for (int key = 0; key < stored / 2; key++)
        {
            Set(table, 10_000 + key, default);
        }
    }

    /// <summary>One entry in twenty-five lives for a month: the room of the others, which end within a minute, is not kept for it.</summary>
    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void FewThatLiveLongKeepNoRoomOfThoseThatHaveEnded(PileTableKind kind, bool inFiles)
    {
        using var tiny = new TinyCache(3 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        var month = new PileEntryOptions { TimeToLive = TimeSpan.FromDays(30) };
        int next = 0;
        for (int second = 0; second < 500; second++)
        {
            for (int count = 0; count < 20; count++, next++)
            {
                Set(table, next, next % 25 == 0 ? month : new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1 + (next * 7 % 60)) });
            }

            tiny.Clock.Move(TimeSpan.FromSeconds(1));
            tiny.Tick(1);
        }

        Assert.Equal(0, table.GetStatistics().Evictions);
        for (int key = 0; key < next; key += 25)
        {
            Assert.True(table.TryGet(key, out _), $"entry {key} has gone");
        }
    }

    /// <summary>Too few for a walk in the background, which has been there for others before.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void FewThatHaveEndedMakeRoomToo(bool inFiles)
    {
        using var tiny = new TinyCache(3 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        var month = new PileEntryOptions { TimeToLive = TimeSpan.FromDays(30) };
        int stored = Fill(tiny.Cache, table, 0, key => key % 100 == 0 ? _short : key % 10 == 0 ? _short with { TimeToLive = TimeSpan.FromSeconds(30) } : month);
        tiny.Clock.Move(TimeSpan.FromSeconds(11));
        tiny.Tick(1);
        tiny.Clock.Move(TimeSpan.FromSeconds(30));
        tiny.Tick(1);
        Assert.InRange(table.Count, stored * 9 / 10, stored);
        for (int key = 0; key < stored / 20; key++)
        {
            Set(table, 10_000 + key, default);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EntriesThatATagHasRemovedMakeRoomHoweverLatelyOthersDid(bool inFiles)
    {
        using var tiny = new TinyCache(3 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        int next = 0;
        for (int round = 0; round < 3; round++)
        {
            next = Fill(tiny.Cache, table, next, _red);
            table.RemoveByTag("red");
            for (int key = 0; key < 100; key++)
            {
                Set(table, next++, _red);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EntriesOfBeforeAnOpenThatATagRemovesAfterItMakeRoom(bool isKilled)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: 3 << 20, flushes: true);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
        PileTable<int, byte[]> others = first.Cache.GetOrCreateTable<int, byte[]>("others", new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
        int next = 0;
        for (; next < 200; next++)
        {
            // In segments with entries of both kinds.
            Set(others, next, default);
            Set(table, next, _red);
        }

        next = Fill(first.Cache, table, next, _red);
        using SimulatedFiles? killed = isKilled ? files.Fork() : null;
        if (!isKilled)
        {
            first.Dispose();
        }

        using var second = new MappedCache(killed ?? files, first.Clock, 3 << 20, flushes: true);
        table = second.Table<int, byte[]>();
        table.RemoveByTag("red");
        for (int key = 0; key < 100; key++)
        {
            Set(table, next++, _red);
        }

        Assert.Equal(100, table.Count);
    }

    [Fact]
    public void AnEntryThatTheKeeperIsRemovingIsWaitedFor()
    {
        using var tiny = new TinyCache(3 << 20, inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        int stored = Fill(tiny.Cache, table, 0, _short);
        tiny.Clock.Move(TimeSpan.FromSeconds(11));
        using var isAtIt = new ManualResetEventSlim();
        using var goesOn = new ManualResetEventSlim();
        var keeper = new Thread(() => tiny.Tick(1));
        tiny.Clock.AtRead = () =>
        {
            // The keeper's look at what has ended begins with the time.
            if (Thread.CurrentThread == keeper && !isAtIt.IsSet)
            {
                isAtIt.Set();
                _ = goesOn.Wait(TimeSpan.FromMinutes(1), CancellationToken.None);
            }
        };
        PileSetOutcome outcome = default;
        var setter = new Thread(() => outcome = table.Set(-1, new byte[ValueBytes]).Outcome);
        try
        {
            keeper.Start();
            Assert.True(isAtIt.Wait(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken), "the keeper looked at nothing");
            setter.Start();

            // It comes to its end now, or waits for the keeper.
            _ = setter.Join(TimeSpan.FromSeconds(1));
        }
        finally
        {
            goesOn.Set();
            Assert.True(keeper.Join(TimeSpan.FromMinutes(1)) && setter.Join(TimeSpan.FromMinutes(1)), "a thread did not end");
            tiny.Clock.AtRead = null;
        }

        Assert.Equal(PileSetOutcome.Inserted, outcome);
        Assert.InRange(table.Count, 1, stored);
    }

    private static int Fill(PileCache cache, PileTable<int, byte[]> table, int key, PileEntryOptions terms) => Fill(cache, table, key, _ => terms);

    private static int Fill(PileCache cache, PileTable<int, byte[]> table, int key, Func<int, PileEntryOptions> termsOf)
    {
        int full = 0;
        while (full < 3)
        {
            // What a flush gives back is room too.
            full = table.Set(key, new byte[ValueBytes], termsOf(key)).IsStored ? 0 : full + 1;
            key += full == 0 ? 1 : 0;
            if (full > 0 && cache.Pile.Durable is not null)
            {
                cache.Pile.Commit();
            }
        }

        return key;
    }

    private static void Set(PileTable<int, byte[]> table, int key, PileEntryOptions terms)
    {
        PileSetResult result = table.Set(key, new byte[ValueBytes], terms);
        Assert.True(result.IsStored, $"{key} of {table.Count}");
    }
}
