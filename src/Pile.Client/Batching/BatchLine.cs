// Where single calls meet: a call joins the batch that is being filled, and whoever finds nobody sending sends. When nothing is under way a
// call goes at once and alone; while batches are, calls gather for the next. A batch keeps its bytes until it is answered: when its stream
// ends it is sent again on the next one, for all that travels here may be done twice.
using System;
using System.Collections.Generic;
using System.Threading;
using Grpc.Core;
using Pile.Client.Calls;
using Pile.Client.Http2;

namespace Pile.Client.Batching;

/// <summary>One line of batches to a server, over one stream at a time. Thread-safe.</summary>
internal sealed class BatchLine : IDisposable
{
    private readonly ServerLink _link;
    private readonly BatchFate _fate;
    private readonly CancellationTokenSource _ends = new();
    private readonly Lock _gate = new();
    private readonly ITimer _look;

    // Under the gate.
    private readonly BatchQueue _queue;
    private BatchStream? _stream;
    private int _failures;
    private long? _refusedAt;
    private bool _isPumping = true;
    private bool _isLooking;
    private bool _isDisposed;

    // That too: why the last connection did not come about or was lost, unless it was given up for its silence; null once one has brought an answer.
    private PileClientException? _lost;

    internal BatchLine(ServerLink link)
    {
        _link = link;
        _queue = new BatchQueue(link);
        _fate = new BatchFate(link, this, _ends.Token);

        ITimer? look = null;
        NoContext.Begin(() =>
        {
            look = link.Time.CreateTimer(static line => ((BatchLine)line!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            _ = new BatchPump(link, this, _fate, _ends.Token).RunAsync();
        });
        _look = look!;
    }

    /// <summary>Wakes the pump, which waits for it where <see cref="MayRest"/> said so.</summary>
    internal OneSignal Signal { get; } = new();

    /// <summary>Whether the client was disposed.</summary>
    internal bool IsDisposed => _isDisposed;

    /// <summary>The stream that is open, or null.</summary>
    internal BatchStream? Stream => _stream;

    /// <summary>Streams that have ended since one last brought an answer.</summary>
    internal int Failures => _failures;

    /// <summary>Whether the server has refused a stream a short while ago.</summary>
    internal bool IsRefused
    {
        get
        {
            lock (_gate)
            {
                return _refusedAt is { } at && _link.Time.GetElapsedTime(at) < ClientLimits.RefusalLasts;
            }
        }
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
            _queue.Forming(kind, table, terms, keyBytes + value.Length).Add(item, key, keyBytes, value);
            starts = StartsLocked();
            BeginLookLocked();
        }

        if (starts)
        {
            Signal.Set();
        }
    }

    /// <summary>Gives a batch the answer that its stream has brought. Called by the stream's reader.</summary>
    internal void Answered(BatchStream stream, BatchAnswer answer, ReadOnlySpan<byte> message)
    {
        ItemBatch batch;
        lock (_gate)
        {
            _failures = 0;
            _refusedAt = null;
            _lost = null;
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
        bool isRefused = !stream.HasAnswered && failure.Code is StatusCode.PermissionDenied or StatusCode.Unimplemented;
        lock (_gate)
        {
            _stream = _stream == stream ? null : _stream;
            _failures++;
            _refusedAt = isRefused ? _link.Time.GetTimestamp() : _refusedAt;
            _lost = isRefused || stream.IsGivenUp || failure.Code != StatusCode.Unavailable ? null : failure;
            left = _queue.TakeSent(stream);
        }

        _fate.Unanswered(left, failure, isRefused);
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

    /// <summary>Puts a batch before those that wait, or lets it rest before; at the end of the client it fails.</summary>
    internal void Requeue(ItemBatch batch, bool rests = false)
    {
        bool isEnd;
        lock (_gate)
        {
            isEnd = _isDisposed;
            if (!isEnd)
            {
                if (rests)
                {
                    _queue.Rest(batch);
                }
                else
                {
                    _queue.PutFirst(batch);
                }

                BeginLookLocked();
            }
        }

        if (isEnd)
        {
            _fate.End(batch, new ObjectDisposedException(nameof(PileClient)));
        }
    }

    /// <summary>Has a batch rested long enough.</summary>
    internal void EndRest(ItemBatch batch)
    {
        lock (_gate)
        {
            _queue.EndRest(batch);
        }

        Kick();
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
            Signal.Set();
        }
    }

    /// <summary>Whether the pump has nothing to do; it waits for the signal then.</summary>
    internal bool MayRest()
    {
        lock (_gate)
        {
            if (_isDisposed || _queue.MaySend)
            {
                return false;
            }

            _isPumping = false;
            Signal.Reset();
            return true;
        }
    }

    /// <summary>A new stream, which is the line's from here on.</summary>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal BatchStream Open()
    {
        var stream = new BatchStream(_link, this);
        lock (_gate)
        {
            if (!_isDisposed)
            {
                return _stream = stream;
            }
        }

        stream.Dispose();
        throw new ObjectDisposedException(nameof(PileClient));
    }

    /// <summary>Takes what waits, to be sent.</summary>
    internal void TakeReadyTo(List<ItemBatch> taken)
    {
        lock (_gate)
        {
            _queue.TakeReadyTo(taken);
        }
    }

    /// <summary>Takes what waits and what rests, to be ended.</summary>
    internal List<ItemBatch> TakeUnsent()
    {
        lock (_gate)
        {
            return _queue.TakeUnsent();
        }
    }

    /// <summary>Counts batches as under way on a stream, or by calls of their own. False when the stream has ended already.</summary>
    internal bool TryCountSent(List<ItemBatch> batches, BatchStream? on)
    {
        lock (_gate)
        {
            if (on is not null && _stream != on)
            {
                return false;
            }

            foreach (ItemBatch batch in batches)
            {
                _queue.AddSent(batch, on);
            }

            return true;
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
            left = _queue.TakeUnsent();
            stream = _stream;
            wakes = !_isPumping;
            _isPumping = true;
        }

        if (wakes)
        {
            Signal.Set();
        }

        _look.Dispose();
        stream?.Abort();
        foreach (ItemBatch batch in left)
        {
            _fate.End(batch, new ObjectDisposedException(nameof(PileClient)));
        }

        // Last: a callback of what gives tokens may take its time.
        _ends.Cancel();
    }

    private bool StartsLocked()
    {
        bool starts = !_isPumping && _queue.MaySend;
        _isPumping |= starts;
        return starts;
    }

    private void BeginLookLocked()
    {
        if (!_isLooking && _link.Deadline != Timeout.InfiniteTimeSpan)
        {
            _isLooking = true;
            _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
        }
    }

    // Ends calls whose time is over, and sees to it that reads go around changes that the server holds. A stream on which nothing came while they waited is taken for dead.
    private void Look()
    {
        List<PendingItem>? late = null;
        BatchStream? silent;
        PileClientException? lost;
        bool isOpen;
        lock (_gate)
        {
            lost = _lost;
            isOpen = _stream?.Output is not null;
            silent = _queue.CollectLate(ref late);
            _link.NoteChanges(_queue.HasHeldChanges);
            _isLooking = !_isDisposed && (!_queue.IsEmpty || _isPumping);
            if (_isLooking)
            {
                _ = _look.Change(ClientLimits.DeadlineLook, Timeout.InfiniteTimeSpan);
            }
        }

        // They were late first: the end of their stream is no news for them.
        foreach (PendingItem item in late ?? [])
        {
            item.Fail(lost is null || isOpen
                ? CallFailures.TooLate(_link.Endpoint, _link.Deadline, isRetrySafe: true, lost)
                : CallFailures.Unreached(_link.Deadline, lost));
            item.Release();
        }

        silent?.Abort();
    }
}
