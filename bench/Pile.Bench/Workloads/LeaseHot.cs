using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Reads of a few objects that stay in the processor's caches: what a lease costs without its misses.</summary>
internal sealed class LeaseHot : IWorkload
{
    private const int Hot = 1000;
    private readonly int _count;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly int[] _order;
    private readonly PilePointer[] _shuffled;
    private readonly PointerArray _array;

    internal LeaseHot(BenchSettings settings)
    {
        _count = settings.Objects;
        PilePointer[] pointers = Data.Fill(_pile, Hot);
        _array = new PointerArray(_pile, pointers, hugePages: false);

        // Every chunk walks the thousand ten times.
        int[] order = Data.Order(Hot);
        _order = new int[Passes.ChunkOperations];
        for (int index = 0; index < _order.Length; index++)
        {
            _order[index] = order[index % Hot];
        }

        _shuffled = Data.Shuffled([.. _order.Select(index => pointers[index])], Data.Order(_order.Length, seed: 3));
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("hot lease (1,000 objects) vs array of pointers", "lease", "array", must: null, reach: null,
            "the loops of the random lease over 1,000 objects."),
        Row.Slower("hot PileReader (1,000 objects) vs array of pointers", "reader", "array", must: null, reach: null,
            "the same with one BeginRead per 10,000 reads."),
    ];

    public void Prepare() => Passes.Warm(_count, Lease, Reader, Array);

    public void Round(Samples samples) =>
        Passes.Interleave(samples, _count, new("lease", Lease), new("array", Array), new("reader", Reader));

    public void Dispose()
    {
        _pile.Dispose();
        _array.Dispose();
    }

    private long Lease(int first, int count) => Loops.LeaseEnds(_pile, _shuffled.AsSpan(0, count));

    private long Reader(int first, int count) => Loops.ReadEnds(_pile, _shuffled.AsSpan(0, count));

    private long Array(int first, int count) => _array.TouchEnds(_order, 0, count);
}
