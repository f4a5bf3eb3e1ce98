using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A cache whose coming to a pile in use fails, early or late: nobody was led to it, nothing is taken back that others build upon, and the next one has all
/// that it would have had.</summary>
public sealed class FailedComingTests
{
    private const int Keys = 6000;
    private const int KeptOf = 3;

    /// <summary>The device has no room for the index from one call after the other on. Another thread cleans, in the midst of that call and after it.</summary>
    [Fact]
    public void NeitherCleanerNorKeeperIsLedToACacheThatDoesNotCome()
    {
        using SimulatedFiles files = Make();
        int failures = 0;
        bool isOver = false;
        for (int call = 1; !isOver; call++)
        {
            using SimulatedFiles tried = files.Fork();
            using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(tried));
            pile.Commit();
            var thread = new Thread(() => Clean(pile));
            bool wasSeen = false;
            int calls = 0;
            tried.AtCall = what =>
            {
                if (!what.StartsWith("fallocate /cache/index.", StringComparison.Ordinal) || ++calls < call)
                {
                    return;
                }

                if (calls == call)
                {
                    wasSeen = pile.Core.Keyed is not null;
                    thread.Start();
                    _ = SpinWait.SpinUntil(() => !thread.IsAlive || (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, TimeSpan.FromMinutes(1));
                }

                throw new FileCallException("call", what, "the test wants it so", FileFailure.NoSpace);
            };
            Exception? failure = Record.Exception(() => PileCache.Share(pile).Dispose());
            tried.AtCall = null;
            isOver = calls < call;
            if (isOver)
            {
                continue;
            }

            thread.Join();
            if (failure is null || pile.Core.Keyed is not null)
            {
                // It came, or had come before it failed, and is the next one's.
                continue;
            }

            failures++;
            Assert.False(wasSeen, $"call {call}");
            Assert.True(tried.Exists($"{MappedCache.Directory}/{StoreNames.CacheFacts}"), $"call {call}: what the close had noted is gone");
            Clean(pile);
            Assert.DoesNotContain(pile.ListSegments(), static segment => segment.State == PileSegmentState.Quarantined);
            Assert.Empty(pile.Verify().Findings);
            using PileCache cache = PileCache.Share(pile);
            PileTable<int, byte[]> speculative = cache.GetOrCreateTable<int, byte[]>("speculative");
            PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable");
            Assert.Equal(Enumerable.Range(0, Keys).Where(static key => key % KeptOf == 0), Enumerable.Range(0, Keys).Where(speculative.ContainsKey));
            Assert.All(Enumerable.Range(0, Keys), key => Assert.True(durable.ContainsKey(key)));
            Assert.All(cache.Recovery, static table => Assert.True(table.IsKept));
            Clean(pile);
            Assert.DoesNotContain(pile.ListSegments(), static segment => segment.State == PileSegmentState.Quarantined);
            Assert.Empty(pile.Verify().Findings);
        }

        Assert.True(failures > 3, $"{failures}");
    }

