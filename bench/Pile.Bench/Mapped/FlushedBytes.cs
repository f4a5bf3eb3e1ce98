using System.Collections.Generic;
using System.IO;
using Microsoft.Win32.SafeHandles;
using Pile.Bench.Baselines;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Bytes that become durable in time: batches of puts with a Commit each, against a loop that writes as many bytes and syncs.</summary>
internal sealed class FlushedBytes : IWorkload
{
    private const int BatchObjects = 10_000;
    private const int BatchesMax = 64;
    private readonly Workplace _place;
    private readonly int _batches;
    private readonly byte[] _payload = Data.Payload();
    private readonly byte[] _batch;
    private readonly PilePointer[] _pointers = new PilePointer[BatchObjects];
    private int _round;

    internal FlushedBytes(BenchSettings settings)
    {
        _place = Workplace.OnDisk(settings, "flushed");
        _batches = int.Min(BatchesMax, int.Max(2, settings.Objects / BatchObjects));
        _batch = Data.Payload(BatchObjects * Data.PayloadBytes);
        Rows =
        [
            Row.Faster("PowerSafe, payload bytes in time, vs pwrite and fdatasync", "pile", "bare", 0.8, 0.9,
                $"{_batches} batches of {BatchObjects:N0} objects of 100 B, a Commit each, into a pile just created, with PreallocationBytes for them. Theirs: as many pwrites of the batch's payload, one after the other, "
                + "each followed by fdatasync, into a new file whose space is set aside. Both on the same disk. Time for each KiB of payload.") with { Unit = "us" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => Round(new Samples());

    public void Round(Samples samples)
    {
        bool oursFirst = (_round++ & 1) == 0;
        foreach (bool isOurs in oursFirst ? [true, false] : (bool[])[false, true])
        {
            Workplace.Settle();
            Workplace.TakeMemory();
            samples.Keep(isOurs ? "pile" : "bare", (isOurs ? Ours() : Theirs()) / ((double)_batches * _batch.Length * 1000 / 1024));
        }
    }

    public void Dispose() => _place.Dispose();

    private Spent Ours()
    {
        string directory = _place.Of("pile");
        Spent spent;
        using (ObjectPile pile = ObjectPile.Open(directory, new PileOptions { Promise = PilePromise.PowerSafe, PreallocationBytes = Data.SegmentBytesFor(_batches * BatchObjects, isInFiles: true) }))
        {
            pile.Commit();
            Spent start = Spent.Now();
            for (int batch = 0; batch < _batches; batch++)
            {
                _ = Loops.Put(pile, _payload, _pointers);
                pile.Commit();
            }

            spent = Spent.Now() - start;
        }

        Directory.Delete(directory, recursive: true);
        return spent;
    }

    private Spent Theirs()
    {
        string path = _place.Of("bare");
        Spent spent;
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, preallocationSize: (long)_batches * _batch.Length))
        {
            _ = SystemCalls.SyncData(file);
            Spent start = Spent.Now();
            for (int batch = 0; batch < _batches; batch++)
            {
                RandomAccess.Write(file, _batch, (long)batch * _batch.Length);
                if (!SystemCalls.SyncData(file))
                {
                    throw new IOException($"'{path}' can't be synced.");
                }
            }

            spent = Spent.Now() - start;
        }

        File.Delete(path);
        return spent;
    }
}
