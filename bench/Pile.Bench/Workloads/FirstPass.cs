using System;
using System.Collections.Generic;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>The first fill of a new pile, against what the system asks for the memory plus a fill of memory used before.</summary>
internal sealed class FirstPass(BenchSettings settings) : IWorkload
{
    private const int PageBytes = 4096;
    private readonly byte[] _payload = Data.Payload();
    private readonly PilePointer[] _pointers = new PilePointer[Passes.ChunkOperations];

    public IReadOnlyList<Row> Rows { get; } =
    [
        new(
            "first pass over fresh memory vs (first touch + recycled pass)",
            "Put into a pile just created. Theirs: a store to each 4 KiB of objects x payload bytes fresh from the system, in pages as the "
            + "C library gives them, plus Put into the same pile after Clear.",
            samples => samples["fresh"],
            samples => samples["touch"] + samples["recycled"])
        { Must = 1.2, Reach = 0.7 },
        new(
            "the same, first touch in huge pages",
            "as above, with huge pages asked for on their side too.",
            samples => samples["fresh"],
            samples => samples["touch-huge"] + samples["recycled"]),
    ];

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Create();
        using NativeBlock block = new(Passes.ChunkOperations * PageBytes);
        Passes.Warm(
            settings.Objects,
            (_, count) =>
            {
                small.Clear();
                return Put(small, count);
            },
            (first, count) => Touch(block, first, count));
    }

    public void Round(Samples samples)
    {
        using (ObjectPile pile = ObjectPile.Create())
        {
            samples.Keep("fresh", Passes.Time(settings.Objects, (_, count) => Put(pile, count)));
            pile.Clear();
            samples.Keep("recycled", Passes.Time(settings.Objects, (_, count) => Put(pile, count)));
        }

        samples.Keep("touch", FirstTouch(hugePages: false));
        samples.Keep("touch-huge", FirstTouch(hugePages: true));
    }

    public void Dispose()
    {
    }

    private Spent FirstTouch(bool hugePages)
    {
        long bytes = (long)settings.Objects * Data.PayloadBytes;
        using NativeBlock block = new(bytes, hugePages);
        int pages = (int)(bytes / PageBytes);
        return Passes.Time(pages, (first, count) => Touch(block, first, count)) * pages / settings.Objects;
    }

    private static long Touch(NativeBlock block, int first, int count) => block.Touch((long)first * PageBytes, (long)(first + count) * PageBytes);

    private long Put(ObjectPile pile, int count) => Loops.Put(pile, _payload, _pointers.AsSpan(0, count));
}
