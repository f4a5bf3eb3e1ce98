using System;
using System.Collections.Generic;
using System.IO;
using Microsoft.Win32.SafeHandles;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>What <c>pile verify</c> does, against a bare loop that reads the same files and computes CRC32C over them, by one thread.</summary>
internal sealed class Verifies : IWorkload
{
    private const int BlockBytes = 1 << 20;

    /// <summary>Rounds before the first that counts: until then what runs is not the code that the package has, compiled ahead of time.</summary>
    private const int WarmRounds = 8;
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly byte[] _block = new byte[BlockBytes];
    private int _round;
    private long _bytes = long.MaxValue;

    internal Verifies(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "verify");
        Rows =
        [
            Row.Faster("verify vs reading and CRC32C", "verify", "bare", 0.7, 0.9,
                $"{settings.Objects:N0} objects of 100 B, closed in order, files in the page cache: Open for reading alone and Verify, all of its checks, for each byte of segments. "
                + "Theirs: pread of as many bytes of the same files, a MiB at a time, and CRC32C over each, by one thread. Time for each KiB.") with { Unit = "ns" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        MappedData.Fill(_place.Of("pile"), _settings.Objects, PilePromise.ProcessSafe);
        for (int round = 0; round < WarmRounds; round++)
        {
            Round(new Samples());
        }
    }

    public void Round(Samples samples)
    {
        // As many bytes as Verify looked at in the round before; all of the files in the first, which is for nothing.
        Workplace.Settle();
        bool oursFirst = (_round++ & 1) == 0;
        foreach (bool isOurs in oursFirst ? [true, false] : (bool[])[false, true])
        {
            if (isOurs)
            {
                samples.Keep("verify", Ours() / (_bytes / 1024.0));
            }
            else
            {
                samples.Keep("bare", Theirs(out long read) / (read / 1024.0));
            }
        }
    }

    public void Dispose() => _place.Dispose();

    private Spent Ours()
    {
        Spent start = Spent.Now();
        using ObjectPile pile = ObjectPile.Open(_place.Of("pile"), new PileOptions { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true, BackgroundCleaning = false });
        PileVerifyReport report = pile.Verify();
        Spent spent = Spent.Now() - start;
        _bytes = report.Bytes;
        return report.IsGood && report.Objects == _settings.Objects ? spent : throw new InvalidOperationException("The pile is not what it was.");
    }

    private Spent Theirs(out long read)
    {
        uint sum = 0;
        read = 0;
        Spent start = Spent.Now();
        foreach (string path in Directory.GetFiles(Path.Combine(_place.Of("pile"), "extents")))
        {
            using SafeFileHandle file = File.OpenHandle(path);
            long offset = 0;
            for (int got; read < _bytes && (got = RandomAccess.Read(file, _block, offset)) > 0; offset += got, read += got)
            {
                sum ^= BareCrc.Compute(_block.AsSpan(0, got));
            }
        }

        GC.KeepAlive(sum);
        return Spent.Now() - start;
    }
}
