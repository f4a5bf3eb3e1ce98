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
    private readonly LineUnary _unary;
    private readonly CancellationTokenSource _ends = new();
    private readonly Lock _gate = new();
    private readonly ITimer _look;
    private readonly PumpSignal _signal = new();

    // Under the gate.
    private readonly List<ItemBatch> _ready = [];
    private readonly Dictionary<ulong, ItemBatch> _sent = [];
    private BatchStream? _stream;
    private ulong _lastId;
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
        _unary = new LineUnary(link);

        // What is sent for all is in the context of none.
        using AsyncFlowControl none = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _look = link.Time.CreateTimer(static line => ((BatchLine)line!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _ = PumpAsync();
    }

    /// <summary>Adds a call, whose key and value are copied.</summary>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal void Add(PendingItem item, BatchKind kind, string table, in PileClientTerms terms, PileKey key, ReadOnlySpan<byte> value)
    {
        int keyBytes = key.Length;
        bool starts;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
            FormingLocked(kind, table, terms, keyBytes + value.Length).Add(item, key, keyBytes, value);
            starts = StartsLocked();
            if (!_isLooking && _link.Deadline != Timeout.InfiniteTimeSpan)
            {
                _isLooking = true;
                _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
            }
        }

        if (starts)
        {
            _signal.Set();
        }
    }

    /// <summary>Gives a batch the answer that its stream has brought. Called by the stream's reader.</summary>
    internal void Answered(BatchStream stream, BatchAnswer answer, ReadOnlySpan<byte> message)
    {
        ItemBatch? batch;
        lock (_gate)
        {
            _failures = 0;
            if (!_sent.TryGetValue(answer.Id, out batch) || batch.On != stream)
            {
                throw new System.IO.InvalidDataException($"It answers the batch {answer.Id}, which is not under way.");
            }

            _ = _sent.Remove(answer.Id);
        }

        if (answer.Failure is { } failure)
        {
            // What is no status of gRPC's is as much as none.
            StatusCode code = failure.Code is > 0 and <= 16 ? (StatusCode)(int)failure.Code : StatusCode.Unknown;
            Failed(batch, CallFailures.Of(code, failure.Error, "", _link.Endpoint, isRetrySafe: true, cause: null));
        }
        else if (answer.TryGive(message, batch, _link.Endpoint))
        {
            _link.Budget.Succeeded();
            batch.Return();
        }
        else
        {
            Failed(batch, new PileClientException(
                $"The server at {_link.Endpoint} sent a reply that can't be: it does not fit to what was asked.", StatusCode.Internal, PileStatus.Format, _link.Endpoint, isRetrySafe: true));
        }

        Kick();
    }

    /// <summary>Sends again, or fails, what a stream left unanswered.</summary>
    internal void StreamEnded(BatchStream stream, PileClientException failure)
    {
        List<ItemBatch> left = [];
        lock (_gate)
        {
            _stream = _stream == stream ? null : _stream;
            _failures++;
            _isRefused |= !stream.HasAnswered && failure.Code is StatusCode.PermissionDenied or StatusCode.Unimplemented;
            foreach ((ulong id, ItemBatch batch) in _sent)
            {
                if (batch.On == stream)
                {
                    left.Add(batch);
                    _ = _sent.Remove(id);
                }
            }
        }

        foreach (ItemBatch batch in left)
        {
            if (_isRefused)
            {
                Requeue(batch);
            }
            else
            {
                Failed(batch, failure);
            }
        }

        Kick();
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
            left = [.. _ready];
            _ready.Clear();
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
            End(batch, new ObjectDisposedException(nameof(PileClient)));
        }
    }

    private bool StartsLocked()
    {
        bool starts = !_isPumping && MaySendLocked();
        _isPumping |= starts;
        return starts;
    }

    // A second batch goes when it has as many calls as those under way: else the few who were answered first would always go ahead alone.
    private bool MaySendLocked()
    {
        if (_ready.Count == 0 || _sent.Count == 0)
        {
            return _ready.Count > 0;
        }

        int ready = 0;
        foreach (ItemBatch batch in _ready)
        {
            ready += batch.Count;
        }

        int sent = 0;
        foreach (ItemBatch batch in _sent.Values)
        {
            sent += batch.Count;
        }

        return ready >= ClientLimits.BatchItemsEnough || (_sent.Count < ClientLimits.BatchesTogether && ready >= sent);
    }

    private ItemBatch FormingLocked(BatchKind kind, string table, in PileClientTerms terms, int bytes)
    {
        for (int index = _ready.Count - 1; index >= 0 && index >= _ready.Count - ClientLimits.BatchesLookedAt; index--)
        {
            if (_ready[index].Takes(kind, table, terms, bytes))
            {
                return _ready[index];
            }
        }

        ItemBatch batch = ItemBatch.Rent(kind, table, terms);
        _ready.Add(batch);
        return batch;
    }

    private void Kick()
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
                    End(batch, isEnd ? new ObjectDisposedException(nameof(PileClient)) : failure);
                }

            }
        }
    }

    // Waits until there is something to send. False at the end of the line.
    private ValueTask<bool> IsAwakeAsync()
    {
        lock (_gate)
        {
            if (_isDisposed || MaySendLocked())
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
            foreach (ItemBatch batch in _ready)
            {
                batch.Id = ++_lastId;
                _taken.Add(batch);
            }

            _ready.Clear();
        }
    }

    private void FailTaken(PileClientException failure)
    {
        ItemBatch[] left = [.. _taken];
        _taken.Clear();
        foreach (ItemBatch batch in left)
        {
            if (_isRefused)
            {
                Requeue(batch);
            }
            else
            {
                Failed(batch, failure);
            }
        }
    }

    private List<ItemBatch> TakeAll()
    {
        List<ItemBatch> all = [.. _taken];
        _taken.Clear();
        lock (_gate)
        {
            all.AddRange(_ready);
            _ready.Clear();
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
                batch.On = stream;
                _sent.Add(batch.Id, batch);
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
                batch.On = null;
                _sent.Add(batch.Id, batch);
            }
        }

        foreach (ItemBatch batch in _taken)
        {
            _ = SendUnaryAsync(batch);
        }

        _taken.Clear();
    }

    private async Task SendUnaryAsync(ItemBatch batch)
    {
        try
        {
            await _unary.SendAsync(batch, _ends.Token).ConfigureAwait(false);
            Forget(batch);
            batch.Return();
        }
        catch (Exception failure)
        {
            Forget(batch);
            if (failure is PileClientException told)
            {
                Failed(batch, told, isFinal: true);
            }
            else
            {
                End(batch, failure is OperationCanceledException ? new ObjectDisposedException(nameof(PileClient)) : failure);
            }
        }

        Kick();
    }

    private void Forget(ItemBatch batch)
    {
        lock (_gate)
        {
            _ = _sent.Remove(batch.Id);
        }
    }

    // What a batch that failed comes to: it is sent again, or in two halves where one call may have spoilt it for the others, or fails.
    private void Failed(ItemBatch batch, PileClientException failure, bool isFinal = false)
    {
        ClientMetrics.Fail(_link.Endpoint, failure.Code);
        bool isSpoilt = failure.Code == StatusCode.InvalidArgument || failure.Status == PileStatus.TooLarge;
        if (batch.IsAbandoned)
        {
            batch.Return();
        }
        else if (isSpoilt && batch.Count > 1)
        {
            ItemBatch second = batch.Split();
            batch.Tries = second.Tries = 1;
            Requeue(batch);
            Requeue(second);
        }
        else if (isSpoilt && failure.Status == PileStatus.TooLarge && batch.Kind == BatchKind.Get)
        {
            _ = _unary.GetLargeAsync(batch, _ends.Token);
        }
        else if (!isFinal && CallFailures.IsPassing(failure) && batch.Tries < _link.RetriesMax && _link.Budget.TryTake())
        {
            batch.Tries++;
            ClientMetrics.Retry(_link.Endpoint);
            if (failure.RetryAfter is { } wait && _stream is not null)
            {
                _ = RequeueLaterAsync(batch, Pause.Before(batch.Tries - 1, wait));
            }
            else
            {
                Requeue(batch);
            }
        }
        else
        {
            End(batch, failure);
        }
    }

    private async Task RequeueLaterAsync(ItemBatch batch, TimeSpan wait)
    {
        try
        {
            await Pause.ForAsync(wait, _link.Time, _ends.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The client ends, and so does the batch.
        }

        Requeue(batch);
        Kick();
    }

    private void Requeue(ItemBatch batch)
    {
        bool isEnd;
        lock (_gate)
        {
            batch.On = null;
            isEnd = _isDisposed;
            if (!isEnd)
            {
                _ready.Insert(0, batch);
            }
        }

        if (isEnd)
        {
            End(batch, new ObjectDisposedException(nameof(PileClient)));
        }
    }

    private void End(ItemBatch batch, Exception failure)
    {
        foreach (PendingItem item in batch.Items)
        {
            item.Fail(_isDisposed ? new ObjectDisposedException(nameof(PileClient)) : Copy(failure));
        }

        batch.Return();
    }

    // Each caller throws an exception of his own: the stack of one that is thrown twice is nobody's.
    private static Exception Copy(Exception failure) => failure is PileClientException told
        ? new PileClientException(told.Message, told.Code, told.Status, told.Endpoint, told.IsRetrySafe, told.InnerException) { RetryAfter = told.RetryAfter }
        : failure;

    // Ends calls whose time is over. A stream on which nothing came while they waited is taken for dead.
    private void Look()
    {
        List<PendingItem>? late = null;
        BatchStream? silent = null;
        lock (_gate)
        {
            foreach (ItemBatch batch in _ready)
            {
                Collect(batch, ref late);
            }

            foreach (ItemBatch batch in _sent.Values)
            {
                if (Collect(batch, ref late) is { } item && batch.On is { } stream && stream.HeardAt < item.BeganAt)
                {
                    silent = stream;
                }
            }

            _isLooking = !_isDisposed && (_ready.Count > 0 || _sent.Count > 0 || _isPumping);
            if (_isLooking)
            {
                _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
            }
        }

        silent?.Abort();
        foreach (PendingItem item in late ?? [])
        {
            item.Fail(CallFailures.TooLate(_link.Endpoint, _link.Deadline, isRetrySafe: true, cause: null));
        }
    }

    private PendingItem? Collect(ItemBatch batch, ref List<PendingItem>? late)
    {
        PendingItem? found = null;
        foreach (PendingItem item in batch.Items)
        {
            if (!item.IsDone && _link.Time.GetElapsedTime(item.BeganAt) >= _link.Deadline)
            {
                (late ??= []).Add(found = item);
            }
        }

        return found;
    }
}
