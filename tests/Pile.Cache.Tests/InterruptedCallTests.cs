using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Tests;
using Pile.Tests.Primitives;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A thread that is interrupted midway through a change leaves no half of it: no key that can't be found, no value that nobody owns, no table that is half dropped.</summary>
public sealed class InterruptedCallTests
{
    private const int Large = 30_000;
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(1);

    /// <summary>Cells stand in their new chain by the time that a bucket of the old one is given back.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task BucketsThatAreSplitOrMergedByAnInterruptedThreadKeepTheirKeys(bool isSplit) => OnItsOwn(() =>
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        TableBase parts = table.Parts;
        int keys = 0;

        // While nothing is split chains grow to several buckets; each is split then, or its half joined to it again.
        parts.Growth.WhileStill(() => OwnThread.Start(() =>
        {
            for (; keys < 40 * (int)parts.Index.Homes; keys++)
            {
                table.Set(keys, keys);
            }
        }).Join());
        Interrupted.AssertToldLater(parts.Index.Memory.Gate, () => parts.Growth.Grow(cells: long.MaxValue / 100, splitsMax: 20));
        if (!isSplit)
        {
            Interrupted.AssertToldLater(parts.Index.Memory.Gate, () => parts.Growth.Shrink(cells: 0, mergesMax: 20));
        }

        Verify(added: 0);
        foreach (int key in Enumerable.Range(0, keys))
        {
            table.Set(key, key + 1);
        }

        _ = parts.Growth.Grow(cells: long.MaxValue / 100, splitsMax: 20);
        Verify(added: 1);

        void Verify(int added)
        {
            Assert.Equal(keys, Enumerable.Range(0, keys).Count(key => table.TryGet(key, out int value) && value == key + added));
            Assert.Equal(keys, table.Count);
            tiny.Verify();
        }
    });

    /// <summary>A walk that does not end keeps its index from ever being made smaller.</summary>
    [Fact]
    public Task AWalkThatIsInterruptedAtItsEndHasEnded() => OnItsOwn(() =>
    {
        using TinyCache tiny = new();
        TableBase parts = tiny.Table<int, int>().Parts;
        Assert.True(parts.Growth.Grow(cells: long.MaxValue / 100, splitsMax: 1));
        parts.Growth.BeginWalk();
        Interrupted.AssertToldLater(parts.Growth.WhileStill, parts.Growth.EndWalk);
        Assert.True(parts.Growth.Shrink(cells: 0, mergesMax: 1));
    });

    /// <summary>The entry is gone by then, and nobody else knows where its value is.</summary>
    [Fact]
    public Task AValueWhoseRemovalIsInterruptedIsDeleted() => OnItsOwn(() =>
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        table.Set(1, new byte[Large]);
        Interrupted.AssertToldLater(tiny.Cache.Core.Shared.Gate, () => Assert.True(table.Remove(1)));
        _ = tiny.Cache.Pile.Core.Large.Reclaim(waitMs: 1000);
        Assert.Equal(0, tiny.Cache.Pile.Core.Large.UsedBytes);
    });

    /// <summary>The wait for a writer may be ended by an interrupt: then the value is deleted later.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task AValueWhoseDeletionThrowsIsDeletedLater(bool isShared) => OnItsOwn(() =>
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, PileOptions.Tiny with { WritersMax = 1 });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        PilePointer value = cache.Pile.Put(new byte[100]);
        var core = (CacheBase)cache.Pile.Core.Keyed!;
        core.NoteLoose();
        if (isShared)
        {
            Assert.Equal(PileStatus.Ok, core.Shared.TryTakeRoom() ? core.Shared.TryName(value.Word) : PileStatus.Full);
        }

        _ = core.WithWriter(() =>
        {
            OwnThread deleting = OwnThread.Start(() =>
            {
                Thread.CurrentThread.Interrupt();
                core.DeleteOrphan(value.Word);
            });
            _ = Assert.Throws<ThreadInterruptedException>(deleting.Join);
            return true;
        });
        Assert.True(cache.Pile.TryGet(value, out byte[]? _));
        core.Settle();
        Assert.False(cache.Pile.TryGet(value, out byte[]? _));
        Assert.False(core.HasLooseValues);
        Assert.Equal(0, core.Shared.Due);
        Assert.True(cache.Pile.Verify().IsGood);
    });

    /// <summary>It says that it is dropped before it holds all writers, and would stay so with its memory.</summary>
    [Fact]
    public Task ATableWhoseDropIsInterruptedIsDropped() => OnItsOwn(() =>
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, PileOptions.Tiny with { WritersMax = 2 });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        table.Set(1, new byte[Large]);
        using PileWatch<int> watch = table.Watch();
        var core = (CacheBase)cache.Pile.Core.Keyed!;
        OwnThread? dropping = null;
        _ = core.WithWriter(() =>
        {
            dropping = OwnThread.Start(() =>
            {
                Thread.CurrentThread.Interrupt();
                Assert.True(cache.DropTable("table"));
            });

            // Its wait for this writer is no sleep: all that can be seen of it is that the call does not end.
            Assert.True(SpinWait.SpinUntil(() => table.Parts.IsDropped, _long));
            Assert.False(dropping.Waits(TimeSpan.FromMilliseconds(50)));
            return true;
        });
        dropping!.Join();
        Assert.Null(core.FindDormant("table"));
        while (watch.TryRead(out _))
        {
            // Ended once what it was told is read.
        }

        Assert.True(watch.Completion.IsCompleted);
        _ = cache.Pile.Core.Large.Reclaim(waitMs: 1000);
        Assert.Equal(0, cache.Pile.Core.Large.UsedBytes);
    });

    /// <summary>The wait for a writer may be ended by an interrupt: the thread is outside the pile again, and keeps nobody who reclaims waiting.</summary>
    [Fact]
    public Task AThreadThatIsInterruptedWhileItWaitsToMakeATableIsOutsideThePileAgain() => OnItsOwn(() =>
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, PileOptions.Tiny with { WritersMax = 1 });
        var core = (CacheBase)cache.Pile.Core.Keyed!;
        int inside = -1;
        _ = core.WithWriter(() =>
        {
            OwnThread.Start(() =>
            {
                Thread.CurrentThread.Interrupt();
                _ = Assert.Throws<ThreadInterruptedException>(() => cache.GetOrCreateTable<int, int>("table"));
                inside = cache.Pile.GetStatistics().ThreadsInside;
            }).Join();
            return true;
        });
        Assert.Equal(1, inside);
    });

    private static Task OnItsOwn(Action work) => Task.Factory.StartNew(work, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        .WaitAsync(_long, TestContext.Current.CancellationToken);
}
