// What becomes of a batch that was sent: its calls have their answers, or it is sent again, or in two halves where one call may have spoilt it
// for the others, or by calls of its own, or its calls fail. Whether it may be sent again is decided here alone.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;
using Pile.Client.Http2;

namespace Pile.Client.Batching;

/// <summary>The fate of a line's batches. Thread-safe; <paramref name="ends"/> is the end of the client.</summary>
internal sealed class BatchFate(ServerLink link, BatchLine line, CancellationToken ends)
{
    private readonly LineUnary _unary = new(link);

    /// <summary>Gives a batch what was answered.</summary>
    internal void Answered(ItemBatch batch, BatchAnswer answer, ReadOnlySpan<byte> message)
    {
        if (answer.Failure is { } failure)
        {
            // What is no status of gRPC's is as much as none.
            StatusCode code = failure.Code is > 0 and <= 16 ? (StatusCode)(int)failure.Code : StatusCode.Unknown;
            Failed(batch, CallFailures.Of(code, failure.Error, "", link.Endpoint, isRetrySafe: true, cause: null));
        }
        else if (answer.TryGive(message, batch, link.Endpoint))
        {
            link.Budget.Succeeded();
            batch.Return();
        }
        else
        {
            Failed(batch, new PileClientException(
                $"The server at {link.Endpoint} sent a reply that can't be: it does not fit to what was asked.", StatusCode.Internal, PileStatus.Format, link.Endpoint, isRetrySafe: true));
        }
    }

    /// <summary>Sends again, or fails, what was left unanswered; where streams are refused all of it goes another way.</summary>
    internal void Unanswered(IEnumerable<ItemBatch> left, PileClientException failure, bool isRefused)
    {
        foreach (ItemBatch batch in left)
        {
            if (isRefused)
            {
                line.Requeue(batch);
            }
            else
            {
                Failed(batch, failure);
            }
        }
    }

    /// <summary>Sends a batch that failed again, as a whole or in halves, or fails its calls.</summary>
    internal void Failed(ItemBatch batch, PileClientException failure, bool isAlone = false)
    {
        ClientMetrics.Fail(link.Endpoint, failure.Code);
        bool isSpoilt = failure.Code == StatusCode.InvalidArgument || failure.Status == PileStatus.TooLarge;
        if (batch.IsAbandoned)
        {
            batch.Return();
        }
        else if (isSpoilt && batch.Count > 1)
        {
            ItemBatch second = batch.Split();
            batch.Tries = second.Tries = 1;
            line.Requeue(batch);
            line.Requeue(second);
        }
        else if (isSpoilt && failure.Status == PileStatus.TooLarge && batch.Kind == BatchKind.Get)
        {
            _ = _unary.GetLargeAsync(batch, ends);
        }
        else if (CallFailures.IsPassing(failure) && !IsTooLong(failure.RetryAfter) && batch.Tries < link.RetriesMax && link.Budget.TryTake())
        {
            batch.Tries++;
            ClientMetrics.Retry(link.Endpoint);
            if (isAlone || (failure.RetryAfter is not null && line.Stream is not null))
            {
                _ = RequeueLaterAsync(batch, Pause.Before(batch.Tries - 1, failure.RetryAfter));
            }
            else
            {
                line.Requeue(batch);
            }
        }
        else
        {
            End(batch, failure);
        }
    }

    /// <summary>Fails the calls of a batch.</summary>
    internal void End(ItemBatch batch, Exception failure)
    {
        foreach (PendingItem item in batch.Items)
        {
            item.Fail(line.IsDisposed ? new ObjectDisposedException(nameof(PileClient)) : failure is PileClientException told ? CallFailures.Copy(told) : failure);
        }

        batch.Return();
    }

    /// <summary>Sends a batch, which counts as under way, by a call of its own. It does not fail: the calls do.</summary>
    internal async Task SendUnaryAsync(ItemBatch batch)
    {
        try
        {
            await _unary.SendAsync(batch, ends).ConfigureAwait(false);
            link.Budget.Succeeded();
            line.Forget(batch);
            batch.Return();
        }
        catch (Exception failure)
        {
            line.Forget(batch);
            if (failure is PileClientException told)
            {
                Failed(batch, told, isAlone: true);
            }
            else
            {
                End(batch, failure is OperationCanceledException ? new ObjectDisposedException(nameof(PileClient)) : failure);
            }
        }

        line.Kick();
    }

    private bool IsTooLong(TimeSpan? wait) => link.Deadline != Timeout.InfiniteTimeSpan && wait >= link.Deadline;

    private async Task RequeueLaterAsync(ItemBatch batch, TimeSpan wait)
    {
        line.Requeue(batch, rests: true);
        try
        {
            if (link.IsBlocking)
            {
                var rested = new OneSignal();
                using ITimer timer = link.Time.CreateTimer(static rested => ((OneSignal)rested!).Set(), rested, wait, Timeout.InfiniteTimeSpan);
                await rested.Task.ConfigureAwait(false);
            }
            else
            {
                await Pause.ForAsync(wait, link.Time, ends).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The client ends, and so does the batch.
        }

        line.EndRest(batch);
    }
}
