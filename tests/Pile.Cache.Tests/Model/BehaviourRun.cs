// GetOrAdd and removal by tag under threads and across a kill, with the promises checked from outside: one factory call per key, nothing
// shown that was removed, nothing removed coming back.
// For the test suite and for the planted faults alike.
using System;
using System.Threading;
using Pile.Cache.Files;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <summary>The behaviours.</summary>
internal static class BehaviourRun
{
    private const int Threads = 4;

    private static readonly PileEntryOptions _red = new() { Tags = ["red"] };

    /// <summary>One run of each.</summary>
    internal static void Run(int seed)
    {
        CallOnce(keys: 50);
        RemoveWhileMade();
        LoseARemoval(seed);
    }

    private static void CallOnce(int keys)
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        int[] calls = new int[keys];
        using var together = new Barrier(Threads);
        var threads = new Thread[Threads];
        for (int thread = 0; thread < Threads; thread++)
        {
            threads[thread] = new Thread(() =>
            {
                for (int key = 0; key < keys; key++)
                {
                    together.SignalAndWait();
                    _ = table.GetOrAdd(key, calls, static (key, calls) =>
                    {
                        // Time for others to come.
                        Thread.SpinWait(20_000);
                        return Interlocked.Increment(ref calls[key]);
                    });
                }
            });
            threads[thread].Start();
        }

        Array.ForEach(threads, static thread => thread.Join());
        for (int key = 0; key < keys; key++)
        {
            ModelMismatchException.Unless(calls[key] == 1, "called twice", $"the factory of key {key} was called {calls[key]} times");
        }
    }

    private static void RemoveWhileMade()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        _ = table.GetOrAdd(1, table, static (_, table) =>
        {
            table.RemoveByTag("red");
            return 1;
        }, new PileFactoryOptions { Entry = _red });
        ModelMismatchException.Unless(!table.ContainsKey(1), "removed shown", "an entry whose making began before the removal of its tag is shown after it");
    }

    private static void LoseARemoval(int seed)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int> table = first.Table<int, int>();
        int removals = 2 + (seed % 5);
        for (int tag = 0; tag < removals; tag++)
        {
            table.Set(tag, tag, new PileEntryOptions { Tags = [$"tag {tag}"] });
            table.RemoveByTag($"tag {tag}");
        }

        table.Set(100, 100);

        // As if a split had had one of them in its hands.
        PileTable<UInt128, UInt128> kept = first.Cache.OwnTable<UInt128, UInt128>(TagTable.Name, null);
        foreach (System.Collections.Generic.KeyValuePair<UInt128, UInt128> item in kept.Enumerate())
        {
            if (item.Key != UInt128.MaxValue)
            {
                kept.Remove(item.Key);
                break;
            }
        }

        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        PileTable<int, int> again = second.Table<int, int>();
        for (int tag = 0; tag < removals; tag++)
        {
            ModelMismatchException.Unless(!again.ContainsKey(tag), "removed came back", $"key {tag} is shown again after an open");
        }

        ModelMismatchException.Unless(again.ContainsKey(100), "lost", "an entry without a tag went with those that have one");
    }
}
