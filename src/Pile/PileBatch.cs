// A batch: puts, updates and deletes that survive a crash together or not at all. It collects them; Commit does them.
// Concurrent readers may see it half applied: it is about survival, not about isolation.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Changes that are made together. Not thread-safe. Dispose without <see cref="Commit"/> abandons them.</summary>
/// <remarks>The records of a batch together take at most 16,777,160 bytes (16 MiB less two headers): 24 bytes and the payload, rounded up to 8, for each object put or
/// updated, 24 for each deleted; objects of 16 KiB and more count 48 bytes, whatever their size. The values themselves are kept in one buffer until
/// <see cref="Commit"/>: together at most 268,435,455 bytes (PayloadBytesMax), those that a later Update replaces included.</remarks>
public sealed class PileBatch : IDisposable
{
    private readonly ObjectPile _pile;
    private readonly HeapBatches _heap;
    private readonly List<BatchMember> _members = [];
    private readonly Dictionary<ulong, int> _byPointer = [];
    private readonly PileBufferWriter _payloads;
    private long _bytes;
    private bool _isSpent;

    internal PileBatch(ObjectPile pile, HeapBatches heap)
    {
        _pile = pile;
        _heap = heap;
        _payloads = pile.BeginPut();
    }

    /// <summary>Objects that the batch puts, updates or deletes.</summary>
    public int Count => _byPointer.Count;

    /// <summary>Adds an object.</summary>
    /// <param name="value">The value; copied now.</param>
    /// <returns>The pointer that it has once the batch is committed. It may be stored in other objects of the batch.</returns>
    /// <exception cref="PileFullException">The pile has no slot left, or the batch is full; the batch is as it was.</exception>
    /// <inheritdoc cref="ObjectPileTyped.Put{T}"/>
    public PilePointer Put<T>(T value)
        where T : notnull
    {
        ThrowIfSpent();
        Stage(value, BatchAction.Put, out BatchMember member);
        PileStatus status = PileStatus.Full;
        try
        {
            // Now, because it may throw: a slot that the batch does not know would be nobody's. As much for both: a dictionary asked for one more grows by little.
            _ = _byPointer.EnsureCapacity(_members.EnsureCapacity(_members.Count + 1));
            status = _heap.TryTakeSlot(out member.Pointer, out member.Clears);
        }
        finally
        {
            if (status != PileStatus.Ok)
            {
                _bytes -= BytesOf(member);
                _payloads.Truncate(member.Offset);
            }
        }

        if (status != PileStatus.Ok)
        {
            WriteFailures.Throw(_pile, status, default, nameof(Put), member.Bytes);
        }

        Add(member);
        return new PilePointer(member.Pointer);
    }

    /// <summary>Replaces an object when the batch is committed; the last of several values wins.</summary>
    /// <param name="pointer">The object; of the pile, or put by this batch.</param>
    /// <param name="value">The new value; copied now.</param>
    /// <exception cref="PileFullException">The batch is full; it is as it was.</exception>
    public void Update<T>(PilePointer pointer, T value)
        where T : notnull
    {
        ThrowIfSpent();
        bool isPresent = _byPointer.TryGetValue(pointer.Word, out int index);
        if (isPresent && _members[index].Action == BatchAction.Delete)
        {
            throw new PileStaleException($"Update: this batch deletes the object of pointer {pointer}.", pointer);
        }

        Stage(value, BatchAction.Update, out BatchMember member);
        member.Pointer = pointer.Word;
        if (isPresent)
        {
            member.Action = _members[index].Action;
            member.Clears = _members[index].Clears;
            _bytes -= BytesOf(_members[index]);
            _members[index] = member;
        }
        else
        {
            Add(member);
        }
    }

    /// <summary>Deletes an object when the batch is committed.</summary>
    /// <param name="pointer">The object; of the pile, or put by this batch.</param>
    /// <exception cref="PileFullException">The batch is full; it is as it was.</exception>
    public void Delete(PilePointer pointer)
    {
        ThrowIfSpent();
        var member = new BatchMember { Pointer = pointer.Word, Action = BatchAction.Delete };
        if (!_byPointer.TryGetValue(pointer.Word, out int index))
        {
            CheckRoom(BytesOf(member));
            Add(member);
            return;
        }

        BatchMember present = _members[index];
        _bytes -= BytesOf(present);
        if (present.Action == BatchAction.Put)
        {
            Gates.Anyhow(() => _heap.ReturnSlot(present));
            member.Action = BatchAction.None;
            _ = _byPointer.Remove(pointer.Word);
        }

        _bytes += BytesOf(member);
        _members[index] = member;
    }

