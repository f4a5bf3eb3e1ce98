// The body of a call, with what of it is in memory counted against the budget: what was looked at and not taken, because a message is
// not there as a whole, and what was taken, until the next message of its stream is asked for, or the call ends. A message that was
// packed counts as what it becomes, if that is more (BoundedGzip). A message that has begun
// must come at a pace (ReceivePace), also a small one, which does not count. Objects are used again.
using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.ObjectPool;

namespace Pile.Server.Calls;

/// <summary>A reader that counts. Used by one call at a time.</summary>
internal sealed class CountedReader : PipeReader, IRequestBodyPipeFeature
{
    private static readonly ObjectPool<CountedReader> _pool = new DefaultObjectPool<CountedReader>(new DefaultPooledObjectPolicy<CountedReader>(), ServerLimits.PooledMax);

    private static readonly AsyncLocal<CountedReader?> _current = new();

    private PipeReader? _inner;
    private ReceiveBudget? _budget;
    private ReceivePace? _pace;
    private CalledMethod? _method;
    private SequencePosition _start;
    private long _counted;
    private long _held;
    private long _waiting;
    private long _began;
    private bool _hasBegun;
    private bool _wasTaken;
    private bool _isLate;

    /// <inheritdoc/>
    public PipeReader Reader => this;

    /// <summary>The reader of the call that runs here; null unless the call says that its messages are packed.</summary>
    internal static CountedReader? Current
    {
        get => _current.Value;
        set => _current.Value = value;
    }

    private PipeReader Inner => _inner!;

    private bool IsStream => _method!.Type is MethodType.ClientStreaming or MethodType.DuplexStreaming;

    internal static CountedReader Begin(PipeReader inner, ReceiveBudget budget, ReceivePace pace, CalledMethod method)
    {
        CountedReader reader = _pool.Get();
        reader._inner = inner;
        reader._budget = budget;
        reader._pace = pace;
        reader._method = method;
        return reader;
    }

    /// <summary>Gives back what is counted, and the object.</summary>
    internal void End()
    {
        CountTo(0);
        _wasTaken = _isLate = _hasBegun = false;
        _held = _waiting = 0;
        _start = default;
        _inner = null;
        _budget = null;
        _pace = null;
        _method = null;
        _pool.Return(this);
    }

    /// <summary>Ends the read that is under way, if the message that it waits for should be there by now. It is looked after by the pace.</summary>
    internal void EndIfLate()
    {
        TimeSpan allowed = ServerLimits.LargeIdle + TimeSpan.FromSeconds(_held / (double)ServerLimits.LargeBytesPerSecondMin);
        if (_pace!.Time.GetElapsedTime(_began) > allowed)
        {
            _isLate = true;
            CancelPendingRead();
        }
    }

    /// <summary>Counts what the message that is being taken has become by now: that, or its bytes as they came, whichever is more.</summary>
    /// <param name="bytes">All bytes of it.</param>
    /// <exception cref="RpcException">They are more than the message may have, or there is no room.</exception>
    internal void Unpack(long bytes)
    {
        Require(bytes);
        if (bytes - ServerLimits.ReceiveFreeBytes > _counted)
        {
            CountTo(bytes - ServerLimits.ReceiveFreeBytes);
        }
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        // Before the reader may use what was consumed for something else.
        long waiting = Distance(consumed, examined);
        long taken = Distance(_start, consumed);
        try
        {
            Inner.AdvanceTo(consumed, examined);
        }
        catch (Exception failure) when (IsGone(failure, CancellationToken.None))
        {
            throw Gone();
        }

        Require(long.Max(waiting, taken));
        if (waiting > 0)
        {
            BeginTime();
        }

        _waiting = waiting;
        _held = long.Max(_held, taken + waiting);
        if (_held - ServerLimits.ReceiveFreeBytes > _counted)
        {
            CountTo(_held - ServerLimits.ReceiveFreeBytes);
        }

        // What is taken lives on as what was read of it.
        _wasTaken |= taken > 0;
    }

