using System;
using System.Collections.Generic;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>How reads scale from one thread to two, against how the bare array of pointers scales in the same run.</summary>
internal sealed class ScaleReads : IWorkload
{
    private const int Slices = 16;
    private readonly int _share;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly int[] _order;
    private readonly PilePointer[] _shuffled;
    private readonly PointerArray _array;
    private readonly Crew _crew = new();

    internal ScaleReads(BenchSettings settings)
    {
        _share = settings.Objects / Slices / Crew.Workers;
        _order = Data.Order(settings.Objects);
        PilePointer[] pointers = Data.Fill(_pile, settings.Objects);
        _shuffled = Data.Shuffled(pointers, _order);
        _array = new PointerArray(_pile, pointers, hugePages: false);
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        new(
            "1 to 2 threads, reads: scaling vs that of the array",
            "random leases, as in the row of the random lease, by one thread and by two with a share each; scaling is throughput of two over one. "
            + "Theirs: the scaling of the array of pointers, the four loops in turn over slices.",
            samples => 2 * samples["lease-1"] / samples["lease-2"],
            samples => 2 * samples["array-1"] / samples["array-2"])
        { Must = 0.92, Reach = 0.97, AtMost = false, Unit = "x" },
    ];

    public void Prepare()
    {
        Passes.Warm(_share, Lease, Array);
        _ = _crew.Run(Crew.Workers, worker => Lease(worker * _share, _share));
    }

    public void Round(Samples samples)
    {
        var spent = new Spent[4];
        for (int slice = 0; slice < Slices; slice++)
        {
            for (int turn = 0; turn < spent.Length; turn++)
            {
                int which = (slice + turn) % spent.Length;
                int first = (slice + (5 * which)) % Slices * Crew.Workers * _share;
                Chunk chunk = (which & 1) == 0 ? Lease : Array;
                spent[which] += _crew.Run(1 + (which >> 1), worker => Passes.Run(first + (worker * _share), _share, chunk));
            }
        }

        string[] names = ["lease-1", "array-1", "lease-2", "array-2"];
        for (int which = 0; which < names.Length; which++)
        {
            samples.Keep(names[which], spent[which] / ((double)Slices * _share));
        }
    }

    public void Dispose()
    {
        _crew.Dispose();
        _pile.Dispose();
        _array.Dispose();
    }

    private long Lease(int first, int count) => Loops.LeaseEnds(_pile, _shuffled.AsSpan(first, count));

    private long Array(int first, int count) => _array.TouchEnds(_order, first, count);
}
