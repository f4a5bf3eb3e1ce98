// The batches of a line: those that are being filled, those that are under way, and those that rest before they are sent again. Here is decided
// which batch a call joins, when a batch goes, and whose time is over. All of it is under the lock of its line.
using System.Collections.Generic;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>Batches before and after they are sent. Not thread-safe: its line holds its lock.</summary>
internal sealed class BatchQueue(ServerLink link)
{
    private readonly List<ItemBatch> _ready = [];
    private readonly Dictionary<ulong, ItemBatch> _sent = [];
    private readonly List<ItemBatch> _resting = [];
    private ulong _lastId;

    /// <summary>Whether nothing waits and nothing is under way.</summary>
    internal bool IsEmpty => _ready.Count == 0 && _sent.Count == 0 && _resting.Count == 0;

    /// <summary>Whether there is something to send, and not enough under way.</summary>
    /// <remarks>A second batch goes when it has as many calls as those under way: else the few who were answered first would always go ahead
    /// alone.</remarks>
    internal bool MaySend
    {
        get
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
    }

    /// <summary>The batch that a call of so many bytes joins.</summary>
    internal ItemBatch Forming(BatchKind kind, string table, in PileClientTerms terms, int bytes)
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

    /// <summary>Puts a batch that is sent again before those that wait.</summary>
    internal void PutFirst(ItemBatch batch)
    {
        batch.On = null;
        _ready.Insert(0, batch);
    }

    /// <summary>Keeps a batch that is to be sent again in a while.</summary>
    internal void Rest(ItemBatch batch)
    {
        batch.On = null;
        _resting.Add(batch);
    }

    /// <summary>Puts a batch that has rested before those that wait, unless it was taken to be ended.</summary>
    internal void EndRest(ItemBatch batch)
    {
        if (_resting.Remove(batch))
        {
            PutFirst(batch);
        }
    }

    /// <summary>Takes what waits, to be sent: each batch has an id from here on.</summary>
    internal void TakeReadyTo(List<ItemBatch> taken)
    {
        foreach (ItemBatch batch in _ready)
        {
            batch.Id = ++_lastId;
            taken.Add(batch);
        }

        _ready.Clear();
    }

    /// <summary>Takes what waits and what rests, to be ended.</summary>
    internal List<ItemBatch> TakeUnsent()
    {
        List<ItemBatch> all = [.. _ready, .. _resting];
        _ready.Clear();
        _resting.Clear();
        return all;
    }

    /// <summary>Counts a batch as under way on a stream, or by a call of its own.</summary>
    internal void AddSent(ItemBatch batch, BatchStream? on)
    {
        batch.On = on;
        batch.SentAt = link.Time.GetTimestamp();
        _sent.Add(batch.Id, batch);
    }

    /// <summary>Takes the batch of an id that is under way on a stream; null when there is none.</summary>
    internal ItemBatch? TakeSent(ulong id, BatchStream stream) =>
        _sent.TryGetValue(id, out ItemBatch? batch) && batch.On == stream && _sent.Remove(id) ? batch : null;

    /// <summary>Takes all that is under way on a stream.</summary>
    internal List<ItemBatch> TakeSent(BatchStream stream)
    {
        List<ItemBatch> left = [];
        foreach ((ulong id, ItemBatch batch) in _sent)
        {
            if (batch.On == stream)
            {
                left.Add(batch);
                _ = _sent.Remove(id);
            }
        }

        return left;
    }

    /// <summary>Counts a batch as under way no more.</summary>
    internal void Forget(ItemBatch batch) => _ = _sent.Remove(batch.Id);

    /// <summary>Whether changes have been under way on a stream for so long that its server holds them. One on which nothing was heard yet may only be coming up.</summary>
    internal bool HasHeldChanges
    {
        get
        {
            foreach (ItemBatch batch in _sent.Values)
            {
                if (batch.Kind != BatchKind.Get && batch.On?.HeardFirstAt is { } heard && link.Time.GetElapsedTime(long.Max(heard, batch.SentAt)) >= ClientLimits.HeldAfter)
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Adds the calls whose time is over, each held. Returned is a stream on which nothing came while one of them waited, or which has
    /// left a batch unanswered twice as long as any call waits; or null.</summary>
    internal BatchStream? CollectLate(ref List<PendingItem>? late)
    {
        foreach (ItemBatch batch in _ready)
        {
            _ = Collect(batch, ref late);
        }

        foreach (ItemBatch batch in _resting)
        {
            _ = Collect(batch, ref late);
        }

        BatchStream? silent = null;
        foreach (ItemBatch batch in _sent.Values)
        {
            PendingItem? item = Collect(batch, ref late);
            if (batch.On is { } stream && (stream.HeardAt < item?.BeganAt || link.Time.GetElapsedTime(batch.SentAt) >= link.Deadline * 2))
            {
                silent = stream;
            }
        }

        return silent;
    }

    private PendingItem? Collect(ItemBatch batch, ref List<PendingItem>? late)
    {
        PendingItem? found = null;
        foreach (PendingItem item in batch.Items)
        {
            if (!item.IsDone && link.Time.GetElapsedTime(item.BeganAt) >= link.Deadline)
            {
                // It may be answered before it is failed, and must not be another call by then.
                item.Hold();
                (late ??= []).Add(found = item);
            }
        }

        return found;
    }
}
