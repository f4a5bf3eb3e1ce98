// Removal by tag: what was stored with the tag before is shown no more, what is stored after is, whatever the clock does and whoever
// is under way.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Cache.Tags;
using Pile.Cache.Tests.Model;
using Pile.Diagnostics;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class TagTests
{
    private static readonly PileEntryOptions _red = new() { Tags = ["red"] };

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void ARemovalFromAllTablesIsToldOfByATableThatIsMadeMeanwhile()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> first = tiny.Table<int, byte[]>();
        TagStamps stamps = first.Parts.Tags;
        Func<int, IEnumerable<TableBase>> tables = stamps.Tables;
        PileTable<int, byte[]>? late = null;
        PileWatch<int>? watch = null;
        Thread? maker = null;
        stamps.Tables = id =>
        {
            TableBase[] listed = [.. tables(id)];
            maker = new Thread(() =>
            {
                late = tiny.Cache.GetOrCreateTable<int, byte[]>("late");
                watch = late.Watch();
                Assert.True(late.Set(1, [1], _red).IsStored);
            });
            maker.Start();

            // It comes to its end now, or waits for the removal.
            _ = maker.Join(TimeSpan.FromSeconds(1));
            return listed;
        };
        tiny.Cache.RemoveByTag("red");
        Assert.True(maker!.Join(TimeSpan.FromMinutes(1)), "no table came");
        using PileWatch<int> told = watch!;
        HashSet<int> there = [];
        while (told.TryRead(out PileTableEvent<int> next))
        {
            _ = next.Kind == PileEventKinds.Inserted ? there.Add(next.Key) : there.RemoveWhere(_ => next.Kind == PileEventKinds.TagRemoved) > 0;
        }

        Assert.Equal(late!.ContainsKey(1), there.Contains(1));
    }

    [Fact]
    public void RemoveByTagTakesTheEntriesThatHaveTheTagAndNoOthers()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        table.Set(1, new byte[10], _red);
        table.Set(2, new byte[20], new PileEntryOptions { Tags = ["blue", "red"], TimeToLive = TimeSpan.FromHours(1) });
        table.Set(3, new byte[50_000], new PileEntryOptions { Tags = ["blue", "red"], SlidingExpiration = TimeSpan.FromHours(1) });
        table.Set(4, new byte[40], new PileEntryOptions { Tags = ["Red"] });
        table.Set(5, new byte[50]);
        Assert.Equal([10, 20, 50_000, 40, 50], Enumerable.Range(1, 5).Select(table.SizeOf));
        Assert.True(table.TryGet(3, out byte[]? large) && large.Length == 50_000);

        table.RemoveByTag("red");
        Assert.Equal([-1, -1, -1, 40, 50], Enumerable.Range(1, 5).Select(table.SizeOf));
        Assert.False(table.TryGet(1, out _));
        Assert.False(table.TryGet(3, out _));
        Assert.Equal([4, 5], table.Enumerate().Select(static item => item.Key).Order());
        Assert.False(table.Remove(2));
        Assert.Equal(PileSetOutcome.Inserted, table.Set(1, new byte[11], _red).Outcome);
        Assert.Equal(11, table.SizeOf(1));
        tiny.Clock.Move(TimeSpan.FromDays(-400));
        Assert.Equal(11, table.SizeOf(1));
        table.RemoveByTag("red");
        Assert.Equal(-1, table.SizeOf(1));
    }

    [Fact]
    public void ATablesRemovalIsItsOwnAndACachesIsOfAllTables()
    {
        using TinyCache tiny = new();
        PileTable<int, int> first = tiny.Cache.GetOrCreateTable<int, int>("first");
        PileTable<int, int> second = tiny.Cache.GetOrCreateTable<int, int>("second");
        first.Set(1, 1, _red);
        second.Set(1, 1, _red);

        first.RemoveByTag("red");
        Assert.False(first.ContainsKey(1));
        Assert.True(second.ContainsKey(1));
        tiny.Cache.RemoveByTag("red");
        Assert.False(second.ContainsKey(1));
        first.Set(1, 1);
        second.Set(1, 1, _red);
        tiny.Cache.RemoveByTag("*");
        Assert.Equal((0L, 0L), (first.Count, second.Count));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ARemovalThatCanNotBeNotedIsRefusedBeforeItTakesPlace(bool isOfFloor)
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, _red);
        var keeper = new FullKeeper();
        table.Parts.Tags.Keeper = keeper;
        for (int tag = 0; isOfFloor && table.Parts.Tags.Count < (8 << 20) / CacheLimits.BytesOfTagStamp; tag++)
        {
            table.RemoveByTag($"tag {tag}");
        }

        table.Set(2, 2, _red);
        keeper.IsFull = isOfFloor ? "floor" : "tag";
        Assert.Throws<PileFullException>(() => table.RemoveByTag("red"));
        Assert.True(table.ContainsKey(1) && table.ContainsKey(2));
        keeper.IsFull = null;
        table.RemoveByTag("red");
        Assert.False(table.ContainsKey(1) || table.ContainsKey(2));
        table.Set(2, 2, _red);
        Assert.True(table.ContainsKey(2));
    }

    [Fact]
    public void WhatAFactoryBeganToMakeBeforeTheRemovalIsNotShownAfterIt()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var options = new PileFactoryOptions { Entry = _red };

        Assert.Equal(1, table.GetOrAdd(1, table, static (_, table) =>
        {
            table.RemoveByTag("red");
            return 1;
        }, options));
        Assert.False(table.TryGet(1, out _));
        Assert.Equal(2, table.GetOrAdd(1, static _ => 2, options));
        Assert.True(table.TryGet(1, out _));
    }

    [Fact]
    public async Task WhoJoinsAFactoryAfterTheRemovalGetsAValueThatWasBegunAfterIt()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var options = new PileFactoryOptions { Entry = _red };
        var gate = new TaskCompletionSource<int>();
        Task<int> before = table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), options, Stop).AsTask();
        table.RemoveByTag("red");
        Task<int> after = table.GetOrAddAsync(1, static (_, _) => new ValueTask<int>(2), options, Stop).AsTask();
        gate.SetResult(1);

        Assert.Equal(1, await before);
        Assert.Equal(2, await after);
        Assert.True(table.TryGet(1, out int value) && value == 2);
    }

    [Theory]
    [InlineData("red")]
    [InlineData("blue")]
    public async Task ATagThatIsRemovedOnceMoreDoesNotHideTheRemovalBeforeACallThatJoins(string later)
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var options = new PileFactoryOptions { Entry = _red };
        var gate = new TaskCompletionSource<int>();
        Task<int> before = table.GetOrAddAsync(1, (_, _) => new ValueTask<int>(gate.Task), options, Stop).AsTask();
        table.RemoveByTag("red");
        Task<int> after = table.GetOrAddAsync(1, static (_, _) => new ValueTask<int>(2), options, Stop).AsTask();
        table.RemoveByTag(later);
        gate.SetResult(1);

        Assert.Equal(1, await before);
        Assert.Equal(2, await after);
    }

    [Fact]
    public void AnEntryThatATagRemovedIsNotServedPastItsEndEither()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { Tags = ["red"], TimeToLive = TimeSpan.FromSeconds(1) },
            FailSafe = TimeSpan.FromSeconds(100),
            StaleWhileRevalidate = TimeSpan.FromSeconds(100),
        };
        _ = table.GetOrAdd(1, static _ => 1, options);
        tiny.Clock.Move(TimeSpan.FromSeconds(1));
        table.RemoveByTag("red");

        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException(), options));

        // An entry that fail-safe shows again keeps the moment at which it was made.
        _ = table.GetOrAdd(1, static _ => 1, options);
        tiny.Clock.Move(TimeSpan.FromSeconds(1));
        PileFactoryOptions safe = options with { StaleWhileRevalidate = null };
        Assert.Equal(1, table.GetOrAdd(1, static _ => throw new NotSupportedException(), safe));
        Assert.True(table.ContainsKey(1));
        table.RemoveByTag("red");
        Assert.False(table.ContainsKey(1));
        Assert.Throws<NotSupportedException>(() => table.GetOrAdd(1, static _ => throw new NotSupportedException(), safe));
    }

    [Fact]
    public void RemovalsAmongThreadsThatStoreHoldForAllThatWasStoredBefore()
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: true);
        PileTable<int, long> table = tiny.Table<int, long>();
        const int Keys = 200;
        long[] stored = new long[Keys * 2];
        using var failures = new Failures();
        Action Store(int first) => () =>
        {
            for (long step = 1; !failures.IsOver; step++)
            {
                int key = first + (int)(step % Keys);
                table.Set(key, step, _red);
                Volatile.Write(ref stored[key], step);
            }
        };
        failures.Run(
            () =>
            {
                long[] before = new long[stored.Length];
                for (int round = 1; round <= 500; round++)
                {
                    stored.CopyTo(before, 0);
                    table.RemoveByTag("red");
                    for (int key = 0; key < before.Length; key++)
                    {
                        failures.Unless(!table.TryGet(key, out long value) || value > before[key], $"key {key} with {value}, stored before removal {round}, is shown after it");
                    }
                }
            },
            Store(0),
            Store(Keys));
    }

    [Fact]
    public async Task TheMemoryOfRemovalsIsBoundedAndMoreIsRemovedRatherThanLess()
    {
        using TinyCache tiny = new();
        using var listener = new HeardEvents<int>(tiny.Cache.Pile.Tag, nameof(PileEventSource.TagRemovalsMerged), static told => (int)told[0]! + (int)told[1]!);
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { Tags = ["old"] });
        table.Set(2, 2, new PileEntryOptions { Tags = ["removed"] });
        table.Set(3, 3);
        table.RemoveByTag("removed");
        for (int tag = 0; tag < CacheLimits.TagStampsMax; tag++)
        {
            if (tag == CacheLimits.TagStampsMax - 100)
            {
                table.Set(4, 4, new PileEntryOptions { Tags = ["young"] });
            }

            table.RemoveByTag($"tag {tag}");
        }

        PileCacheStatistics statistics = table.GetStatistics();
        Assert.InRange(statistics.RemovedTags, 1, CacheLimits.TagStampsMax);
        Assert.Equal(statistics.RemovedTags * CacheLimits.TagStampBytes, statistics.RemovedTagBytes);
        Assert.Equal([-1, -1, 4, 4], Enumerable.Range(1, 4).Select(table.SizeOf));
        await EventsAside.Written;
        Assert.NotEmpty(listener.Events);
        Assert.All(listener.Events, all => Assert.InRange(all, CacheLimits.TagStampsMin, CacheLimits.TagStampsMax));
        tiny.Cache.DropTable("table");
        Assert.Equal(0, tiny.Cache.GetStatistics().RemovedTags);
    }

    [Fact]
    public void TheMemoryOfEntriesThatATagRemovedComesBack()
    {
        using TinyCache tiny = new(2 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });
        for (int round = 0; round < 20; round++)
        {
            for (int key = 0; key < 800; key++)
            {
                Assert.True(table.Set((round * 800) + key, new byte[1000], _red).IsStored, $"round {round}, key {key}");
            }

            table.RemoveByTag("red");
            tiny.Tick(1);
            tiny.Clock.Move(TimeSpan.FromSeconds(10));
        }

        tiny.Tick(1);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void TheLongestTagIsStoredAndRemovedAndALongerOneRefusedByLengthAndLimit()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        foreach (string longest in (string[])[new('t', 15_360), new('\u4e16', 5_120)])
        {
            Assert.True(table.Set(1, 1, new PileEntryOptions { Tags = [longest] }).IsStored);
            using PileWatch<int> watch = table.Watch();
            table.RemoveByTag(longest);
            Assert.False(table.ContainsKey(1));
            Assert.True(watch.TryRead(out PileTableEvent<int> told));
            Assert.Equal((PileEventKinds.TagRemoved, longest), (told.Kind, told.Tag));

            Action[] calls = [() => table.Set(1, 1, new PileEntryOptions { Tags = ["a", longest + "t"] }), () => table.RemoveByTag(longest + "t"), () => tiny.Cache.RemoveByTag(longest + "t")];
            foreach (Action call in calls)
            {
                string message = Assert.Throws<ArgumentOutOfRangeException>(call).Message;
                Assert.Contains("A tag takes at most 15,360 bytes (TagBytesMax)", message, StringComparison.Ordinal);
                Assert.Contains("15,361 bytes", message, StringComparison.Ordinal);
            }

            Assert.False(table.ContainsKey(1));
            Assert.False(watch.TryRead(out _));
        }
    }

    [Fact]
    public void TagsThatAreNoneAreRefusedByName()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        foreach (IReadOnlyList<string> tags in new IReadOnlyList<string>[] { ["a", null!], ["a", string.Empty], ["a", "*"] })
        {
            Assert.Contains("Tags[1]", Assert.Throws<ArgumentException>(() => table.Set(1, 1, new PileEntryOptions { Tags = tags })).Message, StringComparison.Ordinal);
        }

        Assert.Contains("TagsMax", Assert.Throws<ArgumentOutOfRangeException>(() => table.Set(1, 1, new PileEntryOptions { Tags = [.. Enumerable.Repeat("a", 33)] })).Message, StringComparison.Ordinal);
        Assert.True(table.Set(1, 1, new PileEntryOptions { Tags = [.. Enumerable.Range(0, 32).Select(static tag => $"tag {tag}")] }).IsStored);
        Assert.True(table.Set(2, 2, new PileEntryOptions { Tags = [] }).IsStored);
        Assert.Throws<ArgumentException>(() => table.RemoveByTag(string.Empty));
        Assert.Throws<ArgumentNullException>(() => tiny.Cache.RemoveByTag(null!));
        table.RemoveByTag("tag 31");
        Assert.False(table.ContainsKey(1));
        tiny.Cache.DropTable("table");
        Assert.Throws<ObjectDisposedException>(() => table.RemoveByTag("a"));
    }

    /// <summary>Keeps nothing, and has no room when a test says so.</summary>
    private sealed class FullKeeper : Tags.ITagKeeper
    {
        internal string? IsFull { get; set; }

        public void Begin()
        {
        }

        public void NoteCleared()
        {
        }

        public void Keep(int table, ulong tag, long stamp, bool hasFreed) => RefuseIf("tag");

        public void KeepFloor(long floor) => RefuseIf("floor");

        public void Forget(int table, ulong tag)
        {
        }

        private void RefuseIf(string what)
        {
            if (IsFull == what)
            {
                throw new PileFullException("no room");
            }
        }
    }
}
