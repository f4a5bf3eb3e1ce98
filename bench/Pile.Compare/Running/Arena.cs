using System;
using Pile.Bench.Running;
using Pile.Compare.Contestants;
using Pile.Compare.Workloads;
using Pile.Soak;

namespace Pile.Compare.Running;

/// <summary>A contestant with its handles and orders, and the clock. The orders come from seeds: every process has the same.</summary>
internal sealed class Arena<TOperations> : IDisposable
    where TOperations : struct, IOperations
{
    private const int ChunkMax = 10_000;
    private const int ChunksMin = 64;
    private const int OrderSeed = 2;
    private readonly IContestant<TOperations> _contestant;
    private readonly TOperations[] _operations = new TOperations[Crew.Workers];
    private readonly byte[][] _payloads = [Loops.Payload(), Loops.Payload()];
    private readonly byte[][] _targets = [Loops.Payload(), Loops.Payload()];
    private readonly Crew _crew = new();
    private long _sink;

    internal Arena(IContestant<TOperations> contestant, int objects, int randomOperations)
    {
        _contestant = contestant;
        Objects = objects;
        RandomOperations = int.Min(randomOperations, objects);
        Handles = new long[objects];
        Shuffled = new long[objects];
        Numbers = new int[objects];
        for (int index = 0; index < objects; index++)
        {
            Numbers[index] = index;
        }

        Order = [.. Numbers];
        new Random(OrderSeed).Shuffle(Order);
        BeginAll();
    }

    internal int Objects { get; }

    /// <summary>Operations of a round of a random workload.</summary>
    internal int RandomOperations { get; }

    /// <summary>Handles by number.</summary>
    internal long[] Handles { get; }

    /// <summary>All numbers, in order.</summary>
    internal int[] Numbers { get; }

    /// <summary>All numbers, in random order.</summary>
    internal int[] Order { get; }

    /// <summary>Handles in the order of <see cref="Order"/>.</summary>
    internal long[] Shuffled { get; }

    /// <summary>A worker's operations.</summary>
    internal TOperations Of(int worker) => _operations[worker];

    /// <summary>A worker's payload to write from.</summary>
    internal byte[] PayloadOf(int worker) => _payloads[worker];

    /// <summary>A worker's buffer to copy to.</summary>
    internal byte[] TargetOf(int worker) => _targets[worker];

    /// <summary>Empties the contestant, and lets the collector do what it will, before the clock runs.</summary>
    internal void Clear()
    {
        _contestant.Clear();
        BeginAll();
        GC.Collect();
    }

    /// <summary>Makes <see cref="Shuffled"/> of <see cref="Handles"/>.</summary>
    internal void Shuffle()
    {
        for (int at = 0; at < Order.Length; at++)
        {
            Shuffled[at] = Handles[Order[at]];
        }
    }

    /// <summary>Runs a loop by one or two workers, in chunks, on the clock.</summary>
    /// <param name="workers">1 or 2.</param>
    /// <param name="operations">Operations of each worker.</param>
    /// <param name="chunk">Worker, first operation, how many; gives a sum, so that nothing is optimised away.</param>
    internal Measured Measure(int workers, int operations, Func<int, int, int, long> chunk)
    {
        int chunkOperations = int.Clamp(operations / ChunksMin, 1, ChunkMax);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        TimeSpan paused = GC.GetTotalPauseDuration();
        int collections = GC.CollectionCount(0);
        Spent spent = _crew.Run(workers, worker =>
        {
            long sum = 0;
            for (int first = 0; first < operations; first += chunkOperations)
            {
                sum += chunk(worker, first, int.Min(chunkOperations, operations - first));
            }

            _sink = sum;
        });
        long all = (long)workers * operations;
        return new Measured
        {
            WallNs = spent.WallNs / all,
            CpuNs = spent.CpuNs / all,
            AllocatedBytes = (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)all,
            PauseMs = (GC.GetTotalPauseDuration() - paused).TotalMilliseconds,
            Collections = GC.CollectionCount(0) - collections,
            ResidentBytes = ProcessMemory.ResidentBytes(),
        };
    }

    /// <summary>A number that depends on every byte of every object, or of each <paramref name="step"/>th.</summary>
    internal ulong Digest(int step) => Loops.Digest(Of(0), TargetOf(0), Handles, step);

    public void Dispose()
    {
        _crew.Dispose();
        _contestant.Dispose();
        GC.KeepAlive(_sink);
    }

    private void BeginAll()
    {
        for (int worker = 0; worker < _operations.Length; worker++)
        {
            _operations[worker] = _contestant.Begin();
        }
    }
}
