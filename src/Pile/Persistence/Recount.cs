// Counts what lives after an open that found or built a table: bytes by segment, objects, runs of large objects, free slots.
// It runs beside the pile's users: each slot is counted under its stripe, and who changes a slot that has not been counted yet
// leaves the counting to it (R3). Several threads may count, each a stretch of slots with a share of its own; shares are added up.
using System;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>One recount.</summary>
/// <param name="table">The table.</param>
/// <param name="slots">Gets the free slots.</param>
/// <param name="directory">The segments.</param>
/// <param name="large">Gets the runs.</param>
/// <param name="openedSequence">Records of segments of a greater sequence were written since the open, and are counted already.</param>
/// <param name="firstGeneration">The generation of slots without a record, less one.</param>
/// <param name="freedMustWait">Whether free slots are issued only after a flush.</param>
/// <param name="freedSinceMustWait">Whether those are that were freed since the open (W5): nothing has made their tombstones durable yet.</param>
/// <param name="isStored">Whether entries may be changed.</param>
/// <param name="isGood">Whether an entry refers to a record of its slot.</param>
/// <param name="loseRun">Gets large objects whose pages nobody knows.</param>
/// <param name="ends">Hears what stands behind the ends of segments that were open; null where none was.</param>
/// <param name="mayFree">Whether a free slot may be issued; before it answers it may give the slot a tombstone.</param>
/// <param name="rows">Hears of entries that lead to no record; null where nothing may be stored.</param>
internal sealed class Recount(
    ObjectTable table, SlotPool slots, SegmentDirectory directory, LargeRuns large, long openedSequence, uint firstGeneration, bool freedMustWait, bool freedSinceMustWait, bool isStored, Func<uint, ulong, bool> isGood, Action<LogRecord> loseRun, OpenEnds? ends, Func<uint, ulong, bool> mayFree, LostRows? rows)
{
    private readonly FlatSpace _space = directory.Space;
    private readonly int[] _live = new int[directory.Count];
    private readonly bool[] _isRead = new bool[directory.Count];

    /// <summary>Entries that refer to no record of their slot.</summary>
    internal long Damaged { get; private set; }

    /// <summary>Objects found.</summary>
    internal long Objects { get; private set; }

    /// <summary>Schema records found, and the pile's other own.</summary>
    internal long Internals { get; private set; }

    /// <summary>Their bytes.</summary>
    internal long InternalBytes { get; private set; }

    /// <summary>Bytes of a segment that live.</summary>
    internal int LiveOf(int segment) => segment < _live.Length ? _live[segment] : 0;

    /// <summary>A count of the same pile that has counted nothing yet, for another thread.</summary>
    internal Recount Share() => new(table, slots, directory, large, openedSequence, firstGeneration, freedMustWait, freedSinceMustWait, isStored, isGood, loseRun, ends, mayFree, rows);

    /// <summary>Adds what another thread has counted, when it has ended.</summary>
    internal void Add(Recount share)
    {
        Damaged += share.Damaged;
        Objects += share.Objects;
        Internals += share.Internals;
        InternalBytes += share.InternalBytes;
        for (int index = 0; index < _live.Length; index++)
        {
            _live[index] += share.LiveOf(index);
        }
    }

    /// <summary>Asks for the records of a stretch of slots, and for all of a segment when the first of its records comes: the others come soon.</summary>
    internal void Prefetch(uint first, uint end)
    {
        for (uint slot = first; slot < end; slot++)
        {
            long location = EntryWord.Location(table.Read(slot));
            _space.Prefetch(location);

            // Nothing has been compared yet: a damaged entry leads anywhere.
            int segment = _space.SegmentIndex(location);
            if ((uint)segment < (uint)_isRead.Length && !_isRead[segment])
            {
                _isRead[segment] = true;
                directory[segment].ReadAhead(0, directory[segment].WrittenBytes);
            }
        }
    }

    /// <summary>Counts one slot. Under its stripe, or before anyone else is there.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="chunks">Hears of it before a free slot may be issued: whoever gets it counts its tombstone as dead. Null where nobody changes a slot.</param>
    /// <returns>The version of its record; 0 where it has none.</returns>
    internal ulong Count(uint slot, CountedChunks? chunks)
    {
        ulong entry = table.Read(slot);
        long location = EntryWord.Location(entry);
        if (!isGood(slot, entry))
        {
            // Not a record of this slot: the table is damaged. Nothing is cleaned that it may have meant, and the slot is not issued:
            // nothing says which generations it has had.
            Damaged++;
            slots.Retire(slot);
            ends?.Note(location, DurableRecord.HeaderBytes);
            rows?.Note(slot, entry);
            chunks?.Pass(slot);
            return 0;
        }

        bool isFree = !EntryWord.IsLive(entry) && !EntryWord.IsInternal(entry);
        bool isHeld = isFree && isStored && !mayFree(slot, entry);
        if (isFree)
        {
            entry = table.Read(slot);
            location = EntryWord.Location(entry);
        }

        if (location != 0)
        {
            CountRecord(entry, location);
        }

        chunks?.Pass(slot);
        if (EntryWord.IsLive(entry))
        {
            Objects++;
        }
        else if (isFree && !isHeld)
        {
            // Never with a generation that an object of this slot may have had before it was lost (R8).
            uint generation = location == 0 ? uint.Max(EntryWord.Generation(entry), firstGeneration) : EntryWord.Generation(entry);
            if (location == 0 && isStored)
            {
                table.Publish(slot, EntryWord.Free(generation));
            }

            bool isFreedSince = freedSinceMustWait && location != 0 && directory.At(location).Sequence > openedSequence;
            RestoreFree(slot, generation, freedMustWait || isFreedSince);
        }

        return location == 0 ? 0 : DurableRecord.Version(_space.ReadWord(location + 1));
    }

    private void RestoreFree(uint slot, uint generation, bool isWaiting)
    {
        for (bool isDone = false; !isDone;)
        {
            try
            {
                slots.RestoreFree(slot, generation, isWaiting);
                isDone = true;
            }
            catch (OutOfMemoryException)
            {
                // The slot is counted, and nobody counts it again: until there is memory for it.
                _ = Thread.Yield();
            }
        }
    }

    private void CountRecord(ulong entry, long location)
    {
        Segment segment = directory.At(location);
        ulong word = _space.ReadWord(location);
        int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(RecordWord.PayloadBytes(word));
        if (segment.Sequence <= openedSequence)
        {
            _live[segment.Index] += recordBytes;
            if (location - segment.Location >= segment.WrittenBytes / Limits.WordBytes)
            {
                ends?.Note(location, recordBytes);
            }

            if (EntryWord.IsInternal(entry))
            {
                Internals++;
                InternalBytes += recordBytes;
            }

            if (RecordWord.Code(word) != RecordCode.Large)
            {
                return;
            }

            var record = LogRecord.Read(_space, location);
            if (record.TryReadRun(_space, out LargeDescriptor run))
            {
                _ = large.TryRestoreRun(run.RunLocation, run.PayloadBytes);
            }
            else
            {
                // Of a damaged one nobody knows the pages: the object is Corrupted, and they are free.
                loseRun(record);
            }
        }
    }
}
