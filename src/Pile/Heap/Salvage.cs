// Takes out of each segment of a damaged pile the records that the table refers to, and puts them one behind the other: the copy is
// whole. A lost object becomes its tombstone, so that no older value of it comes back; what is old, or is no record, is left out.
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
/// <param name="directory">Its directory.</param>
/// <param name="files">Its files, and those that stand in for what is missing.</param>
internal sealed class Salvage(HeapCore<DurableRecord> core, PileDirectory directory, StandInFiles files)
{
    private readonly FlatSpace _space = core.Directory.Space;
    private long _leftRunBytes = core.Extents.Bytes * FileLimits.CrawlRunsOverExtentsMax;
    private readonly List<PileDamageReport> _dropped = [.. files.Dropped];

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

    /// <summary>What counts of a segment, record behind record from its beginning; never more than there was.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="bytes">Bytes of it that count.</param>
    /// <param name="runs">Gets the page runs of its large objects.</param>
    internal ReadOnlyMemory<byte> Take(Segment segment, int bytes, List<LargeDescriptor> runs)
    {
        byte[] taken = new byte[bytes];
        int end = SegmentHeader.Bytes;
        uint salt = DurableRecord.SaltOf(core.Log.Identity, segment.Sequence);
        var walk = new SegmentWalk<DurableRecord>(_space, segment, bytes, core.Log.Identity);
        while (true)
        {
            int begin = walk.Offset;
            if (walk.TryNext(out long location, out _, out _))
            {
                var record = LogRecord.Read(_space, location);
                if (IsCurrent(record))
                {
                    var stamp = new RecordStamp(DurableRecord.Version(record.Word1), DurableRecord.Generation(record.Word1), salt, segment.Location + (end / Limits.WordBytes));
                    end += IsWhole(record) ? Keep(taken.AsSpan(end), record, stamp, runs) : Drop(taken.AsSpan(end), segment, begin, record, stamp);
                }
            }
            else if (walk.IsBad)
            {
                DamagedStretch.Skip(_space, ref walk, bytes);
                Note(segment, $"segment {segment.Index}, byte {begin}, {walk.Offset - begin} bytes without a record: objects whose newest record stood there are missing, older than they were, or there although they were deleted");
            }
            else
            {
                return taken.AsMemory(0, end);
            }
        }
    }

    private int Keep(Span<byte> target, in LogRecord record, in RecordStamp stamp, List<LargeDescriptor> runs)
    {
        int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes);
        _space.Bytes(record.Location, 0, recordBytes).CopyTo(target);
        DurableRecord.Restamp(target[Limits.WordBytes..], record.Word0, stamp);
        if (record.Code == RecordCode.Large)
        {
            runs.Add(RunOf(record));
        }

        return recordBytes;
    }

    /// <summary>Puts a tombstone in the place of an object.</summary>
    private int Drop(Span<byte> target, Segment segment, int begin, in LogRecord record, in RecordStamp stamp)
    {
        string what = record.Code switch
        {
            RecordCode.Schema => "a type's schema is lost: its objects can't be read as such",
            RecordCode.Root => "a root is lost, its object is not",
            _ => $"the object of slot {record.Slot} is lost",
        };
        Note(segment, $"segment {segment.Index}, byte {begin}, {SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes)} bytes: {what}");
        if (record.Code is RecordCode.Schema or RecordCode.Root)
        {
            return 0;
        }

        ulong word = RecordWord.Pack(record.Slot, RecordCode.Tombstone, payloadBytes: 0);
        BinaryPrimitives.WriteUInt64LittleEndian(target, word);
        DurableRecord.WriteRest(target[Limits.WordBytes..], word, PayloadSum.Of(word, []), stamp);
        return DurableRecord.HeaderBytes;
    }

    /// <summary>Whether the table refers to a record: an object, one of the pile's own, or the tombstone of a free slot.</summary>
    private bool IsCurrent(in LogRecord record) =>
        record.HasSlot && EntryWord.Location(core.Table.ReadAny(record.Slot)) == record.Location;

    private bool IsWhole(in LogRecord record)
    {
        if (!record.IsPayloadWhole(_space) || record.Code != RecordCode.Large)
        {
            return record.IsPayloadWhole(_space);
        }

        // Runs of current descriptors share no page: whoever made so many that do wants it to take hours. What is left counts as damaged.
        bool isThere = record.TryReadRun(_space, out LargeDescriptor run) && core.Extents.ContainsRun(run.RunLocation, run.PayloadBytes) && run.PayloadBytes <= _leftRunBytes;
        _leftRunBytes -= isThere ? run.PayloadBytes : 0;
        return isThere && Crc32C.Compute(_space.Bytes(run.RunLocation, 0, run.PayloadBytes)) == run.PayloadCrc;
    }

    private LargeDescriptor RunOf(in LogRecord record) => LargeDescriptor.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));

    private void Note(Segment segment, string what) =>
        _dropped.Add(new PileDamageReport(files.RealPath(directory.PathOfRow((int)(segment.Location >> Limits.ExtentShiftWords))), what));
}
