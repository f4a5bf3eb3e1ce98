// The change of a durable entry that owns a value, or did: entry, value and the end of the value before are one batch of the pile (B1), so
// that they survive together or not at all.
using System;
using Pile.Cache.Entries;
using Pile.Format;
using Pile.Heap;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Builds and applies such batches. Thread-safe.</summary>
/// <param name="batches">What applies them.</param>
internal sealed class SlotBatch(HeapBatches batches)
{
    /// <summary>Bytes that the writer must have room for.</summary>
    /// <param name="entryBytes">Bytes of the entry's payload; -1 where it is deleted.</param>
    /// <param name="value">The value that comes.</param>
    /// <param name="seen">What goes.</param>
    internal static int FrameBytes(int entryBytes, in SlotValue value, in SlotSeen seen)
    {
        int bytes = DurableRecord.HeaderBytes + SegmentWriter<DurableRecord>.RecordBytes(int.Max(entryBytes, 0));
        bytes += !value.IsThere ? 0 : SegmentWriter<DurableRecord>.RecordBytes(value.Staged?.Length ?? LargeDescriptor.Bytes);
        return bytes + (seen.Linked == 0 ? 0 : SegmentWriter<DurableRecord>.RecordBytes(0));
    }

    /// <summary>Stores an entry with its value. With stripes, writer and the chain's lock held, inside an epoch.</summary>
    /// <param name="writer">The writer, with room.</param>
    /// <param name="entry">The entry's object: seen, or in a slot that the writer took.</param>
    /// <param name="payload">The entry's payload; where it links to a value, the link is the last of it but for the tail, and is written here.</param>
    /// <param name="tailBytes">Bytes of the payload behind the value or the link.</param>
    /// <param name="value">The value that comes, or default.</param>
    /// <param name="valuePointer">Its object, in a slot that the writer took.</param>
    /// <param name="seen">What is replaced.</param>
    /// <param name="isPublished">Set before anything is appended.</param>
    internal PileStatus Store(
        SegmentWriter<DurableRecord> writer, ulong entry, byte[] payload, int tailBytes, in SlotValue value, ulong valuePointer, in SlotSeen seen, ref bool isPublished)
    {
        // In the order of the swings, because nothing keeps readers out: what an entry leads to is there before it, and goes after it. So whoever finds a link's object
        // gone finds another entry when he looks again.
        var members = new BatchMember[3];
        int count = 0;
        byte[] payloads = payload;
        if (value.IsThere)
        {
            var linked = new LinkedValue(value.Target == 0 ? valuePointer : value.Target, value.ValueBytes, value.Target != 0);
            linked.Write(payload.AsSpan(payload.Length - tailBytes - KeyedHead.LinkBytes));
            payloads = value.Staged is { } staged ? [.. payload, .. staged] : payload;
            members[count++] = new BatchMember
            {
                Pointer = valuePointer,
                Action = BatchAction.Put,
                Code = RecordCode.Extended,
                Offset = payload.Length,
                Bytes = value.PayloadBytes,
                Run = value.Run,
            };
        }

        members[count++] = new BatchMember { Pointer = entry, Action = seen.Pointer == 0 ? BatchAction.Put : BatchAction.Update, Code = RecordCode.Extended, Bytes = payload.Length };
        if (seen.Linked != 0)
        {
            members[count++] = new BatchMember { Pointer = seen.Linked, Action = BatchAction.Delete };
        }

        return Apply(writer, members.AsSpan(0, count), payloads, ref isPublished);
    }

    /// <summary>Deletes an entry with its value. As <see cref="Store"/>.</summary>
    internal PileStatus Delete(SegmentWriter<DurableRecord> writer, in SlotSeen seen)
    {
        bool isPublished = false;
        return Apply(
            writer,
            [new BatchMember { Pointer = seen.Pointer, Action = BatchAction.Delete }, new BatchMember { Pointer = seen.Linked, Action = BatchAction.Delete }],
            [],
            ref isPublished);
    }

    private PileStatus Apply(SegmentWriter<DurableRecord> writer, Span<BatchMember> members, ReadOnlySpan<byte> payloads, ref bool isPublished)
    {
        PileStatus status = batches.Check(members, out _);
        if (status == PileStatus.Ok)
        {
            isPublished = true;
            batches.NoteSlotsTaken(members);
            batches.Apply(writer, members, payloads);
        }

        return status;
    }
}
