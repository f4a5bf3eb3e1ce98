using System;
using System.Threading;

namespace Pile.Bench.Running;

/// <summary>Runs loops in chunks and times them. A chunk is a call, so that the loop reaches the JIT's last tier.</summary>
internal static class Passes
{
    /// <summary>Operations of a chunk.</summary>
    internal const int ChunkOperations = 10_000;

    private const int Slices = 8;
    private const int WarmPauses = 4;
    private const int WarmCalls = 45;
    private const int WarmPauseMs = 220;

    private static long _sink;

    /// <summary>Runs a whole pass; nanoseconds per operation.</summary>
    internal static Spent Time(int operations, Chunk chunk) => Run(0, operations, chunk) / operations;

    /// <summary>Runs contenders over the same operations in slices, each slice a different contender's turn first, and never two
    /// contenders over the same slice one after the other: what one brought into the processor's caches is gone again.</summary>
    internal static void Interleave(Samples samples, int operations, params ReadOnlySpan<Contender> contenders)
    {
        var spent = new Spent[contenders.Length];
        int sliceOperations = operations / Slices;
        for (int slice = 0; slice < Slices; slice++)
        {
            for (int turn = 0; turn < contenders.Length; turn++)
            {
                int contender = (slice + turn) % contenders.Length;
                int part = (slice + (contender * 3)) % Slices;
                spent[contender] += Run(part * sliceOperations, sliceOperations, contenders[contender].Chunk);
            }
        }

        for (int contender = 0; contender < contenders.Length; contender++)
        {
            samples.Keep(contenders[contender].Series, spent[contender] / (Slices * sliceOperations));
        }
    }

    /// <summary>Calls each loop often enough, with pauses for the JIT's background work, that it runs its last tier.</summary>
    internal static void Warm(int operations, params ReadOnlySpan<Chunk> chunks)
    {
        int count = int.Min(operations, ChunkOperations);
        for (int pause = 0; pause < WarmPauses; pause++)
        {
            foreach (Chunk chunk in chunks)
            {
                for (int call = 0; call < WarmCalls; call++)
                {
                    _sink += chunk(0, count);
                }
            }

            Thread.Sleep(WarmPauseMs);
        }
    }

    /// <summary>Runs a part of a pass; nanoseconds in all.</summary>
    internal static Spent Run(int first, int operations, Chunk chunk)
    {
        long sum = 0;
        Spent start = Spent.Now();
        for (int done = 0; done < operations; done += ChunkOperations)
        {
            sum += chunk(first + done, int.Min(ChunkOperations, operations - done));
        }

        Spent spent = Spent.Now() - start;
        Volatile.Write(ref _sink, sum);
        return spent;
    }
}
