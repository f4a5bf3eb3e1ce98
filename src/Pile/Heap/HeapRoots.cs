// Roots in the heap: a record of code Root for each name, in an ordinary slot that no pointer reaches, because its entry is not
// live. Changed by an append and a swing like any object, so that a name leads to the old pointer or to the new one, never to none.
// Payload: pointer 64 | the name in UTF-8.
using System;
using System.Buffers.Binary;
using System.Text;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Writes root records. The caller lets one thread in at a time.</summary>
internal sealed class HeapRoots(HeapCore<DurableRecord> core)
{
    private const int PointerBytes = sizeof(ulong);
    private readonly long _writeWord = core.Epochs.WriteWord;

    /// <summary>Whether so many bytes can be a root's.</summary>
    internal static bool CanBe(int payloadBytes) => payloadBytes >= PointerBytes;

    /// <summary>Reads a root record's payload.</summary>
    internal static (string Name, ulong Pointer) Read(ReadOnlySpan<byte> payload) =>
        (Encoding.UTF8.GetString(payload[PointerBytes..]), BinaryPrimitives.ReadUInt64LittleEndian(payload));

    /// <summary>A root record's payload.</summary>
    internal static byte[] PayloadOf(string name, ulong pointer)
    {
        byte[] payload = new byte[PointerBytes + Encoding.UTF8.GetByteCount(name)];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, pointer);
        _ = Encoding.UTF8.GetBytes(name, payload.AsSpan(PointerBytes));
        return payload;
    }

    /// <summary>Adds a root, or changes where one leads.</summary>
    /// <param name="slot">Its slot; 0 for a new one, and then the slot it got.</param>
    /// <param name="name">Its name.</param>
    /// <param name="pointer">Where it leads.</param>
    internal PileStatus Set(ref uint slot, string name, ulong pointer) => Append(ref slot, RecordCode.Root, PayloadOf(name, pointer));

    /// <summary>Removes a root: its slot gets a tombstone, like a deleted object's.</summary>
    internal PileStatus Remove(uint slot) => Append(ref slot, RecordCode.Tombstone, []);

    private PileStatus Append(ref uint slot, RecordCode code, byte[] payload)
    {
        RoomAttempt attempt = default;
        int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(payload.Length);
        while (true)
        {
            EpochLine line = EpochLine.Current;
            bool isNew = slot == 0;
            long held = isNew ? line.Enter(_writeWord) : core.Stripes!.Enter(slot, line, _writeWord);
            SegmentWriter<DurableRecord>? writer = null;
            PileStatus status = core.WriteRefusal;
            Room missing;
            try
            {
                writer = core.Writers.Hold(line);
                bool isLast = !isNew && code == RecordCode.Root && core.CheckedEntries.HasLastVersion(slot, core.Table.Read(slot));
                status = status == PileStatus.Ok && isLast ? PileStatus.VersionsExhausted : status;
                missing = status != PileStatus.Ok ? Room.Closed
                    : !writer.EnsureSpace(recordBytes, attempt.OverRatio) ? Room.Segment
                    : isNew && !writer.EnsureSlot() ? Room.Slots
                    : Room.Found;
                if (missing == Room.Found)
                {
                    slot = isNew ? writer.TakeSlot() : slot;
                    Swing(writer, slot, code, payload, isNew);
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
                if (!isNew)
                {
                    core.Stripes!.Exit(slot);
                }
            }

            if (missing is Room.Segment or Room.Slots)
            {
                status = core.RoomForWrites.Make(missing, held, ref attempt, payload.Length);
            }

            if (missing == Room.Found || status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private void Swing(SegmentWriter<DurableRecord> writer, uint slot, RecordCode code, byte[] payload, bool isNew)
    {
        ref ulong entry = ref core.Table.Entries.At(slot);
        ulong seen = Volatile.Read(ref entry);
        ulong word1 = isNew ? 0 : core.Directory.Space.ReadWord(EntryWord.Location(seen) + 1);
        uint generation = isNew
            ? EntryWord.Generation(ulong.Max(EntryWord.NextGeneration(seen), core.FirstGeneration))
            : DurableRecord.Generation(word1);
        var stamp = new RecordStamp { Generation = generation, Version = isNew ? 1 : core.CheckedEntries.StoredVersion(slot, seen, code) };
        long location = writer.Append(slot, code, new BytesPayload(payload), stamp);
        ulong target = code == RecordCode.Tombstone ? EntryWord.Free(generation, location) : EntryWord.Internal(location);

        // Others swing this entry only to move its record, which the exchange overtakes.
        ulong before = Interlocked.Exchange(ref entry, target);

        // The recount after an open has yet to come by: it counts no record of before that is gone then, none that came since, and frees the slot of a tombstone.
        bool isOldCounted = !isNew && core.IsCounted(slot, EntryWord.Location(before));
        int oldBytes = isOldCounted ? SegmentWriter<DurableRecord>.RecordBytes(RecordWord.PayloadBytes(core.Directory.Space.ReadWord(EntryWord.Location(before)))) : 0;
        if (isNew)
        {
            core.CheckedEntries.CountDeadTombstone(writer, slot, before);
            core.NoteInternal(slot);
        }
        else
        {
            core.CheckedEntries.CountDead(writer, before, slot);
        }

        int newBytes = code == RecordCode.Tombstone ? 0 : SegmentWriter<DurableRecord>.RecordBytes(payload.Length);
        core.CountSchemas((code == RecordCode.Tombstone ? 0 : 1) - (isOldCounted ? 1 : 0), newBytes - oldBytes);
        if (code == RecordCode.Tombstone && core.IsSlotCounted(slot))
        {
            writer.FreeSlot(slot, generation);
        }
    }
}
