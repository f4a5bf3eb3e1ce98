using System.Threading;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>A budget that many take from at once.</summary>
public sealed class ByteBudgetTests
{
    [Fact]
    public void WhatFitsIsTakenWhileSomethingElseIsRefused()
    {
        var budget = new ReplyBudget(1_000);
        bool isOver = false;
        bool isTaken = false;
        var other = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                isTaken |= budget.TryTake(1_001);
            }
        });
        other.Start();
        int refused = 0;
        for (int tries = 0; tries < 10_000_000; tries++)
        {
            // Nothing at all, which is what the reply to a write counts for, and all there is.
            int bytes = tries % 2 * 1_000;
            if (budget.TryTake(bytes))
            {
                budget.Give(bytes);
            }
            else
            {
                refused++;
            }
        }

        Volatile.Write(ref isOver, true);
        other.Join();
        Assert.Equal((0, false, 0L), (refused, isTaken, budget.TakenBytes));
    }
}
