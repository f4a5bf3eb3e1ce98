using System;
using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Put when the free slots are what random deletes left, against Put into slots in order.</summary>
internal sealed class PutAfterDeletes(BenchSettings settings) : IWorkload
{
    private const string Theirs = "Theirs: Put after Clear, slots in order, memory recycled. Both keep all pointers.";
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly byte[] _payload = Data.Payload();
    private readonly int[] _order = Data.Order(settings.Objects);
    private readonly PilePointer[] _pointers = new PilePointer[settings.Objects];
    private PilePointer[] _shuffled = [];

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("Put after random deletes (all) vs fresh slots", "put-after-all", "put", must: 3, reach: 2,
            $"all objects are deleted in random order, then as many put. {Theirs}"),
        Row.Slower("Put after random deletes (half) vs fresh slots", "put-after-half", "put", must: 3, reach: 2,
            $"a random half is deleted, then as many put: the memory comes from cleaning. {Theirs}"),
        Row.Slower("Delete of a random object vs Put", "delete", "put", must: null, reach: null, $"for scale. {Theirs}"),
    ];

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Create();
        Passes.Warm(settings.Objects, (_, count) =>
        {
            small.Clear();
            Loops.Put(small, _payload, _pointers.AsSpan(0, count));
            return Loops.Delete(small, _pointers.AsSpan(0, count));
        });
        _ = Put(0, settings.Objects);
    }

    public void Round(Samples samples)
    {
        int half = settings.Objects / 2;
        _pile.Clear();
        samples.Keep("put", Put(0, settings.Objects));
        _shuffled = Data.Shuffled(_pointers, _order);
        samples.Keep("delete-half", Delete(0, half));
        for (int index = half; index < _shuffled.Length; index++)
        {
            _pointers[index] = _shuffled[index];
        }

        samples.Keep("put-after-half", Put(0, half));
        _shuffled = Data.Shuffled(_pointers, _order);
        samples.Keep("delete", Delete(0, settings.Objects));
        samples.Keep("put-after-all", Put(0, settings.Objects));
    }

    public void Dispose() => _pile.Dispose();

    private Spent Put(int from, int operations) => Passes.Time(
        operations, (first, count) => Loops.Put(_pile, _payload, _pointers.AsSpan(from + first, count)));

    private Spent Delete(int from, int operations) => Passes.Time(
        operations, (first, count) => Loops.Delete(_pile, _shuffled.AsSpan(from + first, count)));
}
