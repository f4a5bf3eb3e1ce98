using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Epochs;

namespace Pile.Tests.Model;

/// <summary>Store-load litmus (Dekker) of entering an epoch against ending one. The reader publishes that it is inside, then
/// loads the entry; the reclaimer swings the entry, ends the epoch, and asks whether all have left. Forbidden: the reader,
/// still inside, has seen the old object and the reclaimer was told that everyone is gone.</summary>
internal static class EpochLitmus
{
    /// <summary>So many quick rounds show a missing fence on every machine that we know; with fewer nothing was shown.</summary>
    internal const int ConclusiveRounds = 1_000_000;

    private const int DelayStepsMax = 400;
    private const int QuickSpins = 2000;
    private const int ColdStores = 12;
    private const int LineLongs = 8;

    // Far more than a core's caches hold, so that a store to a random line of it waits for memory.
    private static readonly long[] _cold = NewCold(4 << 20);

    /// <summary>The protocol as it is: the reclaimer pays for the fence.</summary>
    /// <returns>How often the forbidden outcome was seen, 0 is the only good answer; and in how many rounds both threads ran at
    /// the same time, so that it could be: on a loaded machine they take turns, and show nothing.</returns>
    internal static (int Forbidden, int Quick) RunWithBarrier(int seed, int rounds)
    {
        var domain = new EpochDomain(TimeProvider.System);
        try
        {
            return Run(seed, rounds, domain.IdWord, _ => domain.HasPassed(domain.Advance()));
        }
        finally
        {
            domain.ReleaseId();
        }
    }

    /// <summary>A broken copy: the reclaimer fences itself alone and looks at the reader's line, so that nothing orders the
    /// reader's store before its load.</summary>
    internal static (int Forbidden, int Quick) RunWithoutBarrier(int seed, int rounds)
    {
        var domain = new EpochDomain(TimeProvider.System);
        try
        {
            return Run(seed, rounds, domain.IdWord, line =>
            {
                Interlocked.MemoryBarrier();
                return !line.IsInside(line.Word, domain.PileId);
            });
        }
        finally
        {
            domain.ReleaseId();
        }
    }

    private static (int Forbidden, int Quick) Run(int seed, int rounds, long idWord, Func<EpochLine, bool> swungAndAllGone)
    {
        var table = new Table();
        using var crew = new Crew();
        int forbidden = 0;
        int quick = 0;
        EpochLine[]? readersLine = null;
        crew.Add("reader", () =>
        {
            var random = new Random(seed);
            EpochLine line = EpochLine.Current;
            Volatile.Write(ref readersLine, [line]);
            for (int round = 1; round <= rounds && !crew.IsStopping; round++)
            {
                int delay = random.Next(DelayStepsMax);
                WaitFor(ref table.Asked, round, crew);
                _ = Delay(delay);
                HoldStoresBack(random.Next());
                long held = line.Enter(idWord);
                long seen = Volatile.Read(ref table.Entry);

                // Stays inside until the reclaimer has its answer.
                Volatile.Write(ref table.Seen, seen);
                Volatile.Write(ref table.Entered, round);
                WaitFor(ref table.Answered, round, crew);
                line.Leave(held);
                Volatile.Write(ref table.Left, round);
            }
        });
        crew.Add("reclaimer", () =>
        {
            var random = new Random(seed + 1);
            SpinWait.SpinUntil(() => Volatile.Read(ref readersLine) is not null || crew.IsStopping);
            for (int round = 1; round <= rounds && !crew.IsStopping; round++)
            {
                int delay = random.Next(DelayStepsMax);
                Volatile.Write(ref table.Asked, round);
                _ = Delay(delay);
                Volatile.Write(ref table.Entry, round);
                bool allGone = swungAndAllGone(readersLine![0]);
                bool isQuick = WaitFor(ref table.Entered, round, crew);
                forbidden += allGone && Volatile.Read(ref table.Seen) != round ? 1 : 0;
                Volatile.Write(ref table.Answered, round);
                quick += WaitFor(ref table.Left, round, crew) && isQuick ? 1 : 0;
            }
        });
        crew.Run($"litmus, seed {seed}");
        return (forbidden, quick);
    }

    /// <summary>A few cycles a step: the two threads must meet within the time that a store waits in its core.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Delay(int steps)
    {
        int mixed = steps;
        for (int step = 0; step < steps; step++)
        {
            mixed = (mixed * 31) ^ step;
        }

        return mixed;
    }

    /// <summary>Fills the core's store buffer with stores that miss its caches: where stores leave in their order, as on x64, the
    /// next one then waits there for long, and loads pass it meanwhile. Without it the two threads meet too seldom on some machines.</summary>
    private static void HoldStoresBack(int chosen)
    {
        uint at = (uint)chosen;
        for (int store = 0; store < ColdStores; store++)
        {
            at = (at * 1664525) + 1013904223;
            _cold[(at >> 8) % (uint)(_cold.Length / LineLongs) * LineLongs] = chosen;
        }
    }

    /// <summary>Touched already: a page fault would empty the store buffer.</summary>
    private static long[] NewCold(int count)
    {
        long[] cold = new long[count];
        Array.Fill(cold, 1);
        return cold;
    }

    private static bool WaitFor(ref long word, long round, Crew crew)
    {
        int spins = 0;
        for (; Volatile.Read(ref word) != round && !crew.IsStopping; spins++)
        {
            if (spins > QuickSpins)
            {
                _ = Thread.Yield();
            }
        }

        return spins <= QuickSpins;
    }

    /// <summary>Words that the two threads exchange, each on cache lines of its own.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 1024)]
    private sealed class Table
    {
        [FieldOffset(64)]
        internal long Entry;

        [FieldOffset(192)]
        internal long Asked;

        [FieldOffset(320)]
        internal long Entered;

        [FieldOffset(448)]
        internal long Seen;

        [FieldOffset(576)]
        internal long Answered;

        [FieldOffset(704)]
        internal long Left;
    }
}