    /// <summary>What the pile could clean is room for the indexes too, also where nothing but cleaning gives any.</summary>
    [Fact]
    public void ACacheThatComesToAFullPileMakesRoomAsWhoStoresDoes()
    {
        using SimulatedFiles files = Make();
        using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files) with { BackgroundCleaning = false });
        pile.MemoryLimitBytes = pile.GetStatistics().UsedBytes + (4 << 20);
        List<PilePointer> pointers = [];
        while (pile.TryPutBytes(new byte[1000], out PilePointer pointer) == PileStatus.Ok)
        {
            pointers.Add(pointer);
        }

        Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        pile.Commit();
        using PileCache cache = PileCache.Share(pile);
        Assert.Equal(Keys, cache.GetOrCreateTable<int, byte[]>("durable").Count);
        Assert.Equal(Keys / KeptOf, cache.GetOrCreateTable<int, byte[]>("speculative").Count);
        Assert.Empty(pile.Verify().Findings);
    }

    /// <summary>A cache that fails with all but its last step done: its counts of shared objects have taken room by then.</summary>
    [Fact]
    public void WhatACacheThatDidNotComeTookOfTheLimitIsGivenBack()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, byte[]> table = first.Cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            PilePointer shared = first.Cache.Pile.Put(new byte[8]);
            Assert.True(table.SetPointer(1, shared).IsStored);
            Assert.True(table.SetPointer(2, shared).IsStored);
        }

        using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files) with { BackgroundCleaning = false });
        long before = pile.GetStatistics().UsedBytes;
        int failures = 0;
        files.AtCall = what =>
        {
            if (what.StartsWith($"unlink {MappedCache.Directory}/{StoreNames.CacheFacts}", StringComparison.Ordinal))
            {
                failures++;
                throw new FileCallException("unlink", what, "the test wants it so", FileFailure.Other);
            }
        };
        for (int attempt = 1; attempt <= 3; attempt++)
        {
            Assert.NotNull(Record.Exception(() => PileCache.Share(pile).Dispose()));
            Assert.Equal((attempt, before), (failures, pile.GetStatistics().UsedBytes));
        }

        files.AtCall = null;
        Assert.Empty(pile.Verify().Findings);
        using PileCache cache = PileCache.Share(pile);
        Assert.Equal(2, cache.GetOrCreateTable<int, byte[]>("durable").Count);
    }

    /// <summary>A closed cache of two tables, of which one is to be built anew: its index is gone.</summary>
    /// <summary>The pile is disposed in the midst of a cache's coming: its memory stays until the coming has ended, one way or the other.</summary>
    [Fact]
    public void TheEndOfAPileWaitsForACacheThatComes()
    {
        using SimulatedFiles files = Make();
        int waited = 0;
        bool isOver = false;
        for (int call = 1; !isOver; call += 3)
        {
            using SimulatedFiles tried = files.Fork();
            var pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(tried));
            var thread = new Thread(pile.Dispose);
            int calls = 0;
            bool wasWaiting = false;
            tried.AtCall = what =>
            {
                if (++calls == call)
                {
                    thread.Start();
                    _ = SpinWait.SpinUntil(() => pile.Core.IsDisposed, TimeSpan.FromMinutes(1));
                    wasWaiting = !thread.Join(5);
                }
            };
            Exception? failure = Record.Exception(() => PileCache.Share(pile).Dispose());
            tried.AtCall = null;
            isOver = calls < call;
            if (isOver)
            {
                pile.Dispose();
                continue;
            }

            thread.Join();
            waited += wasWaiting ? 1 : 0;
            Assert.True(failure is null or ObjectDisposedException, $"call {call}: {failure}");
            using var again = new MappedCache(tried);
            PileTable<int, byte[]> durable = again.Cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            Assert.All(Enumerable.Range(0, Keys), key => Assert.Equal(new byte[20], durable.TryGet(key, out byte[]? value) ? value : null));
        }

        Assert.True(waited > 3, $"{waited} ends waited");
    }

    [Fact]
    public void NoCacheComesToAPileThatHasEnded()
    {
        using SimulatedFiles files = Make();
        var pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files));
        pile.Dispose();
        int calls = files.Calls;

        _ = Assert.Throws<ObjectDisposedException>(() => PileCache.Share(pile));

        Assert.Equal(calls, files.Calls);
    }

    private static SimulatedFiles Make()
    {
        var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, byte[]> speculative = first.Cache.GetOrCreateTable<int, byte[]>("speculative");
            PileTable<int, byte[]> durable = first.Cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(speculative.Set(key, new byte[60]).IsStored);
                Assert.True(durable.Set(key, new byte[20]).IsStored);
            }

            Assert.All(Enumerable.Range(0, Keys).Where(static key => key % KeptOf != 0), key => Assert.True(speculative.Remove(key)));
        }

        files.Delete(files.List(MappedCache.Directory).Where(static name => StoreNames.IsIndex(name, out _)).Order(StringComparer.Ordinal).Select(static name => $"{MappedCache.Directory}/{name}").ElementAt(1));
        return files;
    }

    private static void Clean(ObjectPile pile)
    {
        _ = pile.Compact(1.05, CancellationToken.None);
        pile.Commit();
    }
}
