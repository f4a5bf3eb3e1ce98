// Lets a workload loose: as many workers as there are clients, each with one request under way.
// A failure of one worker ends all.
using System;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tool.Output;

namespace Pile.Tool.Measuring;

/// <summary>Runs steps.</summary>
/// <param name="target">What takes the requests.</param>
/// <param name="work">The workload.</param>
/// <param name="clock">The clock.</param>
/// <param name="stop">Ends it.</param>
internal sealed class Load(IMeasured target, Workload work, TimeProvider clock, CancellationToken stop)
{
    private const int Seed = 42;
    private const int ReportEvery = 1 << 8;
    private const int FillBatch = 256;
    private long _begun;

    /// <summary>Stores each key once, so that reads find it; not measured.</summary>
    internal void Fill(int bytes, Meter meter)
    {
        byte[] value = new byte[bytes];
        for (int key = 0; key < work.Keys; key += FillBatch)
        {
            stop.ThrowIfCancellationRequested();
            byte[][] keys = new byte[int.Min(FillBatch, work.Keys - key)][];
            for (int index = 0; index < keys.Length; index++)
            {
                keys[index] = KeyOf(key + index);
            }

            target.SetAsync(keys, value).AsTask().GetAwaiter().GetResult();
            meter.Report(key, work.Keys);
        }
    }

    /// <summary>Runs one step.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="bytes">Bytes of a value.</param>
    /// <param name="readPercent">How many of a hundred requests read.</param>
    /// <param name="meter">Gets the progress.</param>
    internal Step Run(string name, int bytes, int readPercent, Meter meter)
    {
        _begun = 0;
        using var failed = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var workers = new Task<LatencyHistogram>[work.Clients];
        long start = clock.GetTimestamp();
        for (int worker = 0; worker < workers.Length; worker++)
        {
            int seed = Seed + worker;
            workers[worker] = Task.Run(() => WorkAsync(new Random(seed), bytes, readPercent, meter, failed), CancellationToken.None);
        }

        LatencyHistogram[] times = Task.WhenAll(workers).GetAwaiter().GetResult();
        TimeSpan spent = clock.GetElapsedTime(start);
        var all = new LatencyHistogram();
        Array.ForEach(times, all.Add);
        return new Step(name, bytes, work.Requests, (long)work.Requests * work.Pipeline, spent, all);
    }

    private async Task<LatencyHistogram> WorkAsync(Random random, int bytes, int readPercent, Meter meter, CancellationTokenSource failed)
    {
        var times = new LatencyHistogram();
        byte[] value = new byte[bytes];
        random.NextBytes(value);
        byte[][] keys = new byte[work.Pipeline][];
        try
        {
            for (long request = Interlocked.Increment(ref _begun); request <= work.Requests; request = Interlocked.Increment(ref _begun))
            {
                failed.Token.ThrowIfCancellationRequested();
                for (int index = 0; index < keys.Length; index++)
                {
                    keys[index] = KeyOf(random.Next(work.Keys));
                }

                bool reads = random.Next(100) < readPercent;
                long start = clock.GetTimestamp();
                if (reads)
                {
                    await target.GetAsync(keys).ConfigureAwait(false);
                }
                else
                {
                    await target.SetAsync(keys, value).ConfigureAwait(false);
                }

                times.Add((long)(clock.GetElapsedTime(start).Ticks * 100.0));
                if (request % ReportEvery == 0)
                {
                    meter.Report(request, work.Requests);
                }
            }
        }
        catch
        {
            await failed.CancelAsync().ConfigureAwait(false);
            throw;
        }

        return times;
    }

    private static byte[] KeyOf(int number)
    {
        byte[] key = new byte[16];
        "key:"u8.CopyTo(key);
        BinaryPrimitives.WriteInt64BigEndian(key.AsSpan(8), number);
        return key;
    }
}
