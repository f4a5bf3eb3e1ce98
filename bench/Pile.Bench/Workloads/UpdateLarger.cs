using System;
using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Update to a payload half as large again, against Update to the same size.</summary>
internal sealed class UpdateLarger : IWorkload
{
    private const int Slices = 16;
    private const int PerRound = 4;
    private readonly int _slice;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly PilePointer[] _shuffled;
    private readonly byte[] _same = Data.Payload();
    private readonly byte[] _larger = Data.Payload(Data.PayloadBytes * 3 / 2);
    private int _next;

    internal UpdateLarger(BenchSettings settings)
    {
        _slice = settings.Objects / Slices;
        _shuffled = Data.Shuffled(Data.Fill(_pile, settings.Objects), Data.Order(settings.Objects));
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("Update to 1.5 times the size vs same size", "larger", "same", must: 1.3, reach: 1.1,
            "random objects of 100 B to 150 B, a sixteenth of the pile at a time, brought back to 100 B untimed. Theirs: 100 B to 100 B. Cleaning included in both."),
    ];

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Create();
        PilePointer[] pointers = Data.Fill(small, Passes.ChunkOperations);
        Passes.Warm(_slice, (_, count) => Loops.Update(small, _larger, pointers.AsSpan(0, count)));
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        Spent same = default;
        Spent larger = default;
        for (int turn = 0; turn < PerRound; turn++)
        {
            bool sameFirst = (turn & 1) == 0;
            same += sameFirst ? Run(Next(), _same) : default;
            int slice = Next();
            larger += Run(slice, _larger);
            _ = Run(slice, _same);
            same += sameFirst ? default : Run(Next(), _same);
        }

        samples.Keep("same", same / (PerRound * _slice));
        samples.Keep("larger", larger / (PerRound * _slice));
    }

    public void Dispose() => _pile.Dispose();

    private int Next() => _next++ % Slices * _slice;

    private Spent Run(int first, byte[] payload) =>
        Passes.Run(first, _slice, (from, count) => Loops.Update(_pile, payload, _shuffled.AsSpan(from, count)));
}
