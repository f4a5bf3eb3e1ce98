// Copies the records of a damaged segment so that the copy is whole: what is not whole is replaced by a record that says so, in its
// place and of its length. A lost object becomes its tombstone, so that no older value of it comes back; the rest becomes filler.
// The pile is opened for reading alone, and its table was built from the records: nobody writes, and entries name the newest record.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>What a salvage drops. One thread.</summary>
/// <param name="core">The heap.</param>
/// <param name="directory">Its files.</param>
internal sealed class Salvage(HeapCore<DurableRecord> core, PileDirectory directory)
{
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly List<PileDamageReport> _dropped = [];

    /// <summary>What was dropped, with what it means.</summary>
    internal IReadOnlyList<PileDamageReport> Dropped => _dropped;

    /// <summary>Notes the segments of which nothing can be read.</summary>
    internal void NoteQuarantined()
    {
        for (int index = 0; index < core.Directory.Count; index++)
        {
            if (core.Directory[index] is { State: SegmentState.Quarantined, WrittenBytes: <= SegmentHeader.Bytes } segment)
            {
                Note(segment, $"segment {index}: neither its row nor its header can be read; what it held is lost");
            }
        }
    }

    /// <summary>The bytes of a segment, damages replaced.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="bytes">Bytes of it that count.</param>
    /// <param name="runs">Gets the page runs of its large objects, those behind a damage too.</param>
    internal byte[] Take(Segment segment, int bytes, List<LargeDescriptor> runs)
    {
        byte[] taken = _space.Bytes(segment.Location, 0, bytes).ToArray();
        uint salt = DurableRecord.SaltOf(core.Log.Identity, segment.Sequence);
        var walk = new SegmentWalk<DurableRecord>(_space, segment, bytes, core.Log.Identity);
        while (true)
        {
            int begin = walk.Offset;
            if (walk.TryNext(out long location, out _, out _))
            {
                var record = LogRecord.Read(_space, location);
                if (!IsWhole(record))
                {
                    Drop(taken, segment, begin, record, salt);
                }
                else if (record.Code == RecordCode.Large)
                {
                    runs.Add(RunOf(record));
                }
            }
            else if (walk.IsBad)
            {
                DamagedStretch.Skip(_space, ref walk, bytes);
                Note(segment, $"segment {segment.Index}, byte {begin}, {walk.Offset - begin} bytes without a record: objects whose newest record stood there are missing, older than they were, or there although they were deleted");
                Replace(taken, segment, begin, walk.Offset - begin, RecordWord.Pack(slot: 0, RecordCode.Filler, walk.Offset - begin - DurableRecord.HeaderBytes), new RecordStamp { Salt = salt });
            }
            else
            {
                return taken;
            }
        }
    }

    private void Drop(byte[] taken, Segment segment, int begin, in LogRecord record, uint salt)
    {
        if (record.Code == RecordCode.Frame)
        {
            // Of a batch that is damaged the members are looked at one by one; its header alone means nothing then.
            Replace(taken, segment, begin, DurableRecord.HeaderBytes, RecordWord.Pack(slot: 0, RecordCode.Filler, 0), new RecordStamp { Salt = salt });
            return;
        }

        int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes);
        bool isCurrent = record.Slot != 0 && EntryWord.Location(core.Table.ReadAny(record.Slot)) == record.Location;
        bool isObject = record.Code is not (RecordCode.Schema or RecordCode.Root);
        var stamp = new RecordStamp(DurableRecord.Version(record.Word1), DurableRecord.Generation(record.Word1), salt, record.Location);
        Replace(
            taken,
            segment,
            begin,
            recordBytes,
            isCurrent && isObject ? RecordWord.Pack(record.Slot, RecordCode.Tombstone, record.PayloadBytes) : RecordWord.Pack(slot: 0, RecordCode.Filler, record.PayloadBytes),
            stamp);
        if (isCurrent)
        {
            string what = record.Code switch
            {
                RecordCode.Schema => "a type's schema is lost: its objects can't be read as such",
                RecordCode.Root => "a root is lost, its object is not",
                _ => $"the object of slot {record.Slot} is lost",
            };
            Note(segment, $"segment {segment.Index}, byte {begin}, {recordBytes} bytes: {what}");
        }
    }

    /// <summary>Puts a record of zeros in the place of others.</summary>
    private static void Replace(byte[] taken, Segment segment, int begin, int bytes, ulong word, in RecordStamp stamp)
    {
        Span<byte> target = taken.AsSpan(begin, bytes);
        target.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(target, word);
        DurableRecord.WriteRest(
            target[Limits.WordBytes..], word, target.Slice(DurableRecord.HeaderBytes, RecordWord.PayloadBytes(word)), stamp with { Location = segment.Location + (begin / Limits.WordBytes) });
    }

    private bool IsWhole(in LogRecord record)
    {
        if (!record.IsPayloadWhole(_space) || record.Code != RecordCode.Large)
        {
            return record.IsPayloadWhole(_space);
        }

        LargeDescriptor run = RunOf(record);
        bool isCurrent = EntryWord.Location(core.Table.ReadAny(record.Slot)) == record.Location;

        // The pages of one that was replaced may hold another by now.
        return !isCurrent
            || (run.PayloadBytes is > 0 and <= Limits.PayloadBytesMax
                && core.Extents.Contains(run.RunLocation, run.PayloadBytes)
                && Crc32C.Compute(_space.Bytes(run.RunLocation, 0, run.PayloadBytes)) == run.PayloadCrc);
    }

    private LargeDescriptor RunOf(in LogRecord record) => LargeDescriptor.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));

    private void Note(Segment segment, string what) =>
        _dropped.Add(new PileDamageReport(directory.PathOfRow((int)(segment.Location >> Limits.ExtentShiftWords)), what));
}
