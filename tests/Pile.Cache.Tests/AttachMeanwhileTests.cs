using System;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Calls that exclude all who write, while a cache comes to its pile: it builds indexes then, and is no writer.</summary>
public sealed class AttachMeanwhileTests
{
    private const int Keys = 4000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AClearTakesAllThatWasThere(bool isKilled) => WithAll(isKilled, static pile => pile.Clear(), static (_, cache, table) =>
    {
        Assert.Equal(0, table.Count);
        Assert.DoesNotContain(Enumerable.Range(0, Keys), table.ContainsKey);
        for (int key = 0; key < Keys; key++)
        {
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, new byte[20]).Outcome);
        }

        Assert.Equal(Keys, table.Count);
        Assert.Equal(Keys, cache.Pile.GetStatistics().Objects);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void VerifyFindsNothing(bool isKilled)
    {
        PileVerifyReport? report = null;
        WithAll(isKilled, pile => report = pile.Verify(), (call, _, table) =>
        {
            Assert.True(report!.IsGood, $"{call}: {string.Join("; ", report.Findings)}");
            Assert.Equal(Keys, table.Count);
        });
    }

    /// <summary>Lets another thread call in the midst of each call of the coming cache's files.</summary>
    private static void WithAll(bool isKilled, Action<ObjectPile> other, Action<int, PileCache, PileTable<int, byte[]>> check)
    {
        using var stored = new SimulatedFiles();
        using var first = new MappedCache(stored);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, new byte[20]).IsStored);
        }

        using SimulatedFiles files = isKilled ? stored.Fork() : stored;
        if (!isKilled)
        {
            first.Dispose();
        }

        bool isOver = false;
        for (int call = 1; !isOver; call++)
        {
            using SimulatedFiles tried = files.Fork();
            using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(tried));
            var thread = new Thread(() => other(pile));
            int calls = 0;
            tried.AtCall = what =>
            {
                if (++calls == call)
                {
                    tried.AtCall = null;
                    thread.Start();
                    _ = SpinWait.SpinUntil(() => !thread.IsAlive || (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, TimeSpan.FromMinutes(1));
                }
            };
            using PileCache cache = PileCache.Share(pile);
            tried.AtCall = null;
            isOver = calls < call;
            if (!isOver)
            {
                thread.Join();
                check(call, cache, cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable));
                Assert.Empty(pile.Verify().Findings);
            }
        }
    }
}
