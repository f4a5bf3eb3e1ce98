// Batches: one frame under one checksum with ordinary records inside (B1). The stripes of all members are held from check to the
// last swing (B2), so that a member that went stale stops the batch before anything is appended. After a crash the frame is there
// whole, and all its members with it, or it is not there.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Commits batches. Thread-safe; a batch itself belongs to one caller.</summary>
/// <param name="core">The heap.</param>
/// <param name="bytesMax">Bytes of the records of one batch at the most.</param>
internal sealed class HeapBatches(HeapCore<DurableRecord> core, int bytesMax)
{
    private readonly long _writeWord = core.Epochs.WriteWord;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly HeapRuns<DurableRecord> _runs = new(core);
    private long _slotsHeld;
    // How often the pile was cleared, and one. Changes while all writers are held.
    private int _clears = 1;

    /// <summary>Bytes of the records of one batch at the most.</summary>
    internal int BytesMax { get; } = bytesMax;

    /// <summary>Slots held by batches that are not committed yet.</summary>
    internal long SlotsHeld => Volatile.Read(ref _slotsHeld);

    /// <summary>Takes a slot for an object that a batch will put.</summary>
    /// <param name="pointer">The pointer that it will have.</param>
    /// <param name="clears">For <see cref="BatchMember.Clears"/>: after the next Clear the slot is anybody's.</param>
    internal PileStatus TryTakeSlot(out ulong pointer, out int clears)
    {
        RoomAttempt attempt = default;
        (pointer, clears) = (0, 0);
        while (true)
        {
            EpochLine line = EpochLine.Current;
            long held = line.Enter(_writeWord);
            SegmentWriter<DurableRecord>? writer = null;
            PileStatus status = core.WriteRefusal;
            bool taken;
            try
            {
                writer = core.Writers.Hold(line);
                taken = status == PileStatus.Ok && writer.EnsureSlot();
                if (taken)
                {
                    uint slot = writer.TakeSlot();
                    Interlocked.Increment(ref _slotsHeld);
                    clears = _clears;
                    ulong generation = ulong.Max(EntryWord.NextGeneration(core.Table.Read(slot)), core.FirstGeneration);
                    NoteIssued(slot, EntryWord.Generation(generation));
                    pointer = PointerWord.Pack(slot, (ulong)core.Tag << PointerWord.TagShift, generation);
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
            }

            status = taken || status != PileStatus.Ok ? status : core.RoomForWrites.Make(Room.Slots, held, ref attempt, requestBytes: 0);
            if (taken || status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    /// <summary>Notes in a free slot's entry that a pointer of a generation was handed out: should the batch not put its object, no other one gets it. A writer is
    /// held; the cleaner may move the slot's tombstone meanwhile.</summary>
    private void NoteIssued(uint slot, uint generation)
    {
        ulong seen = core.Table.Read(slot);
        for (ulong before = ~seen; before != seen;)
        {
            before = seen;
            seen = core.Table.Swing(slot, before, EntryWord.Free(generation, EntryWord.Location(before)));
        }
    }

    /// <summary>Gives back a slot under which nothing was put. Where a power cut may take back what its entry says, a tombstone says it first, as of an object that was
    /// deleted (R8); without room for one the slot stays with the batch until the pile is cleared or opened again.</summary>
    internal void ReturnSlot(in BatchMember member)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_writeWord);
        SegmentWriter<DurableRecord>? writer = null;
        try
        {
            writer = core.IsDisposed ? null : core.Writers.Hold(line);
            if (writer is not null && member.Clears == _clears && core.CheckedEntries.TryBury(writer, member.Pointer))
            {
                writer.FreeSlot(PointerWord.Slot(member.Pointer), PointerWord.Generation(member.Pointer));
                Interlocked.Decrement(ref _slotsHeld);
            }
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }

    /// <summary>Notes that a slot whose pointer a batch of the process before had stays held.</summary>
    internal void NoteLeft() => Interlocked.Increment(ref _slotsHeld);

    /// <summary>All slots go back to the pool, those that batches hold too. All writers are held.</summary>
    internal void NoteClear()
    {
        _clears++;
        Volatile.Write(ref _slotsHeld, 0);
    }

    /// <summary>Does what the members say, all of it or nothing.</summary>
    /// <param name="members">The members, each pointer once.</param>
    /// <param name="payloads">Their payloads.</param>
    /// <param name="failed">The member that a status other than Ok is about; -1 for the batch as a whole.</param>
    internal PileStatus TryCommit(Span<BatchMember> members, ReadOnlySpan<byte> payloads, out int failed)
    {
        var attempt = new RoomAttempt { IsToDelete = OnlyDeletes(members) };
        PileStatus status = PileStatus.Full;
        bool isEnded = false;
        try
        {
            status = TryTakeRuns(members, payloads, out failed);
            status = status == PileStatus.Ok ? TryApply(members, payloads, StripesOf(members), ref attempt, out failed) : status;
            isEnded = true;
            return status;
        }
        finally
        {
            FinishRuns(members, isEnded ? status : attempt.IsRunUsed ? PileStatus.Ok : PileStatus.Full);
        }
    }

    private void FinishRuns(Span<BatchMember> members, PileStatus status)
    {
        foreach (ref BatchMember member in members)
        {
            if (member.Run.PayloadBytes > 0)
            {
                // Another attempt takes its own.
                _ = _runs.Finish(status, new DescriptorPayload(member.Run));
                member.Run = default;
            }
        }
    }

    private PileStatus TryTakeRuns(Span<BatchMember> members, ReadOnlySpan<byte> payloads, out int failed)
    {
        for (failed = 0; failed < members.Length; failed++)
        {
            ref BatchMember member = ref members[failed];
            if (member.Bytes < core.LargePayloadBytesMin || member.Action is not (BatchAction.Put or BatchAction.Update))
            {
                continue;
            }

            RoomAttempt attempt = default;
            PileStatus status = _runs.TryTake(member.Code, new BytesPayload(payloads.Slice(member.Offset, member.Bytes)), ref attempt, out DescriptorPayload descriptor);
            if (status != PileStatus.Ok)
            {
                return status;
            }

            member.Run = descriptor.Run;
        }

        failed = -1;
        return PileStatus.Ok;
    }

    private static int[] StripesOf(ReadOnlySpan<BatchMember> members)
    {
        var stripes = new SortedSet<int>();
        foreach (ref readonly BatchMember member in members)
        {
            if (member.Action is BatchAction.Update or BatchAction.Delete)
            {
                _ = stripes.Add(SlotStripes.StripeOf(PointerWord.Slot(member.Pointer)));
            }
        }

        return [.. stripes];
    }

    private PileStatus TryApply(Span<BatchMember> members, ReadOnlySpan<byte> payloads, int[] stripes, ref RoomAttempt attempt, out int failed)
    {
        int innerBytes = InnerBytes(members);
        bool frees = OnlyDeletes(members);
        while (true)
        {
            EpochLine line = EpochLine.Current; // First, because it may throw: a stripe that stayed held would be held for ever.
            long held = core.Stripes!.Enter(stripes, line, _writeWord);
            SegmentWriter<DurableRecord>? writer = null;
            PileStatus status;
            bool fits = true;
            try
            {
                writer = core.Writers.Hold(line);
                status = Check(members, out failed);
                if (status == PileStatus.Ok && innerBytes > 0)
                {
                    int frameBytes = DurableRecord.HeaderBytes + innerBytes;
                    SegmentWriter<DurableRecord> own = writer;
                    fits = frees ? core.Writers.EnsureSpaceToDelete(ref writer, line, frameBytes) : writer.EnsureSpace(frameBytes, attempt.OverRatio);
                    // Between two writers a Clear may have come.
                    status = fits && writer != own ? Check(members, out failed) : status;
                    if (fits && status == PileStatus.Ok)
                    {
                        attempt.IsRunUsed = true;
                        Apply(writer!, members, payloads);
                    }
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
                core.Stripes!.Exit(stripes);
            }

            if (fits)
            {
                core.RoomForWrites.ReclaimLarge(held);
                return status;
            }

            status = core.RoomForWrites.Make(Room.Segment, held, ref attempt, innerBytes);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private static bool OnlyDeletes(ReadOnlySpan<BatchMember> members)
    {
        foreach (ref readonly BatchMember member in members)
        {
            if (member.Action is not (BatchAction.Delete or BatchAction.None))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Bytes of the records of some members; the frame has a header more.</summary>
    internal static int InnerBytes(ReadOnlySpan<BatchMember> members)
    {
        int bytes = 0;
        foreach (ref readonly BatchMember member in members)
        {
            bytes += member.RecordBytes;
        }

        return bytes;
    }

    /// <summary>Counts slots that the caller took from its writer for members that are put, so that <see cref="Apply"/> can count them back.</summary>
    internal void NoteSlotsTaken(ReadOnlySpan<BatchMember> members)
    {
        foreach (ref readonly BatchMember member in members)
        {
            _ = Interlocked.Add(ref _slotsHeld, member.Action == BatchAction.Put ? 1 : 0);
        }
    }

    /// <summary>Appends and swings, all of it or nothing, what <see cref="Check"/> found good. With the stripes of all members and a writer
    /// held that has room for the frame, inside an epoch.</summary>
    internal void Apply(SegmentWriter<DurableRecord> writer, Span<BatchMember> members, ReadOnlySpan<byte> payloads)
    {
        AppendFrame(writer, members, payloads, InnerBytes(members));
        Swing(writer, members);
    }

    /// <summary>Whether all members stand as they are to be changed. With their stripes held, and a writer, which keeps Clear out; inside an epoch.</summary>
    internal PileStatus Check(Span<BatchMember> members, out int failed)
    {
        for (failed = 0; failed < members.Length; failed++)
        {
            ref BatchMember member = ref members[failed];
            if (member.Clears != 0 && member.Clears != _clears)
            {
                return PileStatus.Stale;
            }

            if (member.Action is not (BatchAction.Update or BatchAction.Delete))
            {
                continue;
            }

            PileStatus status = core.CheckedEntries.Check(member.Pointer, default, out member.Entry);
            if (status == PileStatus.Ok && member.Action == BatchAction.Update && core.CheckedEntries.HasLastVersion(PointerWord.Slot(member.Pointer), member.Entry))
            {
                status = PileStatus.VersionsExhausted;
            }

            if (status != PileStatus.Ok)
            {
                return status;
            }
        }

        failed = -1;
        return core.WriteRefusal;
    }

    /// <summary>Writes the members behind the place of the frame's header, then the header: it publishes them together.</summary>
    private void AppendFrame(SegmentWriter<DurableRecord> writer, Span<BatchMember> members, ReadOnlySpan<byte> payloads, int innerBytes)
    {
        long frame = writer.Tail;
        long location = frame + (DurableRecord.HeaderBytes / Limits.WordBytes);
        foreach (ref BatchMember member in members)
        {
            if (member.Action == BatchAction.None)
            {
                continue;
            }

            int bytes = member.StoredBytes;
            Span<byte> target = _space.Bytes(location, DurableRecord.HeaderBytes, bytes);
            if (member.Run.PayloadBytes > 0)
            {
                member.Run.Write(target);
            }
            else
            {
                payloads.Slice(member.Offset, bytes).CopyTo(target);
            }

            RecordCode code = member.Action == BatchAction.Delete ? RecordCode.Tombstone : member.Run.PayloadBytes > 0 ? RecordCode.Large : member.Code;
            var stamp = new RecordStamp
            {
                Generation = PointerWord.Generation(member.Pointer),
                Version = member.Action == BatchAction.Put ? 1 : core.CheckedEntries.StoredVersion(PointerWord.Slot(member.Pointer), member.Entry, code),
            };
            writer.WriteHeader(location, PointerWord.Slot(member.Pointer), code, bytes, stamp);
            member.Location = location;
            location += member.RecordBytes / Limits.WordBytes;
        }

        _ = writer.AppendHeader(frame, slot: 0, RecordCode.Frame, innerBytes, default);
        writer.CountDead(frame, DurableRecord.HeaderBytes);
    }

    /// <summary>Swings every entry, which asks for no memory, and then counts, which may: whatever ends that, no batch of the log is half in the table.</summary>
    private void Swing(SegmentWriter<DurableRecord> writer, Span<BatchMember> members)
    {
        foreach (ref BatchMember member in members)
        {
            uint generation = PointerWord.Generation(member.Pointer);
            ulong target = member.Action == BatchAction.Delete ? EntryWord.Free(generation, member.Location) : EntryWord.Live(member.Location, generation);
            if (member.Action == BatchAction.Put)
            {
                member.Entry = Interlocked.Exchange(ref core.Table.Entries.At(PointerWord.Slot(member.Pointer)), target);
            }
            else if (member.Action != BatchAction.None)
            {
                _ = core.CheckedEntries.SwingAway(member.Pointer, default, target, ref member.Entry);
            }

            member.IsSwung = true;
        }

        foreach (ref readonly BatchMember member in members)
        {
            uint slot = PointerWord.Slot(member.Pointer);
            if (member.Action == BatchAction.Put)
            {
                writer.CountObjects(1);
                Interlocked.Decrement(ref _slotsHeld);
                core.CheckedEntries.CountDeadTombstone(writer, slot, member.Entry);
            }
            else if (member.Action != BatchAction.None)
            {
                core.CheckedEntries.CountDead(writer, member.Entry, slot);
                if (member.Action == BatchAction.Delete && core.IsSlotCounted(slot))
                {
                    writer.CountObjects(-1);
                    writer.FreeSlot(slot, PointerWord.Generation(member.Pointer));
                }
            }

            if (member.Run.PayloadBytes > 0)
            {
                core.Large.NotePublished(member.Run.PayloadBytes);
            }
        }
    }
}
