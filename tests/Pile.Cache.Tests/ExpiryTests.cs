// Ends: never shown one tick late, never gone one tick early, with no background work.
using System;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class ExpiryTests
{
    [Fact]
    public void AnEntryIsThereUntilTheTickOfItsEndAndNotOneLonger()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) });
        table.Set(2, 2, new PileEntryOptions { AbsoluteExpiration = tiny.Clock.GetUtcNow() + TimeSpan.FromSeconds(10) });

        tiny.Clock.Move(TimeSpan.FromSeconds(10) - TimeSpan.FromTicks(1));
        Assert.True(table.TryGet(1, out _));
        Assert.True(table.TryGet(2, out _));
        tiny.Clock.Move(TimeSpan.FromTicks(1));
        Assert.False(table.TryGet(1, out _));
        Assert.False(table.ContainsKey(2));
        Assert.False(table.Remove(2));
        Assert.Equal(PileSetOutcome.Inserted, table.Add(1, 3).Outcome);
    }

    [Fact]
    public void AnEntryThatHasEndedCountsAsAbsentForWhateverIsStored()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) });
        tiny.Clock.Move(TimeSpan.FromSeconds(1));

        Assert.Equal(PileSetOutcome.Refused, table.Replace(1, 2).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, table.Set(1, 2).Outcome);
        Assert.Equal(PileSetOutcome.Replaced, table.Set(1, 3).Outcome);
        Assert.Equal(1, table.Count);
    }

    [Fact]
    public void InAFarFutureEntriesAreNotTooOldForTheirReaders()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        tiny.Clock.Move(TimeSpan.FromDays(365 * 500));
        table.Set(1, 1, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(5) });

        Assert.True(table.TryGet(1, TimeSpan.FromSeconds(1), out _));
        tiny.Clock.Move(TimeSpan.FromDays(-365 * 500));
        Assert.True(table.TryGet(1, TimeSpan.FromSeconds(1), out _));
        tiny.Clock.Move(TimeSpan.FromDays(365 * 500) + TimeSpan.FromSeconds(5));
        Assert.False(table.TryGet(1, out _));
    }

    [Fact]
    public void TheBackgroundLeavesAnEntryWhoseEndTheClockCameBackFromWhileItLooked()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) });
        tiny.Clock.Move(TimeSpan.FromSeconds(11));
        int reads = 0;
        tiny.Clock.AtRead = () => tiny.Clock.Move(TimeSpan.FromSeconds(++reads == 2 ? -5 : 0));
        tiny.Tick(1);
        tiny.Clock.AtRead = null;
        tiny.Clock.Move(TimeSpan.FromSeconds(reads == 1 ? -5 : 0));
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(TimeSpan.FromMinutes(1));
        tiny.Tick(1);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void APriorityThatDoesNotExistIsRefusedByName()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();

        foreach (int priority in new[] { -1, 4, 7 })
        {
            string message = Assert.Throws<ArgumentOutOfRangeException>(() => table.Set(1, 1, new PileEntryOptions { Priority = (PileCachePriority)priority })).Message;
            Assert.Contains("PileEntryOptions.Priority", message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void ASlidingEntryEndsAfterItsLastUse()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1, new PileEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(10), TimeToLive = TimeSpan.FromSeconds(25) });

        tiny.Clock.Move(TimeSpan.FromSeconds(9));
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(TimeSpan.FromSeconds(9));
        Assert.True(table.TryGetExpiration(1, out DateTimeOffset? end));
        Assert.Equal(tiny.Clock.GetUtcNow() + TimeSpan.FromSeconds(1), end);
        Assert.True(table.Refresh(1));
        tiny.Clock.Move(TimeSpan.FromSeconds(7) - TimeSpan.FromTicks(1));
        Assert.True(table.TryGet(1, out _));
        tiny.Clock.Move(TimeSpan.FromTicks(1));
        Assert.False(table.TryGet(1, out _));
    }

    [Fact]
    public void AnEntryThatIsTooOldForTheReaderIsNotShownToIt()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1);
        tiny.Clock.Move(TimeSpan.FromSeconds(5));

        Assert.True(table.TryGet(1, TimeSpan.FromSeconds(5), out _));
        Assert.False(table.TryGet(1, TimeSpan.FromMilliseconds(4999), out _));
        Assert.True(table.TryGet(1, out _));
    }

    [Fact]
    public void WhatHasEndedWhenItComesIsNotStoredAndTakesTheFormerEntryAway()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1);

        Assert.Equal(PileSetOutcome.Expired, table.Set(1, 2, new PileEntryOptions { AbsoluteExpiration = tiny.Clock.GetUtcNow() }).Outcome);
        Assert.False(table.TryGet(1, out _));
    }

    [Fact]
    public void TheTablesDefaultHoldsUnlessTheEntrySaysMore()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { DefaultTimeToLive = TimeSpan.FromSeconds(1) });
        table.Set(1, 1);
        table.Set(2, 2, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(5) });
        tiny.Clock.Move(TimeSpan.FromSeconds(1));

        Assert.False(table.TryGet(1, out _));
        Assert.True(table.TryGet(2, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => table.Set(3, 3, new PileEntryOptions { TimeToLive = TimeSpan.Zero }));
    }
}
