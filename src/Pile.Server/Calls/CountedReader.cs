// The body of a call, with what of it waits in memory counted against the budget: what was looked at and not taken, because a message is
// not there as a whole. What a message took stays counted until the next one begins or the call ends. Objects are used again.
using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.ObjectPool;

namespace Pile.Server.Calls;

/// <summary>A reader that counts. Used by one call at a time.</summary>
internal sealed class CountedReader : PipeReader, IRequestBodyPipeFeature
{
    private static readonly ObjectPool<CountedReader> _pool = new DefaultObjectPool<CountedReader>(new DefaultPooledObjectPolicy<CountedReader>(), ServerLimits.PooledMax);

    private PipeReader? _inner;
    private ReceiveBudget? _budget;
    private long _counted;
    private long _messageBytesMax;
    private bool _wasTaken;

    /// <inheritdoc/>
    public PipeReader Reader => this;

    private PipeReader Inner => _inner!;

    internal static CountedReader Begin(PipeReader inner, ReceiveBudget budget, long messageBytesMax)
    {
        CountedReader reader = _pool.Get();
        reader._inner = inner;
        reader._budget = budget;
        reader._messageBytesMax = messageBytesMax;
        return reader;
    }

    /// <summary>Gives back what is counted, and the object.</summary>
    internal void End()
    {
        _budget!.Give(_counted);
        _counted = 0;
        _wasTaken = false;
        _inner = null;
        _budget = null;
        _pool.Return(this);
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        long waiting = Distance(consumed, examined);
        Inner.AdvanceTo(consumed, examined);
        if (waiting > _messageBytesMax)
        {
            throw CallFailure.TooLarge($"The message has more than {_messageBytesMax:N0} bytes, as many as one of this call may have. Send a value in chunks of at most {ServerLimits.ChunkBytes:N0}.");
        }

        Count(long.Max(0, waiting - ServerLimits.ReceiveFreeBytes));
    }

    /// <inheritdoc/>
    public override void CancelPendingRead() => Inner.CancelPendingRead();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => Inner.Complete(exception);

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => Inner.ReadAsync(cancellationToken);

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result) => Inner.TryRead(out result);

    private void Count(long waiting)
    {
        if (waiting > _counted)
        {
            _budget!.Take(waiting - _counted);
            _counted = waiting;
            _wasTaken = false;
        }
        else if (waiting < _counted)
        {
            // The first time this is the message being taken: it lives on as what was read of it. The next one has taken its place.
            if (_wasTaken)
            {
                _budget!.Give(_counted - waiting);
                _counted = waiting;
            }

            _wasTaken = !_wasTaken;
        }
    }

    private static long Distance(SequencePosition from, SequencePosition to) =>
        from.GetObject() is ReadOnlySequenceSegment<byte> first && to.GetObject() is ReadOnlySequenceSegment<byte> last
            ? last.RunningIndex + to.GetInteger() - first.RunningIndex - from.GetInteger()
            : 0;
}
