using System;
using System.Collections.Generic;
using System.IO;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Put and random Update of a ProcessSafe pile on tmpfs against those of a pile in memory.</summary>
internal sealed class FilesOverMemory : IWorkload
{
    private readonly BenchSettings _settings;
    private readonly Workplace _place = Workplace.InMemory("over-memory");
    private readonly byte[] _payload = Data.Payload();
    private readonly int[] _order;
    private int _round;

    internal FilesOverMemory(BenchSettings settings)
    {
        _settings = settings;
        _order = Data.Order(settings.Objects);
        string what = $"{settings.Objects:N0} objects of 100 B";
        Rows =
        [
            Row.Faster("ProcessSafe Put vs a pile in memory, tmpfs", "put", "put, memory", 0.7, 0.9, $"{what} into a pile just created, with PreallocationBytes for them. Theirs: into ObjectPile.Create just called, with the same."),
            Row.Faster("ProcessSafe random Update vs a pile in memory, tmpfs", "update", "update, memory", 0.55, 0.8, $"behind that, each of {what} once, in random order, to the same size; cleaning included. Theirs: the same of the pile in memory."),
            Row.Faster("the same Put, tmpfs, both growing meanwhile", "put growing", "put growing, memory", must: null, reach: null, $"{what}, without PreallocationBytes."),
            Row.Faster("the same Update, tmpfs, both growing meanwhile", "update growing", "update growing, memory", must: null, reach: null, "behind that."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Open(_place.Of("small"), Options);
        using ObjectPile memory = ObjectPile.Create();
        foreach (ObjectPile pile in (ObjectPile[])[small, memory])
        {
            PilePointer[] pointers = new PilePointer[Passes.ChunkOperations];
            Passes.Warm(pointers.Length, (first, count) => Loops.Put(pile, _payload, pointers.AsSpan(first, count)));
            Passes.Warm(pointers.Length, (first, count) => Loops.Update(pile, _payload, pointers.AsSpan(first, count)));
        }
    }

    public void Round(Samples samples)
    {
        bool oursFirst = (_round++ & 1) == 0;
        foreach ((bool isOurs, bool isGrowing) in oursFirst ? [(true, false), (false, false), (true, true), (false, true)] : ((bool, bool)[])[(false, true), (true, true), (false, false), (true, false)])
        {
            string directory = _place.Of("pile");
            long bytes = isGrowing ? 0 : Data.SegmentBytesFor(_settings.Objects, isOurs);
            Workplace.TakeMemory();
            using (ObjectPile pile = isOurs ? ObjectPile.Open(directory, Options with { PreallocationBytes = bytes }) : ObjectPile.Create(new PileOptions { PreallocationBytes = bytes }))
            {
                Run(pile, (isGrowing ? " growing" : "") + (isOurs ? "" : ", memory"), samples);
            }

            if (isOurs)
            {
                Directory.Delete(directory, recursive: true);
            }
        }
    }

    public void Dispose() => _place.Dispose();

    private static PileOptions Options => new() { Promise = PilePromise.ProcessSafe };

    private void Run(ObjectPile pile, string suffix, Samples samples)
    {
        var pointers = new PilePointer[_settings.Objects];
        samples.Keep("put" + suffix, Passes.Time(pointers.Length, (first, count) => Loops.Put(pile, _payload, pointers.AsSpan(first, count))));
        PilePointer[] shuffled = Data.Shuffled(pointers, _order);
        samples.Keep("update" + suffix, Passes.Time(shuffled.Length, (first, count) => Loops.Update(pile, _payload, shuffled.AsSpan(first, count))));
    }
}
