using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Threads that give objects to keys and take them away: no key leads to an object that is gone, and none is left without a key.</summary>
public sealed class PointerRaceTests
{
    private const int Threads = 4;
    private const int Keys = 6;
    private const int Rounds = 6000;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, true)]
    public void AKeyNeverLeadsToAnObjectThatIsGone(PileTableKind kind, bool inFiles)
    {
        using var tiny = new TinyCache(24 << 20, backgroundCleaning: true, inFiles);
        PileTable<int, byte[]>[] tables = [tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind }), tiny.Cache.GetOrCreateTable<int, byte[]>("other")];
        var given = new HashSet<PilePointer>[Threads];
        var failures = new List<string>();
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            try
            {
                given[number] = Use(tiny.Cache.Pile, tables, new Random(number));
            }
            catch (Exception failure)
            {
                lock (failures)
                {
                    failures.Add(failure.ToString());
                }
            }
        }))];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());
        Assert.Empty(failures);
        HashSet<PilePointer> named = [];
        foreach (PileTable<int, byte[]> table in tables)
        {
            for (int key = 0; key < Keys; key++)
            {
                if (table.TryGetPointer(key, out PilePointer pointer))
                {
                    Assert.True(tiny.Cache.Pile.TryGet(pointer, out byte[]? _), $"key {key} leads to {pointer}, which is gone");
                    _ = named.Add(pointer);
                }

                Assert.Equal(table.ContainsKey(key), table.TryGet(key, out byte[]? _));
            }
        }

        AwaitShared(tiny, named.Count);
        Assert.DoesNotContain(given.SelectMany(static pointers => pointers), pointer => !named.Contains(pointer) && tiny.Cache.Pile.TryGet(pointer, out byte[]? _));
        Array.ForEach(tables, static table => table.Clear());
        AwaitShared(tiny, 0);
        Assert.True(SpinWait.SpinUntil(() => tiny.Cache.Pile.GetStatistics().Objects == 0, _patience), $"{tiny.Cache.Pile.GetStatistics().Objects} objects are left");
    }

    // The keeper deletes beside the test: an object counts until its deletion has come to its end.
    private static void AwaitShared(TinyCache tiny, int count)
    {
        bool isReached = SpinWait.SpinUntil(
            () =>
            {
                PointerTests.Settle(tiny);
                tiny.Cache.Core.Shared.DeleteDue();
                return tiny.Cache.Core.Shared.Count == count;
            },
            _patience);
        Assert.True(isReached, $"{tiny.Cache.Core.Shared.Count} objects are shared, {tiny.Cache.Core.Shared.Due} due, {count} expected");
    }

    private static HashSet<PilePointer> Use(ObjectPile pile, PileTable<int, byte[]>[] tables, Random random)
    {
        HashSet<PilePointer> given = [];
        for (int round = 0; round < Rounds; round++)
        {
            PileTable<int, byte[]> table = tables[random.Next(2)];
            int key = random.Next(Keys);
            switch (random.Next(4))
            {
                case 0:
                    PilePointer own = pile.Put(new byte[random.Next(20) == 0 ? 20_000 : 20]);
                    if (!table.SetPointer(key, own).IsStored)
                    {
                        throw new InvalidOperationException("full");
                    }

                    _ = given.Add(own);
                    break;
                case 1:
                    // Another key's object, which may be going at this moment.
                    if (tables[random.Next(2)].TryGetPointer(random.Next(Keys), out PilePointer other))
                    {
                        try
                        {
                            _ = table.SetPointer(key, other);
                        }
                        catch (PileStaleException)
                        {
                            // The last key that led to it went first.
                        }
                    }

                    break;
                case 2:
                    _ = table.Remove(key);
                    break;
                default:
                    _ = table.TryGet(key, out byte[]? _);
                    break;
            }
        }

        return given;
    }
}
