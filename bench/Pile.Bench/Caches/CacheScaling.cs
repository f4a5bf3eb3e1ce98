using System;
using System.Collections.Generic;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Caches;

/// <summary>How reads with a tenth of writes scale from one thread to two, against how the same does over blocks in an array.</summary>
internal sealed class CacheScaling : IWorkload
{
    private const int Slices = 16;
    private const int WriteEvery = 10;
    private readonly int _share;
    private readonly PileCache _cache = PileCache.Create();
    private readonly PileTable<long, byte[]> _table;
    private readonly int[] _order;
    private readonly byte[] _blocks;
    private readonly byte[][] _buffers = [Data.Payload(), Data.Payload()];
    private readonly Crew _crew = new();

    internal CacheScaling(BenchSettings settings)
    {
        // The array's blocks are one array of the runtime, which has 2^31 elements at the most.
        int entries = int.Min(settings.Objects, Array.MaxLength / Data.PayloadBytes);
        _share = entries / Slices / Crew.Workers;
        _order = Data.Order(entries);
        _table = _cache.GetOrCreateTable<long, byte[]>("entries");
        for (long key = 0; key < entries; key++)
        {
            Set(key, _buffers[0]);
        }

        _blocks = GC.AllocateUninitializedArray<byte>(entries * Data.PayloadBytes, pinned: true);
        Array.Fill(_blocks, (byte)1);
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        new(
            "cache: 1 to 2 threads, 90 % reads: scaling vs that of an array",
            "random keys, nine copied out and the tenth replaced, by one thread and by two with a share each; scaling is throughput of two over one. "
            + "Theirs: the same over blocks of an array, by number, without any check; the four loops in turn over slices.",
            samples => 2 * samples["cache-1"] / samples["cache-2"],
            samples => 2 * samples["array-1"] / samples["array-2"])
        { Must = 0.90, Reach = 0.97, AtMost = false, Unit = "x" },
    ];

    public void Prepare()
    {
        Passes.Warm(_share, (first, count) => OfCache(0, first, count), (first, count) => OfArray(0, first, count));
        _ = _crew.Run(Crew.Workers, worker => OfCache(worker, worker * _share, _share));
    }

    public void Round(Samples samples)
    {
        var spent = new Spent[4];
        for (int slice = 0; slice < Slices; slice++)
        {
            for (int turn = 0; turn < spent.Length; turn++)
            {
                int which = (slice + turn) % spent.Length;
                int start = (slice + (5 * which)) % Slices * Crew.Workers * _share;
                spent[which] += _crew.Run(1 + (which >> 1), worker => Passes.Run(
                    start + (worker * _share), _share, (which & 1) == 0 ? (first, count) => OfCache(worker, first, count) : (first, count) => OfArray(worker, first, count)));
            }
        }

        string[] names = ["cache-1", "array-1", "cache-2", "array-2"];
        for (int which = 0; which < names.Length; which++)
        {
            samples.Keep(names[which], spent[which] / ((double)Slices * _share));
        }
    }

    public void Dispose()
    {
        _crew.Dispose();
        _cache.Dispose();
    }

    private long OfCache(int worker, int first, int count)
    {
        byte[] buffer = _buffers[worker];
        long sum = 0;
        for (int index = first; index < first + count; index++)
        {
            if (index % WriteEvery == 0)
            {
                Set(_order[index], buffer);
            }
            else if (_table.TryGet(_order[index], buffer.AsSpan(), out int bytes))
            {
                sum += bytes;
            }
            else
            {
                throw new InvalidOperationException($"Key {_order[index]} is gone.");
            }
        }

        return sum;
    }

    private long OfArray(int worker, int first, int count)
    {
        byte[] buffer = _buffers[worker];
        for (int index = first; index < first + count; index++)
        {
            Span<byte> block = _blocks.AsSpan(_order[index] * Data.PayloadBytes, Data.PayloadBytes);
            if (index % WriteEvery == 0)
            {
                buffer.CopyTo(block);
            }
            else
            {
                block.CopyTo(buffer);
            }
        }

        return buffer[0];
    }

    private void Set(long key, byte[] value)
    {
        if (!_table.Set(key, value.AsSpan()).IsStored)
        {
            throw new InvalidOperationException($"Key {key} found no room.");
        }
    }
}
