// What sends the batches of a line, one write after the other: it opens a stream where there is none, waits longer before each attempt that
// fails, and goes by calls of their own where streams are refused.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>The pump of a line. <paramref name="ends"/> is the end of the client, and of the pump.</summary>
internal sealed class BatchPump(ServerLink link, BatchLine line, BatchFate fate, CancellationToken ends)
{
    // Between what was taken and what is counted as sent. The pump's own.
    private readonly List<ItemBatch> _taken = [];
    private readonly ArrayBufferWriter<byte> _buffer = new(16 << 10);

    /// <summary>Sends whenever there is something to send and not enough under way.</summary>
    internal async Task RunAsync()
    {
        while (await IsAwakeAsync().ConfigureAwait(false))
        {
            try
            {
                bool isRefused = line.IsRefused;
                if (line.Stream is null && line.Failures > 0 && !isRefused)
                {
                    TimeSpan wait = Pause.Before(line.Failures - 1, null);
                    if (link.IsBlocking)
                    {
                        // Not in the thread of the timers: what gives the token may take its time.
                        await Pause.InOwnThread(wait, ends).Task.ConfigureAwait(false);
                        ends.ThrowIfCancellationRequested();
                    }
                    else
                    {
                        await Pause.ForAsync(wait, link.Time, ends).ConfigureAwait(false);
                    }
                }

                // What waits for the stream is looked after by its line until here.
                BatchStream? stream = isRefused ? null : line.Stream ?? await OpenAsync().ConfigureAwait(false);
                Take();
                if (stream is null)
                {
                    SendUnary();
                }
                else
                {
                    await SendAsync(stream).ConfigureAwait(false);
                }
            }
            catch (Exception failure)
            {
                // A provider of tokens that fails, or the end of the client.
                bool isEnd = failure is OperationCanceledException && ends.IsCancellationRequested;
                List<ItemBatch> all = [.. _taken, .. line.TakeUnsent()];
                _taken.Clear();
                foreach (ItemBatch batch in all)
                {
                    fate.End(batch, isEnd ? new ObjectDisposedException(nameof(PileClient)) : failure);
                }
            }
        }
    }

    // Waits until there is something to send. False at the end of the line.
    private ValueTask<bool> IsAwakeAsync() => line.MayRest() ? AwakeAsync() : new ValueTask<bool>(!line.IsDisposed);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> AwakeAsync()
    {
        await line.Signal.Task.ConfigureAwait(false);
        return !line.IsDisposed;
    }

    private async Task<BatchStream> OpenAsync()
    {
        string? authorization = await link.AuthorizationAsync(ends).ConfigureAwait(false);
        BatchStream stream = line.Open();
        stream.Start(authorization);
        return stream;
    }

    // What nobody waits for any more is not sent.
    private void Take()
    {
        line.TakeReadyTo(_taken);
        for (int index = _taken.Count - 1; index >= 0; index--)
        {
            ItemBatch batch = _taken[index];
            batch.DropDone();
            if (batch.Count == 0)
            {
                _taken.RemoveAt(index);
                batch.Return();
            }
        }
    }

    private async ValueTask SendAsync(BatchStream stream)
    {
        if (_taken.Count == 0)
        {
            return;
        }

        Write();
        if (!line.TryCountSent(_taken, stream))
        {
            // It ended before anything was sent on it.
            await stream.Ended.Task.ConfigureAwait(false);
            ItemBatch[] left = [.. _taken];
            _taken.Clear();
            fate.Unanswered(left, stream.Failure!, line.IsRefused);
            return;
        }

        // A stream that ends from here on sees to them.
        _taken.Clear();
        try
        {
            await stream.WriteAsync(_buffer.WrittenMemory).ConfigureAwait(false);
        }
        catch (Exception broken) when (broken is OperationCanceledException || CallFailures.IsConnection(broken) || broken is ObjectDisposedException or InvalidOperationException)
        {
            // The reader knows better why, and says so to whom it concerns.
            stream.Abort();
            await stream.Ended.Task.ConfigureAwait(false);
        }
    }

    private void Write()
    {
        if (_buffer.Capacity > ClientLimits.PooledBytesMax * 4)
        {
            _buffer.Clear();
        }

        _buffer.ResetWrittenCount();
        foreach (ItemBatch batch in _taken)
        {
            batch.WriteTo(_buffer);
            ClientMetrics.Send(batch.Count, link.Endpoint);
        }
    }

    // By calls of their own, which count as under way.
    private void SendUnary()
    {
        _ = line.TryCountSent(_taken, on: null);
        foreach (ItemBatch batch in _taken)
        {
            _ = fate.SendUnaryAsync(batch);
        }

        _taken.Clear();
    }
}
