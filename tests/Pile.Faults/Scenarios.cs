using System;
using System.Collections.Generic;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Primitives;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Durability.Flips;
using Pile.Tests.Model;

namespace Pile.Faults;

/// <summary>The suite's runs, smaller, one after another: what a planted fault has to get past.</summary>
internal static class Scenarios
{
    /// <summary>All scenarios by name, in the order in which they run.</summary>
    internal static IReadOnlyList<(string Name, Action<int> Run)> All { get; } =
    [
        ("litmus", Litmus),
        ("model", round => Model(round, background: false)),
        ("model with keeper", round => Model(round, background: true)),
        ("readers", round => Readers(round, background: true, largestBytes: 1500)),
        ("readers of long objects", round => Readers(round, background: false, largestBytes: 15_000)),
        ("shared", Shared),
        ("flips", Flips),
        ("cuts", Cuts),
        ("failed syncs", FailedSyncs),
        ("cache", Cache),
        ("cache with threads", CacheWithThreads),
        ("cache restarts", round => CacheRestarts(round, PileTableKind.Speculative)),
        ("durable cache restarts", round => CacheRestarts(round, PileTableKind.Durable)),
        ("cache behaviours", BehaviourRun.Run),
        ("cache pointers", CachePointers),
        ("cache uses", static _ => UseRun.Run()),
    ];

    /// <summary>Rounds of the litmus in which both of its threads ran.</summary>
    internal static int LitmusRounds { get; private set; }

    /// <summary>Images that power cuts left, each opened and compared.</summary>
    internal static int CutImages { get; private set; }

    private static void Litmus(int round)
    {
        (int forbidden, int quick) = EpochLitmus.RunWithBarrier(400 + round, 50_000);
        LitmusRounds += quick;
        ModelMismatchException.Unless(forbidden == 0, "litmus", $"a reader inside was taken for gone {forbidden} times");
    }

    private static void Model(int round, bool background)
    {
        using var run = new ModelRun(500 + round, background);
        run.Run(40_000);
        run.Empty();
    }

    private static void Readers(int round, bool background, int largestBytes)
    {
        using var run = new ReadersRun(600 + round, background, largestBytes);
        run.Run(largestBytes > 1500 ? 8_000 : 40_000);
    }

    private static void Flips(int round)
    {
        using var run = new FlipRun(800 + round, FlipEnd.Close);
        run.Run(300);
    }

    private static void Shared(int round)
    {
        using var run = new SharedRun(700 + round, threads: 4, background: true);
        run.Run(30_000);
    }

    private static void Cache(int round)
    {
        OracleRun.Run(PileTableKind.Durable, hasBadHashes: false, 900 + round, steps: 20_000);
        OracleRun.Run(PileTableKind.Speculative, hasBadHashes: false, 900 + round, steps: 20_000);
        OracleRun.Run(PileTableKind.Durable, hasBadHashes: true, 900 + round, steps: 20_000);
    }

    private static void CacheWithThreads(int round) =>
        ThreadsRun.Run(round % 2 == 0 ? PileTableKind.Durable : PileTableKind.Speculative, round % 2 == 0 ? 48 : 3, steps: 20_000);

    private static void CacheRestarts(int round, PileTableKind kind)
    {
        if (kind == PileTableKind.Durable)
        {
            ClearRun.Run();
        }

        Fault.Stopping = RestartRun.AtPoint;
        new RestartRun(1000 + round, kind).Run(sessions: 8, steps: 300);
        Fault.Stopping = null;
    }

    private static void CachePointers(int round)
    {
        for (int seed = 0; seed < 30; seed++)
        {
            PointerCuts.AfterTheLastKey(seed);
            PointerCuts.AfterANewObject(seed);
        }

        Fault.Stopping = static _ => PointerRun.AtPoint();
        new PointerRun(1100 + round).Run(sessions: 8, steps: 100);
        Fault.Stopping = null;
    }

    private static void Cuts(int round)
    {
        Fault.Stopping = CutLife.AtPoint;
        var life = new CutLife(800 + round);
        life.Run(sessions: 6, steps: 60);
        CutImages += life.Images;
        Fault.Stopping = null;
    }

    private static void FailedSyncs(int round)
    {
        int sync = 0;
        while (new SyncFailureRun(1 + round, ++sync).TryRun())
        {
        }
    }
}
