using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Writers of several clients and near readers, with the promise of a read held against the order of the server: the numbers that writers store
/// only grow, and what was acknowledged is remembered with its time.</summary>
[Collection(Alone.Name)]
public sealed class NearStressTests
{
    private const int Keys = 8;
    private const int Readers = 6;
    private static readonly TimeSpan _bound = TimeSpan.FromMilliseconds(500);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task NoReaderSeesAnythingGoBackOrOlderThanTheBound(bool isCut)
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var way = new BlackHole(server.Address);
        await using var writing = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });
        await using var reading = new PileClient(new PileClientOptions { Address = isCut ? way.Address : server.Address, KeepAlive = TimeSpan.FromSeconds(1), Deadline = TimeSpan.FromSeconds(10) });
        await using var near = new PileNearCache(reading, new PileNearOptions { StalenessMax = _bound });
        await Within.AMinuteAsync(near.Table().Ready, "the watch");
        using var ends = new CancellationTokenSource();
        Log[] logs = [.. Enumerable.Range(0, Keys).Select(static _ => new Log())];
        Task[] writers = [.. Enumerable.Range(0, Keys).Select(key => WriteAsync(writing.Table(), near.Table(), key, logs[key], ends.Token))];
        Task<long>[] readers = [.. Enumerable.Range(0, Readers).Select(reader => Task.Run(() => ReadAsync(near.Table(), reader, logs, ends.Token)))];
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(700));
        for (int round = 0; round < 8; round++)
        {
            _ = await timer.WaitForNextTickAsync();
            if (isCut && round < 6)
            {
                // Longer than the bound, every other time.
                (round % 2 == 0 ? way.Cut : (Action)way.Mend)();
            }
        }

        await ends.CancelAsync();
        await Within.AMinuteAsync(Task.WhenAll([.. writers, .. readers]), "writers and readers");
        long reads = 0;
        foreach (Task<long> reader in readers)
        {
            reads += await reader;
        }

        PileNearFigures figures = near.GetFigures();
        Assert.True(reads > 0 && figures.Hits > 0 && figures.Misses > 0 && figures.Invalidations > Keys, $"{reads} reads, {figures}");
    }

    // Of a key one number after the other, now and then through the near table itself, or after a removal.
    private static async Task WriteAsync(PileClientTable table, PileNearTable near, int key, Log log, CancellationToken ends)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(2 + key));
        for (long number = 1; !ends.IsCancellationRequested; number++)
        {
            byte[] value = new byte[8];
            BinaryPrimitives.WriteInt64LittleEndian(value, number);
            if (number % 50 == 0)
            {
                near.Forget($"{key}");
            }

            _ = await table.SetAsync($"{key}", value, cancel: CancellationToken.None);
            log.Acknowledged(number);
            _ = await timer.WaitForNextTickAsync(CancellationToken.None);
        }
    }

    private static async Task<long> ReadAsync(PileNearTable near, int reader, Log[] logs, CancellationToken ends)
    {
        long[] last = new long[Keys];
        byte[] room = new byte[8];
        long reads = 0;
        for (int turn = reader; !ends.IsCancellationRequested; turn++)
        {
            int key = turn % Keys;
            long least = logs[key].AcknowledgedBefore(_bound);
            int bytes;
            try
            {
                bytes = await near.GetAsync($"{key}", room.AsMemory(), CancellationToken.None);
            }
            catch (PileClientException failure) when (failure.IsRetrySafe)
            {
                // The way is cut: no answer is no wrong answer.
                continue;
            }

            long number = bytes == 8 ? BinaryPrimitives.ReadInt64LittleEndian(room) : 0;
            Assert.True(number >= last[key], $"Key {key} went back from {last[key]} to {number}.");
            Assert.True(number >= least, $"Key {key}: {number} was read, and {least} was acknowledged for longer than {_bound} when the read began.");
            last[key] = number;
            reads++;
            if (turn % 1000 == 0)
            {
                await Task.Yield();
            }
        }

        return reads;
    }

    /// <summary>What was acknowledged, and when. One writes, all read.</summary>
    private sealed class Log
    {
        private readonly Lock _gate = new();
        private readonly Queue<(long Number, long Stamp)> _young = [];
        private long _old;

        internal void Acknowledged(long number)
        {
            lock (_gate)
            {
                _young.Enqueue((number, TimeProvider.System.GetTimestamp()));
            }
        }

        internal long AcknowledgedBefore(TimeSpan span)
        {
            long now = TimeProvider.System.GetTimestamp();
            lock (_gate)
            {
                while (_young.TryPeek(out (long Number, long Stamp) oldest) && TimeProvider.System.GetElapsedTime(oldest.Stamp, now) > span)
                {
                    _old = _young.Dequeue().Number;
                }

                return _old;
            }
        }
    }
}
