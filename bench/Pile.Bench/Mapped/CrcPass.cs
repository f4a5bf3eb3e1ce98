using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>The bare loop that a crawl is compared with: CRC32C over the bytes of the pile's extents, mapped, by all cores.</summary>
internal sealed class CrcPass : IDisposable
{
    private const int BlockBytes = 1 << 20;
    private readonly List<MappedFile> _files;

    /// <summary>Maps the extents of a pile.</summary>
    internal CrcPass(string directory) =>
        _files = [.. Directory.GetFiles(Path.Combine(directory, "extents")).Order(StringComparer.Ordinal).Select(MappedFile.Existing)];

    /// <summary>Runs over that many of their bytes.</summary>
    internal Spent Run(long bytes)
    {
        var blocks = new List<(MappedFile File, long Offset)>();
        foreach (MappedFile file in _files)
        {
            for (long offset = 0; offset + BlockBytes <= file.Bytes && blocks.Count * (long)BlockBytes < bytes; offset += BlockBytes)
            {
                blocks.Add((file, offset));
            }
        }

        int next = -1;
        int sum = 0;
        var workers = new Thread[Environment.ProcessorCount];
        double[] cpuNs = new double[workers.Length];
        using var start = new ManualResetEventSlim();
        for (int worker = 0; worker < workers.Length; worker++)
        {
            int mine = worker;
            workers[worker] = new Thread(() =>
            {
                start.Wait();
                double from = Spent.Now().CpuNs;
                uint own = 0;
                for (int index = Interlocked.Increment(ref next); index < blocks.Count; index = Interlocked.Increment(ref next))
                {
                    own ^= BareCrc.Compute(blocks[index].File.Slice(blocks[index].Offset, BlockBytes));
                }

                _ = Interlocked.Add(ref sum, (int)own);
                cpuNs[mine] = Spent.Now().CpuNs - from;
            });
            workers[worker].Start();
        }

        Spent begin = Spent.Now();
        start.Set();
        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        var spent = new Spent((Spent.Now() - begin).WallNs, cpuNs.Max());
        return spent * ((double)bytes / (blocks.Count * (long)BlockBytes));
    }

    /// <inheritdoc/>
    public void Dispose() => _files.ForEach(file => file.Dispose());
}