    /// <inheritdoc/>
    public override void CancelPendingRead()
    {
        try
        {
            Inner.CancelPendingRead();
        }
        catch (Exception over) when (over is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // Kestrel throws here what it has ended the body with: the connection failed or the call was reset, with an error or without, or the body was
            // read to its end. A read that waits has ended by the same, which its reader is told; who cancels is the server's stop or a timer, of other calls too.
        }
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => Inner.Complete(exception);

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        Ask();
        ValueTask<ReadResult> read;
        try
        {
            read = Inner.ReadAsync(cancellationToken);
        }
        catch (Exception failure) when (IsGone(failure, cancellationToken))
        {
            throw Gone();
        }

        // A small message that is there waits for the end of its call alone, as most do: to look after all of those costs calls a fourteenth.
        bool isWaited = _counted != 0 || (_held > 0 && !_wasTaken);
        return _isLate || (isWaited && !read.IsCompleted) ? StandAsync(read, cancellationToken)
            : read.IsCompletedSuccessfully ? new ValueTask<ReadResult>(Begun(read.Result)) : BegunAsync(read, cancellationToken);
    }

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        Ask();
        bool hasRead;
        try
        {
            hasRead = Inner.TryRead(out result);
        }
        catch (Exception failure) when (IsGone(failure, CancellationToken.None))
        {
            throw Gone();
        }

        _ = Begun(result);
        return hasRead;
    }

    // What is read begins with the head of a message: gRPC takes messages whole. Its own refusal of one that is too long names neither size nor way out.
    private ReadResult Begun(ReadResult read)
    {
        _start = read.Buffer.Start;
        if (PlainCall.TryReadLength(read.Buffer, out uint length))
        {
            Require(length);
            PlainCall.RequireLength(length, _method!.CallMessageBytesMax);
        }

        return read;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> BegunAsync(ValueTask<ReadResult> read, CancellationToken cancel)
    {
        try
        {
            return Begun(await read.ConfigureAwait(false));
        }
        catch (Exception failure) when (IsGone(failure, cancel))
        {
            throw Gone();
        }
    }

    // Who asks for the next message of a stream is through with the one before. The one message of other calls is kept until they end.
    private void Ask()
    {
        if (_wasTaken && IsStream)
        {
            _wasTaken = _hasBegun = false;
            _held = _waiting;
            CountTo(long.Max(0, _held - ServerLimits.ReceiveFreeBytes));
        }
    }

    // A part of a message is held and the rest is not there: that has a time, however little it is.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> StandAsync(ValueTask<ReadResult> rest, CancellationToken cancel)
    {
        ReceivePace pace = _pace!;
        BeginTime();
        pace.Add(this);
        ReadResult read;
        try
        {
            read = await rest.ConfigureAwait(false);
        }
        catch (Exception failure) when (IsGone(failure, cancel))
        {
            throw Gone();
        }
        finally
        {
            pace.Remove(this);
        }

        return !_isLate ? Begun(read) : throw CallFailure.Of(
            StatusCode.DeadlineExceeded,
            PileStatus.Busy,
            $"The message was too slow: {ServerLimits.LargeIdle.TotalSeconds:N0} seconds are allowed, and one more for each {ServerLimits.LargeBytesPerSecondMin:N0} bytes that have come. Nothing of it was done.",
            ServerLimits.RetryAfterMs);
    }

    // What Kestrel says of a client that has reset the call, or whose connection has ended; the call's token may be cancelled only after. gRPC would make it
    // UNKNOWN, which is the server's.
    private static bool IsGone(Exception failure, CancellationToken cancel) =>
        failure is IOException || (failure is OperationCanceledException && !cancel.IsCancellationRequested);

    private static RpcException Gone() => CallFailure.Of(StatusCode.Cancelled, PileStatus.Refused, "The client has gone.");

    // The time of a message, from when a part of it was met.
    private void BeginTime()
    {
        if (!_hasBegun)
        {
            _began = _pace!.Time.GetTimestamp();
            _hasBegun = true;
        }
    }

    private void Require(long messageBytes)
    {
        if (messageBytes > _method!.MessageBytesMax)
        {
            throw CallFailure.TooLarge(
                $"The message has more than {_method.MessageBytesMax:N0} bytes, as many as {_method.Name} takes: a key or prefix has at most {ServerLimits.KeyBytesMax:N0}, and a value is sent in chunks of at most {ServerLimits.ChunkBytes:N0}.");
        }
    }

    private void CountTo(long bytes)
    {
        if (bytes > _counted)
        {
            _budget!.Take(bytes - _counted);
        }
        else if (bytes < _counted)
        {
            _budget!.Give(_counted - bytes);
        }

        _counted = bytes;
    }

    private static long Distance(SequencePosition from, SequencePosition to) =>
        from.GetObject() is ReadOnlySequenceSegment<byte> first && to.GetObject() is ReadOnlySequenceSegment<byte> last
            ? last.RunningIndex + to.GetInteger() - first.RunningIndex - from.GetInteger()
            : 0;
}