    /// <summary>Makes all changes. They survive a crash together or not at all, with the promise of the pile; nobody else's change of
    /// these objects comes between.</summary>
    /// <exception cref="PileStaleException">An object to update or delete is gone, or the pile was cleared since an object was put; nothing was changed, and the
    /// batch stays as it is.</exception>
    /// <exception cref="PileFullException">The pile has no room; nothing was changed, and the batch stays as it is.</exception>
    /// <exception cref="PileCorruptedException">The entry, or the header of the record, of an object to update or delete is damaged; nothing was changed.</exception>
    /// <exception cref="PilePoisonedException">A write to the pile's files failed, now or before; nothing was changed.</exception>
    /// <exception cref="PileException">An object to update has used up its versions, a pointer is another pile's, or the pile was opened with
    /// <see cref="PileOpenMode.ReadOnly"/>; nothing was changed.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public void Commit()
    {
        ThrowIfSpent();
        Span<BatchMember> members = CollectionsMarshal.AsSpan(_members);
        PileStatus status;
        int failed;
        try
        {
            status = _heap.TryCommit(members, _payloads.WrittenSpan, out failed);
        }
        catch when (members is [.., { IsSwung: true }])
        {
            // Want of memory, behind the last change: they are all made, and the slots of what was put are no longer the batch's.
            _isSpent = true;
            _payloads.Dispose();
            throw;
        }

        if (status != PileStatus.Ok)
        {
            WriteFailures.Throw(_pile, status, failed < 0 ? default : new PilePointer(members[failed].Pointer), nameof(Commit), _bytes);
        }

        _isSpent = true;
        _payloads.Dispose();
    }

    /// <summary>Ends the batch; without <see cref="Commit"/> nothing of it is done.</summary>
    public void Dispose()
    {
        if (_isSpent)
        {
            return;
        }

        _isSpent = true;
        Gates.Anyhow(ReturnSlots);
        _payloads.Dispose();
    }

    private void ReturnSlots()
    {
        foreach (ref BatchMember member in CollectionsMarshal.AsSpan(_members))
        {
            if (member.Action == BatchAction.Put)
            {
                _heap.ReturnSlot(member);
                member.Action = BatchAction.None;
            }
        }
    }

    private void Stage<T>(T value, BatchAction action, out BatchMember member)
    {
        ArgumentNullException.ThrowIfNull(value);
        int before = _payloads.WrittenBytes;
        try
        {
            var target = new StagingTarget(_payloads);
            PileStatus status = TypedPayloads.Send(_pile, value, ref target);
            if (status != PileStatus.Ok)
            {
                WriteFailures.Throw(_pile, status, default, nameof(Put), target.Bytes);
            }

            member = new BatchMember { Action = action, Code = target.Code, Offset = target.Offset, Bytes = target.Bytes };
            CheckRoom(BytesOf(member));
            _bytes += BytesOf(member);
        }
        catch
        {
            _payloads.Truncate(before);
            throw;
        }
    }

    private void CheckRoom(long bytes)
    {
        if (_bytes + bytes > _heap.BytesMax)
        {
            throw new PileFullException(
                $"The batch has {_bytes:N0} bytes of records, and {bytes:N0} more are more than a batch may have (BatchBytesMax = {_heap.BytesMax:N0}). Commit it and begin another one.");
        }
    }

    private void Add(in BatchMember member)
    {
        _bytes += member.Action == BatchAction.Delete ? BytesOf(member) : 0;
        _byPointer[member.Pointer] = _members.Count;
        _members.Add(member);
    }

    private long BytesOf(in BatchMember member) => member.Action switch
    {
        BatchAction.None => 0,
        BatchAction.Delete => DurableRecord.HeaderBytes,
        _ when member.Bytes >= _pile.Core.LargePayloadBytesMin => DurableRecord.HeaderBytes + LargeDescriptor.Bytes,
        _ => SegmentWriter<DurableRecord>.RecordBytes(member.Bytes),
    };

    private void ThrowIfSpent()
    {
        if (_isSpent)
        {
            Throw.Spent(nameof(PileBatch));
        }
    }

    /// <summary>Takes a payload into the batch's buffer.</summary>
    private struct StagingTarget(PileBufferWriter buffer) : IPayloadTarget
    {
        internal RecordCode Code { get; private set; }

        internal int Offset { get; private set; }

        internal int Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            Check.PayloadBytes(payload.Bytes);
            Code = code;
            Bytes = payload.Bytes;
            Offset = buffer.WrittenBytes;
            if ((long)Offset + Bytes > Limits.PayloadBytesMax)
            {
                throw new PileFullException(
                    $"The values of the batch have {Offset:N0} bytes, and {Bytes:N0} more are more than it may keep (PayloadBytesMax = {Limits.PayloadBytesMax:N0}). Commit it and begin another one.");
            }

            if (Bytes > 0)
            {
                payload.WriteTo(buffer.GetSpan(Bytes)[..Bytes]);
                buffer.Advance(Bytes);
            }

            return PileStatus.Ok;
        }
    }
}
