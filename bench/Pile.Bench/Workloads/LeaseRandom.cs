using System;
using System.Collections.Generic;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Reads by random pointer, against bare pointers to the same blocks.</summary>
internal sealed class LeaseRandom : IWorkload
{
    private const string Theirs = "Theirs: an array of N bare pointers to the same blocks, reached at random: order[] is read in order, "
        + "array[order[i]] and the block are the two misses. Both sides touch the first and the last payload byte, at a place known beforehand.";

    private readonly int _count;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly int[] _order;
    private readonly PilePointer[] _pointers;
    private readonly PilePointer[] _shuffled;
    private readonly PointerArray _array;
    private readonly PointerArray _arrayHuge;

    internal LeaseRandom(BenchSettings settings)
    {
        _count = settings.Objects;
        _order = Data.Order(_count);
        _pointers = Data.Fill(_pile, _count);
        _shuffled = Data.Shuffled(_pointers, _order);
        _array = new PointerArray(_pile, _pointers, hugePages: false);
        _arrayHuge = new PointerArray(_pile, _pointers, hugePages: true);
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("lease by random pointer vs array of pointers", "lease", "array", must: 2.2, reach: 1.7,
            $"Lease, touch, Dispose; pointers in random order, read in order from an array of 8 B each. {Theirs} The array is plain memory."),
        Row.Slower("PileReader by random pointer vs array of pointers", "reader", "array", must: null, reach: null,
            $"one BeginRead per 10,000 reads. {Theirs}"),
        Row.Slower("LeaseMany of 16 vs array of pointers", "many", "array", must: null, reach: null,
            $"LeaseMany with a visitor that touches both bytes. {Theirs}"),
        Row.Slower("lease by random pointer vs array in huge pages", "lease", "array-huge", must: null, reach: null,
            $"the same with the array of pointers in huge pages, as the pile's table is. {Theirs}"),
    ];

    public void Prepare()
    {
        Passes.Warm(_count, Lease, Reader, Many, Array, ArrayHuge);
    }

    public void Round(Samples samples) => Passes.Interleave(
        samples,
        _count,
        new("lease", Lease),
        new("array", Array),
        new("reader", Reader),
        new("many", Many),
        new("array-huge", ArrayHuge));

    public void Dispose()
    {
        if (!_array.StillHolds(_pile, _pointers))
        {
            Console.WriteLine("  note: the pile moved objects meanwhile, so the bare pointers went to blocks no longer in use.");
        }

        _pile.Dispose();
        _array.Dispose();
        _arrayHuge.Dispose();
    }

    private long Lease(int first, int count) => Loops.LeaseEnds(_pile, _shuffled.AsSpan(first, count));

    private long Reader(int first, int count) => Loops.ReadEnds(_pile, _shuffled.AsSpan(first, count));

    private long Many(int first, int count) => Loops.LeaseManyEnds(_pile, _shuffled.AsSpan(first, count));

    private long Array(int first, int count) => _array.TouchEnds(_order, first, count);

    private long ArrayHuge(int first, int count) => _arrayHuge.TouchEnds(_order, first, count);
}
