// Schemas in the heap: ordinary slots and records that no pointer reaches, because their entries are not live.
// They are relocated like any record, survive Clear, and are counted apart from the user's objects.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cleaning;
using Pile.Codecs;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Keeps and lists schema records. Thread-safe.</summary>
/// <param name="core">The heap.</param>
/// <param name="types">What its files know of types; null in memory, where no record is lost.</param>
internal sealed class HeapSchemas<TFormat>(HeapCore<TFormat> core, StoredTypes? types = null) : ISchemaStore
    where TFormat : struct, IRecordFormat
{
    private readonly HeapRoom<TFormat> _room = core.RoomForWrites;
    private readonly long _writeWord = core.Epochs.WriteWord;

    /// <inheritdoc/>
    public PileStatus Issue(int lastNumber) => types?.Issue(lastNumber) ?? PileStatus.Ok;

    /// <inheritdoc/>
    public PileStatus Keep(ReadOnlySpan<byte> record)
    {
        EpochLine line = EpochLine.Current;
        RoomAttempt attempt = default;
        Check.That(core.Directory.SegmentBytesForRecord(SegmentWriter<TFormat>.RecordBytes(record.Length)) == core.Directory.SegmentBytesMin);
        while (true)
        {
            long held = line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            Room missing;
            try
            {
                writer = core.Writers.Hold(line);
                missing = core.WriteRefusal != PileStatus.Ok ? Room.Closed
                    : !writer.EnsureSpace(SegmentWriter<TFormat>.RecordBytes(record.Length), attempt.OverRatio) ? Room.Segment
                    : !writer.EnsureSlot() ? Room.Slots
                    : Room.Found;
                if (missing == Room.Found)
                {
                    Publish(writer, record);
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
            }

            if (missing == Room.Found)
            {
                // Before the first record that uses it (W5).
                core.InternalKept();
            }

            PileStatus status = missing switch
            {
                Room.Found => PileStatus.Ok,
                Room.Closed => core.WriteRefusal,
                _ => _room.Make(missing, held, ref attempt, record.Length),
            };
            if (status != PileStatus.Ok || missing == Room.Found)
            {
                return status;
            }
        }
    }

    /// <summary>The schema records, in slot order. Called inside an epoch, or with all writers held.</summary>
    internal List<byte[]> List()
    {
        List<byte[]> records = [];
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsInternal(entry))
            {
                long location = EntryWord.Location(entry);
                records.Add(core.Directory.Space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(core.Directory.Space.ReadWord(location))).ToArray());
            }
        }

        return records;
    }

    private void Publish(SegmentWriter<TFormat> writer, ReadOnlySpan<byte> record)
    {
        uint slot = writer.TakeSlot();
        ref ulong entry = ref core.Table.Entries.At(slot);
        var stamp = new RecordStamp { Generation = EntryWord.Generation(ulong.Max(EntryWord.NextGeneration(entry), core.FirstGeneration)), Version = 1 };
        long location = writer.Append(slot, RecordCode.Schema, new BytesPayload(record), stamp);
        core.CountSchema(SegmentWriter<TFormat>.RecordBytes(record.Length));

        // Who sees the entry sees the record; that is the cleaner alone. In files it may be moving the slot's tombstone.
        ulong before = Interlocked.Exchange(ref entry, EntryWord.Internal(location));
        core.CheckedEntries.CountDeadTombstone(writer, slot, before);
        core.NoteInternal(slot);
    }
}
