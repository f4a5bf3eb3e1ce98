using System;
using System.Collections.Generic;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>How Put scales from one thread to two, against how a bare copy loop scales in the same run.</summary>
internal sealed class ScaleWrites(BenchSettings settings) : IWorkload
{
    private const int Slices = 8;
    private readonly int _share = settings.Objects / Slices / (Crew.Workers + 1);
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly NativeBlock _ring = new NativeBlock((long)settings.Objects * Data.PayloadBytes).Touched();
    private readonly byte[][] _payloads = [Data.Payload(), Data.Payload()];
    private readonly PilePointer[][] _pointers = [new PilePointer[Passes.ChunkOperations], new PilePointer[Passes.ChunkOperations]];
    private readonly Crew _crew = new();

    public IReadOnlyList<Row> Rows { get; } =
    [
        new(
            "1 to 2 threads, writes: scaling vs that of the ring copy",
            "Put of 100 B into recycled memory, by one thread and by two with a share each; scaling is throughput of two over one. "
            + "Theirs: the scaling of the ring copy, the four loops in turn over slices.",
            samples => 2 * samples["put-1"] / samples["put-2"],
            samples => 2 * samples["ring-1"] / samples["ring-2"])
        { Must = 0.80, Reach = 0.90, AtMost = false, Unit = "x" },
    ];

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Create();
        Passes.Warm(
            _share,
            (_, count) =>
            {
                small.Clear();
                return Loops.Put(small, _payloads[0], _pointers[0].AsSpan(0, count));
            },
            (first, count) => RingCopy.Run(_payloads[0], _ring, first, count));
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        var spent = new Spent[4];
        _pile.Clear();
        int ring = 0;
        for (int slice = 0; slice < Slices; slice++)
        {
            for (int turn = 0; turn < spent.Length; turn++)
            {
                int which = (slice + turn) % spent.Length;
                int workers = 1 + (which >> 1);
                bool isPut = (which & 1) == 0;
                int start = ring;
                spent[which] += _crew.Run(workers, worker => Passes.Run(
                    start + (worker * _share),
                    _share,
                    (first, count) => isPut
                        ? Loops.Put(_pile, _payloads[worker], _pointers[worker].AsSpan(0, count))
                        : RingCopy.Run(_payloads[worker], _ring, first, count)));
                ring += isPut ? 0 : workers * _share;
            }
        }

        string[] names = ["put-1", "ring-1", "put-2", "ring-2"];
        for (int which = 0; which < names.Length; which++)
        {
            samples.Keep(names[which], spent[which] / ((double)Slices * _share));
        }
    }

    public void Dispose()
    {
        _crew.Dispose();
        _pile.Dispose();
        _ring.Dispose();
    }
}
