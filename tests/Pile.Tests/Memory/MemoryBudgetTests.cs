using System;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class MemoryBudgetTests
{
    [Fact]
    public void TakingUpToTheLimitSucceedsAndOneByteMoreIsRefused()
    {
        var budget = new MemoryBudget(100);

        Assert.True(budget.TryTake(100));
        Assert.Equal(0, budget.FreeBytes);
        Assert.False(budget.TryTake(1));
        Assert.True(budget.TryTake(0));
        budget.GiveBack(1);
        Assert.True(budget.TryTake(1));
        Assert.Equal(100, budget.UsedBytes);
    }

    [Fact]
    public void BytesToKeepAreLeft()
    {
        var budget = new MemoryBudget(100);

        Assert.False(budget.TryTake(61, keepBytes: 40));
        Assert.True(budget.TryTake(60, keepBytes: 40));
        Assert.True(budget.TryTake(40, keepBytes: 0));
    }

    /// <summary>Between the question how much to leave and the taking, the cleaner's reserve may have been handed to writers.</summary>
    [Fact]
    public void WhatTheReserveCameToNeedMeanwhileIsLeft()
    {
        var budget = new MemoryBudget(100);
        int asked = 0;
        budget.ReserveBytes = () => asked++ == 0 ? 0 : 40;

        Assert.False(budget.TryTakeBesideReserve(61));
        Assert.Equal(0, budget.UsedBytes);
        Assert.True(budget.TryTakeBesideReserve(60));
        Assert.False(budget.TryTakeBesideReserve(1));
        Assert.Equal(60, budget.UsedBytes);
    }

    [Fact]
    public void ALimitBelowUseStopsGrowthAndFreeIsNeverNegative()
    {
        var budget = new MemoryBudget(100);
        Assert.True(budget.TryTake(80));

        budget.LimitBytes = 50;

        Assert.Equal(0, budget.FreeBytes);
        Assert.False(budget.TryTake(1));
        budget.GiveBack(40);
        Assert.True(budget.TryTake(10));
        budget.LimitBytes = 60;
        Assert.True(budget.TryTake(10));
        Assert.Equal(80, budget.PeakBytes);
    }

    [Fact]
    public void FourThreadsTakingAndGivingNeverPassTheLimit()
    {
        var budget = new MemoryBudget(1000);
        var threads = new OwnThread[4];
        for (int index = 0; index < threads.Length; index++)
        {
            int seed = index;
            threads[index] = OwnThread.Start(() => TakeAndGive(budget, new Random(seed)));
        }

        foreach (OwnThread thread in threads)
        {
            thread.Join();
        }

        Assert.Equal(0, budget.UsedBytes);
        Assert.InRange(budget.PeakBytes, 1, 1000);
    }

    private static void TakeAndGive(MemoryBudget budget, Random random)
    {
        for (int step = 0; step < 20_000; step++)
        {
            int bytes = random.Next(1, 700);
            if (budget.TryTake(bytes))
            {
                Assert.InRange(budget.UsedBytes, bytes, 1000);
                budget.GiveBack(bytes);
            }
        }
    }
}
