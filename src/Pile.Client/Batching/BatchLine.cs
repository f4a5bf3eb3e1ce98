// Where single calls meet: a call joins the batch that is being filled, and whoever finds nobody sending sends. When nothing is under way a
// call goes at once and alone; while batches are, calls gather for the next. A batch keeps its bytes until it is answered: when its stream
// ends it is sent again on the next one, for all that travels here may be done twice.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>One line of batches to a server, over one stream at a time. Thread-safe.</summary>
internal sealed class BatchLine : IDisposable
{
    private readonly ServerLink _link;
    private readonly System.Net.Http.HttpMessageInvoker _invoker;
    private readonly BatchFate _fate;
    private readonly CancellationTokenSource _ends = new();
    private readonly Lock _gate = new();
    private readonly ITimer _look;
    private readonly PumpSignal _signal = new();

    // Under the gate.
    private readonly BatchQueue _queue;
    private BatchStream? _stream;
    private int _failures;
    private bool _isPumping = true;
    private bool _isLooking;
    private bool _isRefused;
    private bool _isDisposed;

    // The pump's own.
    private readonly List<ItemBatch> _taken = [];
    private readonly ArrayBufferWriter<byte> _buffer = new(16 << 10);

    internal BatchLine(ServerLink link, System.Net.Http.HttpMessageInvoker invoker)
    {
        _link = link;
        _invoker = invoker;
        _queue = new BatchQueue(link);
        _fate = new BatchFate(link, this, _ends.Token);

        // What is sent for all is in the context of none.
        using AsyncFlowControl none = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _look = link.Time.CreateTimer(static line => ((BatchLine)line!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _ = PumpAsync();
    }

    /// <summary>Whether the client was disposed.</summary>
    internal bool IsDisposed => _isDisposed;

    /// <summary>Whether a stream is open.</summary>
    internal bool HasStream => _stream is not null;

    /// <summary>Adds a call, whose key and value are copied.</summary>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal void Add(PendingItem item, BatchKind kind, string table, in PileClientTerms terms, PileKey key, ReadOnlySpan<byte> value)
    {
        int keyBytes = key.Length;
        bool starts;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
            _queue.Forming(kind, table, terms, keyBytes + value.Length).Add(item, key, keyBytes, value);
            starts = StartsLocked();
            BeginLookLocked();
        }

        if (starts)
        {
            _signal.Set();
        }
    }

    /// <summary>Gives a batch the answer that its stream has brought. Called by the stream's reader.</summary>
    internal void Answered(BatchStream stream, BatchAnswer answer, ReadOnlySpan<byte> message)
    {
        ItemBatch batch;
        lock (_gate)
        {
            _failures = 0;
            batch = _queue.TakeSent(answer.Id, stream)
                ?? throw new System.IO.InvalidDataException($"It answers the batch {answer.Id}, which is not under way.");
        }

        _fate.Answered(batch, answer, message);
        Kick();
    }

    /// <summary>Sends again, or fails, what a stream left unanswered.</summary>
    internal void StreamEnded(BatchStream stream, PileClientException failure)
    {
        List<ItemBatch> left;
        lock (_gate)
        {
            _stream = _stream == stream ? null : _stream;
            _failures++;
            _isRefused |= !stream.HasAnswered && failure.Code is StatusCode.PermissionDenied or StatusCode.Unimplemented;
            left = _queue.TakeSent(stream);
        }

        _fate.Unanswered(left, failure, _isRefused);
        Kick();
    }

    /// <summary>Counts a batch that went by calls of its own as under way no more.</summary>
    internal void Forget(ItemBatch batch)
    {
        lock (_gate)
        {
            _queue.Forget(batch);
        }
    }

    /// <summary>Puts a batch before those that wait; at the end of the client it fails.</summary>
    internal void Requeue(ItemBatch batch)
    {
        bool isEnd;
        lock (_gate)
        {
            isEnd = _isDisposed;
            if (!isEnd)
            {
                _queue.PutFirst(batch);
                BeginLookLocked();
            }
        }

        if (isEnd)
        {
            _fate.End(batch, new ObjectDisposedException(nameof(PileClient)));
        }
    }

    /// <summary>Wakes the pump if there is something to send.</summary>
    internal void Kick()
    {
        bool starts;
        lock (_gate)
        {
            starts = !_isDisposed && StartsLocked();
        }

        if (starts)
        {
            _signal.Set();
        }
    }

    public void Dispose()
    {
        List<ItemBatch> left;
        BatchStream? stream;
        bool wakes;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            left = _queue.TakeReady();
            stream = _stream;
            wakes = !_isPumping;
            _isPumping = true;
        }

        _ends.Cancel();
        if (wakes)
        {
            _signal.Set();
        }

        _look.Dispose();
        stream?.Abort();
        foreach (ItemBatch batch in left)
        {
            _fate.End(batch, new ObjectDisposedException(nameof(PileClient)));
        }
    }

