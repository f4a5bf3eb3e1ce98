using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>CopyTo of a pile that is being written to, against cp of the files of one that nobody uses; and the Puts meanwhile.</summary>
internal sealed class CopyOverCp : IWorkload
{
    /// <summary>Chunks that are put and deleted before those that count, so that both sides begin in a pile that is written to.</summary>
    private const int SettledChunks = 100;

    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly byte[] _payload = Data.Payload();
    private readonly PilePointer[] _pointers = new PilePointer[Passes.ChunkOperations];
    private ObjectPile? _pile;
    private int _round;

    internal CopyOverCp(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "copy");
        string what = $"{settings.Objects:N0} objects of 100 B, PowerSafe, files in the page cache";
        Rows =
        [
            Row.Faster("CopyTo of a pile in use vs cp of the same files", "copy", "cp", 0.7, 0.9,
                $"{what}, one thread that puts and deletes all the while: time for each MiB of the copy. Theirs: cp -r of the files of such a pile that is closed, and a sync of the target's file system, "
                + "for each MiB of the pile's segments.") with { Unit = "us" },
            Row.Faster("Put and Delete while a copy is made, vs without", "put, copying", "put", 0.7, 0.9,
                "chunks of 10,000 Puts of 100 B and as many Deletes by that thread, as many as came to an end while the copy was made, after 100 such chunks. Theirs: as many without a copy, likewise."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        MappedData.Fill(_place.Of("closed"), _settings.Objects, PilePromise.PowerSafe);
        MappedData.Fill(_place.Of("used"), _settings.Objects, PilePromise.PowerSafe);
        _pile = ObjectPile.Open(_place.Of("used"));
        Passes.Warm(Passes.ChunkOperations, (_, count) => PutAndDelete(count));
    }

    public void Round(Samples samples)
    {
        bool oursFirst = (_round++ & 1) == 0;
        foreach (bool isOurs in oursFirst ? [true, false] : (bool[])[false, true])
        {
            Workplace.Settle();
            if (isOurs)
            {
                Ours(samples);
            }
            else
            {
                Theirs(samples);
            }
        }
    }

    public void Dispose()
    {
        _pile?.Dispose();
        _place.Dispose();
    }

    private void Ours(Samples samples)
    {
        string target = _place.Of("copy");
        bool isDone = false;
        Spent copy = default;
        long bytes = 0;
        var copier = new Thread(() =>
        {
            Spent start = Spent.Now();
            bytes = _pile!.CopyTo(target).Bytes;
            copy = Spent.Now() - start;
            Volatile.Write(ref isDone, true);
        });
        int chunks = 0;
        PutAndDeleteChunks(SettledChunks);
        Spent begun = Spent.Now();
        copier.Start();
        do
        {
            _ = PutAndDelete(Passes.ChunkOperations);
            chunks++;
        }
        while (!Volatile.Read(ref isDone));
        samples.Keep("put, copying", (Spent.Now() - begun) / ((double)chunks * Passes.ChunkOperations));
        copier.Join();

        // Flushes come once a second: the same Puts for as long as the copy took, in a pile in which as much has been going on.
        Workplace.Settle();
        PutAndDeleteChunks(SettledChunks);
        begun = Spent.Now();
        PutAndDeleteChunks(chunks);
        samples.Keep("put", (Spent.Now() - begun) / ((double)chunks * Passes.ChunkOperations));
        samples.Keep("copy", copy / 1000 / (bytes / (double)(1 << 20)));
        Directory.Delete(target, recursive: true);
    }

    private void Theirs(Samples samples)
    {
        string source = _place.Of("closed");
        string target = _place.Of("cp");
        long bytes = PileInspection.Of(source).SegmentBytes;
        Spent start = Spent.Now();
        using (Process cp = Process.Start("sh", ["-c", "cp -r \"$0\" \"$1\" && sync -f \"$1\"", source, target]))
        {
            cp.WaitForExit();
            if (cp.ExitCode != 0)
            {
                throw new InvalidOperationException($"cp ended with {cp.ExitCode}.");
            }
        }

        // Another process did it: its time is the wall's.
        double wall = (Spent.Now() - start).WallNs;
        samples.Keep("cp", new Spent(wall, wall) / 1000 / (bytes / (double)(1 << 20)));
        Directory.Delete(target, recursive: true);
    }

    private void PutAndDeleteChunks(int chunks)
    {
        for (int chunk = 0; chunk < chunks; chunk++)
        {
            _ = PutAndDelete(Passes.ChunkOperations);
        }
    }

    private long PutAndDelete(int count)
    {
        long sum = Loops.Put(_pile!, _payload, _pointers.AsSpan(0, count));
        foreach (PilePointer pointer in _pointers.AsSpan(0, count))
        {
            sum += _pile!.Delete(pointer) ? 1 : 0;
        }

        return sum;
    }
}
