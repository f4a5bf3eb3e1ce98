// What becomes of durable tables, and of their names, when calls that change the list of them meet, fail in the midst, or are killed.
// What entries survive is DurableTests' business.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Calls that meet, fail or are killed while the list of tables changes.</summary>
public sealed class DurableClashTests
{
    private static readonly string[] _names = ["a", "b", "c"];

    [Fact]
    public void AKillWhileTheFirstDurableTableIsMadeLeavesACacheThatOpens()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        List<SimulatedFiles> killed = [];
        files.AtCall = _ => killed.Add(files.Fork());
        PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
        files.AtCall = null;
        table.Set(1, 1);
        Assert.True(killed.Count > 5, $"{killed.Count} calls");
        foreach (SimulatedFiles image in killed)
        {
            using (var second = new MappedCache(image, first.Clock))
            {
                Assert.True(second.Cache.TableNames.Count <= 1);
                Assert.True(second.Table<int, int>(DurableTests.Durable).Set(1, 2).IsStored);
            }

            using (var third = new MappedCache(image, first.Clock))
            {
                Assert.True(third.Table<int, int>(DurableTests.Durable).TryGet(1, out int value) && value == 2);
            }

            image.Dispose();
        }
    }

    [Fact]
    public void AClearThatMeetsTheDropOfItsTableDoesNotBringItBack()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
            table.Set(1, 1);
            Exception? refused = null;
            Thread? clearing = null;
            files.AtCall = _ =>
            {
                // While the list without the table is written.
                files.AtCall = null;
                clearing = new Thread(() => refused = Record.Exception(table.Clear)) { IsBackground = true };
                clearing.Start();
                AwaitWaiting(clearing);
            };
            Assert.True(first.Cache.DropTable("table"));
            clearing!.Join();
            Assert.IsType<ObjectDisposedException>(refused);
        }

        using var second = new MappedCache(files);
        Assert.Empty(second.Cache.TableNames);
        Assert.Equal(0, second.Cache.Pile.GetStatistics().Objects);
    }

    [Fact]
    public void WhatWasClearedDoesNotComeBackWhenErasBeginAnew()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
        table.Set(1, 1);
        first.Cache.Pile.Commit();
        for (int era = 0; era <= KeyedPrefix.EraMask; era++)
        {
            table.Clear();
        }

        for (int seed = 0; seed < 8; seed++)
        {
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using var second = new MappedCache(cut, first.Clock);
            Assert.Equal(0, second.Table<int, int>(DurableTests.Durable).Count);
        }
    }

    [Fact]
    public void ATableWhoseDropIsRefusedIsThereUnderItsName()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
        table.Set(1, 1);
        files.FailAt(files.Calls + 1, FileFailure.NoSpace);
        Assert.ThrowsAny<Exception>(() => first.Cache.DropTable("table"));
        Assert.Same(table, first.Table<int, int>(DurableTests.Durable));
        Assert.True(table.ContainsKey(1));
        Assert.True(first.Cache.DropTable("table"));
        Assert.False(first.Cache.DropTable("table"));
        Assert.Throws<ObjectDisposedException>(() => table.ContainsKey(1));
        Assert.Equal(0, first.Table<int, int>(DurableTests.Durable).Count);
    }

    [Fact]
    public void ARemovalOfAllThatMeetsTheDropOfATableClearsTheOthers()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int>[] tables = [.. _names.Select(name => first.Cache.GetOrCreateTable<int, int>(name, DurableTests.Durable))];
        Array.ForEach(tables, static table => table.Set(1, 1));
        Exception? failure = null;
        Thread dropping = new(() => failure = Record.Exception(() => first.Cache.DropTable(_names[1]))) { IsBackground = true };
        files.AtCall = _ =>
        {
            // While the first one's Clear is noted in the list of tables: the drop is the next change of it.
            files.AtCall = null;
            dropping.Start();
            AwaitWaiting(dropping);
        };
        first.Cache.RemoveByTag("*");
        Assert.True(dropping.Join(TimeSpan.FromMinutes(1)), "the drop waits for ever");
        Assert.Null(failure);
        Assert.Equal([0, 0], new[] { tables[0].Count, tables[2].Count });
        Assert.Equal([_names[0], _names[2]], first.Cache.TableNames.Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ARemovalOfAllThatOneTableRefusesClearsTheOthersAndSaysSo(bool isDormant)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Array.ForEach(_names, name => first.Cache.GetOrCreateTable<int, int>(name, DurableTests.Durable).Set(1, 1));
            if (!isDormant)
            {
                Refuse(first.Cache);
            }
        }

        using var second = new MappedCache(files);
        if (isDormant)
        {
            Refuse(second.Cache);
        }

        Assert.Equal([1, 0, 0], _names.Select(name => second.Cache.GetOrCreateTable<int, int>(name).Count));

        void Refuse(PileCache cache)
        {
            files.FailAt(files.Calls + 1, FileFailure.NoSpace);
            Assert.Throws<PileFullException>(() => cache.RemoveByTag("*"));
        }
    }

    [Fact]
    public void RemovalsByTagAndEntriesWithTagsThatMeetForTheFirstTimeWaitForNoCircle()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int> table = first.Table<int, int>();
        Thread removing = new(() => first.Cache.RemoveByTag("red")) { IsBackground = true };
        Thread storing = new(() => table.Set(1, 1, new PileEntryOptions { Tags = ["red"] })) { IsBackground = true };
        files.AtCall = _ =>
        {
            // While a table is made, which both of them will have to wait for.
            files.AtCall = null;
            removing.Start();
            AwaitWaiting(removing);
            storing.Start();
            AwaitWaiting(storing);
        };
        _ = first.Cache.GetOrCreateTable<int, int>("other");
        Assert.True(removing.Join(TimeSpan.FromMinutes(1)), "the removal waits for ever");
        Assert.True(storing.Join(TimeSpan.FromMinutes(1)), "the Set waits for ever");
        table.Set(1, 1, new PileEntryOptions { Tags = ["red"] });
        Assert.True(table.ContainsKey(1));
        first.Cache.RemoveByTag("red");
        Assert.False(table.ContainsKey(1));
    }

    /// <summary>Waits until a thread waits for somebody, or has ended.</summary>
    private static void AwaitWaiting(Thread thread)
    {
        while ((thread.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) == 0)
        {
            _ = Thread.Yield();
        }
    }
}
