using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>An enumeration step in a large pile, against one in a pile of a tenth.</summary>
internal sealed class EnumerateMany : IWorkload
{
    private const int Tenth = 10;
    private readonly int _count;
    private readonly ObjectPile _large = ObjectPile.Create();
    private readonly ObjectPile _small = ObjectPile.Create();

    internal EnumerateMany(BenchSettings settings)
    {
        _count = settings.Objects;
        _ = Data.Fill(_large, _count);
        _ = Data.Fill(_small, _count / Tenth);
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("enumerate 10 M vs 1 M, per item", "large", "small", must: 1.3, reach: null,
            "foreach over Enumerate, adding up lengths. Theirs: a pile of a tenth of the objects, ten times over."),
    ];

    public void Prepare()
    {
        using ObjectPile pile = ObjectPile.Create();
        _ = Data.Fill(pile, Passes.ChunkOperations);
        Passes.Warm(_count, (_, _) => Walk(pile));
        _ = Walk(_large);
    }

    public void Round(Samples samples)
    {
        samples.Keep("large", Time(_large, 1));
        samples.Keep("small", Time(_small, Tenth));
    }

    public void Dispose()
    {
        _large.Dispose();
        _small.Dispose();
    }

    private static Spent Time(ObjectPile pile, int times)
    {
        long items = 0;
        Spent start = Spent.Now();
        for (int time = 0; time < times; time++)
        {
            items += Walk(pile);
        }

        return (Spent.Now() - start) / items;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Walk(ObjectPile pile)
    {
        long items = 0;
        long bytes = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            bytes += item.PayloadBytes;
            items++;
        }

        return bytes == items * Data.PayloadBytes ? items : throw new InvalidOperationException($"{items} items of {bytes} bytes");
    }
}