    private bool StartsLocked()
    {
        bool starts = !_isPumping && _queue.MaySend;
        _isPumping |= starts;
        return starts;
    }

    // Sends whenever there is something to send and not enough under way. It ends with the line.
    private async Task PumpAsync()
    {
        while (await IsAwakeAsync().ConfigureAwait(false))
        {
            try
            {
                if (_stream is null && _failures > 0 && !_isRefused)
                {
                    await Pause.ForAsync(Pause.Before(_failures - 1, null), _link.Time, _ends.Token).ConfigureAwait(false);
                }

                TakeReady();
                if (_isRefused)
                {
                    SendUnary();
                    continue;
                }

                BatchStream stream = _stream ?? await OpenAsync().ConfigureAwait(false);
                if (!TryRegister(stream))
                {
                    // It ended before anything was sent on it.
                    await stream.Ended.ConfigureAwait(false);
                    FailTaken(stream.Failure!);
                    continue;
                }

                try
                {
                    await stream.WriteAsync(_buffer.WrittenMemory).ConfigureAwait(false);
                }
                catch (Exception broken) when (broken is OperationCanceledException || CallFailures.IsConnection(broken) || broken is ObjectDisposedException or InvalidOperationException)
                {
                    // The reader knows better why, and says so to whom it concerns.
                    stream.Abort();
                    await stream.Ended.ConfigureAwait(false);
                }
            }
            catch (Exception failure)
            {
                // A provider of tokens that throws, or the end of the client.
                bool isEnd = failure is OperationCanceledException && _ends.IsCancellationRequested;
                foreach (ItemBatch batch in TakeAll())
                {
                    _fate.End(batch, isEnd ? new ObjectDisposedException(nameof(PileClient)) : failure);
                }
            }
        }
    }

    // Waits until there is something to send. False at the end of the line.
    private ValueTask<bool> IsAwakeAsync()
    {
        lock (_gate)
        {
            if (_isDisposed || _queue.MaySend)
            {
                return new ValueTask<bool>(!_isDisposed);
            }

            _isPumping = false;
            _signal.Reset();
        }

        return AwakeAsync();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> AwakeAsync()
    {
        await _signal.Task.ConfigureAwait(false);
        return !_isDisposed;
    }

    private async Task<BatchStream> OpenAsync()
    {
        var stream = new BatchStream(_link, _invoker, this);
        string? authorization = await _link.AuthorizationAsync(_ends.Token).ConfigureAwait(false);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
            _stream = stream;
        }

        stream.Start(authorization);
        return stream;
    }

    private void TakeReady()
    {
        lock (_gate)
        {
            _queue.TakeReadyTo(_taken);
        }
    }

    private void FailTaken(PileClientException failure)
    {
        ItemBatch[] left = [.. _taken];
        _taken.Clear();
        _fate.Unanswered(left, failure, _isRefused);
    }

    private List<ItemBatch> TakeAll()
    {
        List<ItemBatch> all = [.. _taken];
        _taken.Clear();
        lock (_gate)
        {
            all.AddRange(_queue.TakeReady());
        }

        return all;
    }

    // Writes what was taken into the buffer, and counts it as sent: a stream that ends from here on sees to it. False when it has ended already.
    private bool TryRegister(BatchStream stream)
    {
        if (_buffer.Capacity > ClientLimits.PooledBytesMax * 4)
        {
            _buffer.Clear();
        }

        _buffer.ResetWrittenCount();
        foreach (ItemBatch batch in _taken)
        {
            batch.WriteTo(_buffer);
            ClientMetrics.Send(batch.Count, _link.Endpoint);
        }

        lock (_gate)
        {
            if (_stream != stream)
            {
                return false;
            }

            foreach (ItemBatch batch in _taken)
            {
                _queue.AddSent(batch, stream);
            }

            _taken.Clear();
            return true;
        }
    }

    // Where streams are refused: by calls of their own, which count as under way.
    private void SendUnary()
    {
        lock (_gate)
        {
            foreach (ItemBatch batch in _taken)
            {
                _queue.AddSent(batch, on: null);
            }
        }

        foreach (ItemBatch batch in _taken)
        {
            _ = _fate.SendUnaryAsync(batch);
        }

        _taken.Clear();
    }

    private void BeginLookLocked()
    {
        if (!_isLooking && _link.Deadline != Timeout.InfiniteTimeSpan)
        {
            _isLooking = true;
            _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
        }
    }

    // Ends calls whose time is over. A stream on which nothing came while they waited is taken for dead.
    private void Look()
    {
        List<PendingItem>? late = null;
        BatchStream? silent;
        lock (_gate)
        {
            silent = _queue.CollectLate(ref late);
            _isLooking = !_isDisposed && (!_queue.IsEmpty || _isPumping);
            if (_isLooking)
            {
                _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
            }
        }

        silent?.Abort();
        foreach (PendingItem item in late ?? [])
        {
            item.Fail(CallFailures.TooLate(_link.Endpoint, _link.Deadline, isRetrySafe: true, cause: null));
            item.Release();
        }
    }
}
