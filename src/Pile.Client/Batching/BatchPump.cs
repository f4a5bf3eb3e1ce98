// What sends the batches of a line, one write after the other: it opens a stream where there is none, waits longer before each attempt that
// fails, and goes by calls of their own where streams are refused.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>The pump of a line. <paramref name="ends"/> is the end of the client, and of the pump.</summary>
internal sealed class BatchPump(ServerLink link, BatchLine line, BatchFate fate, CancellationToken ends)
{
    // Between what was taken and what is counted as sent. The pump's own.
    private readonly List<ItemBatch> _taken = [];
    private ArrayBufferWriter<byte> _buffer = new(ClientLimits.WriteBytesFirst);

    /// <summary>Sends whenever there is something to send and not enough under way.</summary>
    /// <remarks>It waits for signals itself, and for no method that does: one that ends in the moment in which it is awaited is gone on with by a thread of the pool, which may have none.</remarks>
    internal async Task RunAsync()
    {
        bool hasFailed = false;
        while (true)
        {
            if (line.MayRest())
            {
                await line.Signal.Task.ConfigureAwait(false);
            }

            if (line.IsDisposed)
            {
                return;
            }

            try
            {
                bool isRefused = line.IsRefused;
                if (line.Stream is null && (line.Failures > 0 || hasFailed) && !isRefused)
                {
                    TimeSpan wait = line.Failures > 0 ? Pause.Before(line.Failures - 1, null) : TimeSpan.Zero;
                    if (link.IsBlocking)
                    {
                        // Not in the thread of the timers: what gives the token may take its time.
                        await Pause.InOwnThread(wait, ends).Task.ConfigureAwait(false);
                        ends.ThrowIfCancellationRequested();
                    }
                    else if (wait > TimeSpan.Zero)
                    {
                        await Pause.ForAsync(wait, link.Time, ends).ConfigureAwait(false);
                    }
                }

                // What waits for the stream is looked after by its line until here.
                hasFailed = false;
                BatchStream? stream = isRefused ? null : line.Stream ?? await OpenAsync().ConfigureAwait(false);
                Take();
                if (stream is null)
                {
                    SendUnary();
                }
                else if (_taken.Count > 0)
                {
                    Write();
                    if (line.TryCountSent(_taken, stream))
                    {
                        // A stream that ends from here on sees to them.
                        _taken.Clear();
                        ReadOnlyMemory<byte> left = _buffer.WrittenMemory;
                        if (stream.Output is null)
                        {
                            await stream.Opened.Task.ConfigureAwait(false);
                        }

                        while (!IsWritten(stream, ref left))
                        {
                            await stream.Output!.Room.Task.ConfigureAwait(false);
                        }

                        if (left.Length > 0)
                        {
                            await stream.Ended.Task.ConfigureAwait(false);
                        }

                        KeepLittle();
                    }
                    else
                    {
                        // It ended before anything was sent on it.
                        await stream.Ended.Task.ConfigureAwait(false);
                        ItemBatch[] unsent = [.. _taken];
                        _taken.Clear();
                        fate.Unanswered(unsent, stream.Failure!, line.IsRefused);
                    }
                }
            }
            catch (Exception failure)
            {
                // A provider of tokens that fails, or the end of the client.
                hasFailed = true;
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

    // True when nothing more is to be written: all is, or the stream has ended, and then some is left.
    private static bool IsWritten(BatchStream stream, ref ReadOnlyMemory<byte> left)
    {
        try
        {
            return stream.Output is not { } output || output.TryWrite(ref left);
        }
        catch (Exception broken) when (broken is OperationCanceledException || CallFailures.IsConnection(broken) || broken is ObjectDisposedException or InvalidOperationException)
        {
            // The reader knows better why, and says so to whom it concerns.
            stream.Abort();
            return true;
        }
    }

    private void Write()
    {
        _buffer.ResetWrittenCount();
        foreach (ItemBatch batch in _taken)
        {
            batch.WriteTo(_buffer);
            ClientMetrics.Send(batch.Count, link.Endpoint);
        }
    }

    // All that waited was in it at once: what a burst needed is not kept for ever.
    private void KeepLittle()
    {
        if (_buffer.Capacity > ClientLimits.WriteBytesKept)
        {
            _buffer = new ArrayBufferWriter<byte>(ClientLimits.WriteBytesFirst);
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
