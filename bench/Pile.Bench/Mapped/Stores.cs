using System;
using System.Collections.Generic;
using System.IO;
using Pile.Bench.Baselines;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Put into a ProcessSafe pile against a bare loop that stores the same bytes into a mapped file of their size: into new files
/// each round, and again into the same ones.</summary>
internal sealed class Stores : IWorkload
{
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly bool _isOnDisk;
    private readonly byte[] _payload = Data.Payload();
    private readonly PilePointer[] _pointers = new PilePointer[Passes.ChunkOperations];
    private int _round;

    internal Stores(BenchSettings settings, bool isOnDisk)
    {
        _settings = settings;
        _isOnDisk = isOnDisk;
        _place = isOnDisk ? Workplace.OnDisk(settings, "stores") : Workplace.InMemory("stores");
        string where = isOnDisk ? "on disk, writeback running" : "on tmpfs";
        string how = isOnDisk ? " A thread has the files of either side written all the time." : "";
        (double must, double reach) = isOnDisk ? (0.7, 0.9) : (0.5, 0.8);
        Rows =
        [
            Row.Faster($"ProcessSafe Put vs bare stores, {where}, new files", "put", "stores", must, reach,
                $"{settings.Objects:N0} objects of 100 B into a pile just created, with PreallocationBytes for them. Theirs: Span.CopyTo of the same bytes, one after the other, into a new file of their size, its space set aside and mapped before.{how}"),
            Row.Faster($"the same, {where}, the pile growing meanwhile", "put growing", "stores", must: null, reach: null,
                $"into a pile just created, without PreallocationBytes. Theirs: the same loop, preallocated.{how}"),
            Row.Faster($"the same, {where}, once more", "put again", "stores again", must, reach,
                $"after Clear, into the space of before. Theirs: the same loop over the same mapping.{how}"),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Open(_place.Of("small"), new PileOptions { Promise = PilePromise.ProcessSafe });
        using MappedFile file = MappedFile.Preallocated(_place.Of("small.bare"), (long)Passes.ChunkOperations * _payload.Length);
        Passes.Warm(
            Passes.ChunkOperations,
            (_, count) => Loops.Put(small, _payload, _pointers.AsSpan(0, count)),
            (first, count) => RingCopy.Run(_payload, file, first, count));
    }

    public void Round(Samples samples)
    {
        if ((_round++ & 1) == 0)
        {
            OursGrowing(samples);
            Ours(samples);
            Theirs(samples);
        }
        else
        {
            Theirs(samples);
            Ours(samples);
            OursGrowing(samples);
        }
    }

    public void Dispose() => _place.Dispose();

    private void Ours(Samples samples) => InPile(Data.SegmentBytesFor(_settings.Objects, isInFiles: true), put =>
    {
        samples.Keep("put", Passes.Time(_settings.Objects, put.Chunk));
        put.Pile.Clear();
        samples.Keep("put again", Passes.Time(_settings.Objects, put.Chunk));
    });

    private void OursGrowing(Samples samples) => InPile(0, put => samples.Keep("put growing", Passes.Time(_settings.Objects, put.Chunk)));

    private void InPile(long preallocationBytes, Action<(ObjectPile Pile, Chunk Chunk)> run)
    {
        string directory = _place.Of("pile");
        Workplace.Settle();
        Workplace.TakeMemory();
        using (ObjectPile pile = ObjectPile.Open(directory, new PileOptions { Promise = PilePromise.ProcessSafe, PreallocationBytes = preallocationBytes }))
        using (Writeback(Path.Combine(directory, "extents")))
        {
            run((pile, (_, count) => Loops.Put(pile, _payload, _pointers.AsSpan(0, count))));
        }

        Directory.Delete(directory, recursive: true);
    }

    private void Theirs(Samples samples)
    {
        string folder = _place.Of("bare");
        _ = Directory.CreateDirectory(folder);
        using (MappedFile file = MappedFile.Preallocated(Path.Combine(folder, "stores"), (long)_settings.Objects * _payload.Length))
        {
            Workplace.Settle();
            Workplace.TakeMemory();
            using (Writeback(folder))
            {
                Chunk store = (first, count) => RingCopy.Run(_payload, file, first, count);
                samples.Keep("stores", Passes.Time(_settings.Objects, store));
                samples.Keep("stores again", Passes.Time(_settings.Objects, store));
            }
        }

        Directory.Delete(folder, recursive: true);
    }

    private Writeback? Writeback(string folder) => _isOnDisk ? new Writeback(folder) : null;
}
