using System;
using System.Collections.Generic;
using System.IO;
using Microsoft.Win32.SafeHandles;
using Pile.Bench.Baselines;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Reads of a pile of whose files nothing is in memory, against bare reads of the same files, as cold.</summary>
internal sealed class ColdReads : IWorkload
{
    private const int BlockBytes = 1 << 20;
    private const int RandomReads = 5_000;
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly byte[] _block = new byte[BlockBytes];
    private readonly int[] _order;
    private PilePointer[] _pointers = [];
    private string[] _files = [];
    private int _round;

    internal ColdReads(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "cold");
        _order = Data.Order(settings.Objects);
        string what = $"{settings.Objects:N0} objects of 100 B, ProcessSafe, closed in order, nothing of its files in memory: Open for reading alone, and";
        Rows =
        [
            Row.Faster("cold Verify vs reading the files", "verify", "bare", null, null,
                $"{what} Verify. Theirs: pread of all extents, a MiB at a time, as cold. Time for each object."),
            Row.Faster("cold reads in order vs reading the files", "in order", "bare", null, null,
                $"{what} a lease of each object in the order of their birth. Theirs: the same. Time for each object."),
            Row.Faster("cold reads at random vs pread", "at random", "pread", null, null,
                $"{what} a lease of each of {RandomReads:N0} objects in random order. Theirs: open the extents, as many preads of 100 B at random, told that they are (POSIX_FADV_RANDOM). Time for each."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        using (ObjectPile pile = ObjectPile.Open(Pile, new PileOptions { Promise = PilePromise.ProcessSafe }))
        {
            _pointers = Data.Fill(pile, _settings.Objects);
        }

        _files = Directory.GetFiles(Path.Combine(Pile, "extents"));
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        List<(string Series, int Reads, Func<Spent> Run)> turns =
        [
            ("verify", _pointers.Length, () => Opened(pile => _ = pile.Verify())),
            ("in order", _pointers.Length, () => Opened(pile => _ = Loops.LeaseEnds(pile, _pointers))),
            ("at random", RandomReads, () => Opened(ReadAtRandom)),
            ("bare", _pointers.Length, ReadFiles),
            ("pread", RandomReads, ReadFilesAtRandom),
        ];
        if ((_round++ & 1) == 1)
        {
            turns.Reverse();
        }

        foreach ((string series, int reads, Func<Spent> run) in turns)
        {
            Workplace.Settle();
            Forget();
            samples.Keep(series, run() / reads);
        }
    }

    public void Dispose() => _place.Dispose();

    private string Pile => _place.Of("pile");

    private Spent Opened(Action<ObjectPile> read)
    {
        Spent start = Spent.Now();
        using ObjectPile pile = ObjectPile.Open(Pile, new PileOptions { OpenMode = PileOpenMode.ReadOnly, BackgroundCleaning = false });
        read(pile);
        return Spent.Now() - start;
    }

    private void ReadAtRandom(ObjectPile pile)
    {
        for (int index = 0; index < RandomReads; index++)
        {
            _ = Loops.LeaseEnds(pile, _pointers.AsSpan(_order[index % _order.Length], 1));
        }
    }

    private Spent ReadFiles()
    {
        Spent start = Spent.Now();
        foreach (string path in _files)
        {
            using SafeFileHandle file = File.OpenHandle(path);
            long offset = 0;
            for (int got; (got = RandomAccess.Read(file, _block, offset)) > 0; offset += got)
            {
            }
        }

        return Spent.Now() - start;
    }

    private Spent ReadFilesAtRandom()
    {
        var random = new Random(_round);
        Spent start = Spent.Now();
        var files = new List<(SafeFileHandle Handle, long Bytes)>();
        foreach (string path in _files)
        {
            SafeFileHandle file = File.OpenHandle(path, options: FileOptions.RandomAccess);
            files.Add((file, RandomAccess.GetLength(file)));
        }

        for (int index = 0; index < RandomReads; index++)
        {
            (SafeFileHandle file, long bytes) = files[random.Next(files.Count)];
            _ = RandomAccess.Read(file, _block.AsSpan(0, Data.PayloadBytes), random.NextInt64(bytes - Data.PayloadBytes));
        }

        files.ForEach(file => file.Handle.Dispose());
        return Spent.Now() - start;
    }

    /// <summary>Has the system forget what it holds of the pile's files.</summary>
    private void Forget()
    {
        foreach (string path in Directory.GetFiles(Pile, "*", SearchOption.AllDirectories))
        {
            using SafeFileHandle file = File.OpenHandle(path);
            if (!SystemCalls.ForgetPages(file))
            {
                throw new NotAvailableException("the system does not forget pages of files");
            }
        }
    }
}
