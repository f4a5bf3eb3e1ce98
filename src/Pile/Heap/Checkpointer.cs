// Takes checkpoints (C3): a copy of the table beside the log's users, so that the recovery after a power cut walks only what was
// written since. The position is noted first, then every writer is held once: what lies below the position has its entry from then
// on. Then the table is copied, the log flushed, and meta flipped.
using System;
using System.Buffers.Binary;
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Checkpoints of one pile. Thread-safe.</summary>
internal sealed class Checkpointer(HeapCore<DurableRecord> core, DurableHeap heap)
{
    private const long Unknown = -1;
    private readonly Lock _gate = new();
    private long _appendedAtLast = Unknown;

    /// <summary>Whether the pile takes any: only what may be crawled after a power cut and written again has a use for them.</summary>
    internal bool AreWanted => heap.Promise == PilePromise.PowerSafe && !heap.Directory.IsReadOnly;

    /// <summary>Whether so much was appended since the last one that another pays: its cost is a fraction of theirs, and the walk of a
    /// recovery stays a multiple of the table.</summary>
    internal bool IsDue =>
        AreWanted && core.IsCountedWhole && heap.Upkeep.Recounting.TableDamages == 0
        && core.Writers.AppendedBytes - AppendedAtLast() > long.Max(FileLimits.CheckpointBytesMin, FileLimits.CheckpointTableFactor * (long)core.Slots.HighWater * Limits.WordBytes);

    /// <summary>Takes one.</summary>
    /// <param name="cancellationToken">Ends the copying; the checkpoint of before stays.</param>
    /// <returns>False when there was no room for it, the table is damaged, or the pile was cleared meanwhile: the one of before, if any,
    /// stays.</returns>
    /// <exception cref="PilePoisonedException">A flush failed.</exception>
    internal bool TryTake(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            MetaSlot found = heap.Directory.Meta;
            uint number = uint.Max(1, found.CheckpointFile + 1);
            long appended = core.Writers.AppendedBytes;
            bool hasRoom = (core.Slots.HighWater * (long)Limits.WordBytes) + CheckpointHeader.BlockBytes <= core.Budget.FreeBytes;
            if (!hasRoom || heap.Upkeep.Recounting.TableDamages > 0 || !TryWrite(number, cancellationToken))
            {
                // Tried again when as much was appended again.
                Volatile.Write(ref _appendedAtLast, appended);
                return false;
            }

            Fault.Stop(StopPoint.CheckpointWritten);
            bool isCleared = false;
            bool isFlipped = heap.TryFiles(() => heap.Directory.WriteMeta(meta =>
            {
                // A Clear in between has said that the segments of before do not count.
                isCleared = meta.FirstCountingSequence != found.FirstCountingSequence;
                return isCleared ? meta : meta with { CheckpointFile = number };
            }));
            Fault.Stop(StopPoint.CheckpointCounts);
            if (isFlipped)
            {
                _ = heap.Directory.Checkpoints.TryDeleteOthers();
                Volatile.Write(ref _appendedAtLast, appended);
            }

            return isFlipped && !isCleared;
        }
    }

    /// <summary>Bytes that had been appended when the last checkpoint was taken; after an open, all that is there less what a crawl would
    /// walk with the checkpoint of before.</summary>
    private long AppendedAtLast()
    {
        if (Volatile.Read(ref _appendedAtLast) == Unknown)
        {
            long known = 0;
            heap.Directory.Checkpoints.Open(out Checkpoint? before, out _);
            using (before)
            {
                for (int index = 0; index < core.Directory.Count && before is not null; index++)
                {
                    Segment segment = core.Directory[index];
                    known += segment.State == SegmentState.Sealed ? before.KnownBytes(new StoredSegment(segment, SegmentRowState.Sealed, segment.WrittenBytes)) : 0;
                }
            }

            _ = Interlocked.CompareExchange(ref _appendedAtLast, known, Unknown);
        }

        return Volatile.Read(ref _appendedAtLast);
    }

    /// <summary>Writes the file. Without room on the device, or memory, or where an entry is found to be damaged, there is none: that harms nothing but
    /// the time of a recovery.</summary>
    private bool TryWrite(uint number, CancellationToken cancellationToken)
    {
        CheckpointFiles checkpoints = heap.Directory.Checkpoints;
        try
        {
            using StoreFile file = checkpoints.Create(number);
            CheckpointHeader header = Copy(file, number, cancellationToken);
            heap.Flusher.Commit();
            file.Write(0, (header with { Flush = core.Log.Flushes.Completed }).ToBytes());
            checkpoints.Complete(file);
            return true;
        }
        catch (Exception failure) when (failure is FileCallException or PileCorruptedException or OutOfMemoryException)
        {
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.CheckpointFailed(core.Tag, failure.Message));
            _ = checkpoints.TryDeleteOthers();
            return false;
        }
    }

    private CheckpointHeader Copy(StoreFile file, uint number, CancellationToken cancellationToken)
    {
        long[] sequences = new long[core.Directory.Count];
        for (int index = 0; index < sequences.Length; index++)
        {
            sequences[index] = core.Directory[index].Sequence;
        }

        OpenSegment[] open = heap.ListOpen([]);
        core.Writers.HoldAll();
        core.Writers.ReleaseAll();
        core.Cleaner.EnterRole();
        core.Cleaner.ExitRole();

        // After the position: whatever was stored before it has its slot below this, and its entry in the table by now.
        uint highWater = core.Slots.HighWater;
        var header = new CheckpointHeader(core.Log.Identity, number, highWater, Known: 0, Flush: 0, open, sequences, new uint[PageSums.PagesOf(highWater)]);
        uint known = 0;
        byte[] buffer = new byte[Limits.TablePageSlots * Limits.WordBytes];
        for (int page = 0; page < header.Sums.Length; page++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            uint first = (uint)page * Limits.TablePageSlots;
            Span<byte> entries = buffer.AsSpan(0, (int)uint.Min(Limits.TablePageSlots, highWater - first) * Limits.WordBytes);
            known = uint.Max(known, CopyPage(first, entries));
            header.Sums[page] = Crc32C.Compute(entries);
            file.Write(header.Bytes + ((long)first * Limits.WordBytes), entries);
        }

        return header with { Known = known };
    }

    /// <summary>Copies a page.</summary>
    /// <returns>One above the last slot of it that has a record; 0 for none.</returns>
    private uint CopyPage(uint first, Span<byte> entries)
    {
        uint known = 0;
        EpochLine line = EpochLine.Current;
        long held = line.Enter(core.Epochs.IdWord);
        try
        {
            for (int index = 0; index * Limits.WordBytes < entries.Length; index++)
            {
                uint slot = first + (uint)index;
                ulong entry = StoredEntry(slot, core.Table.Read(slot));
                BinaryPrimitives.WriteUInt64LittleEndian(entries[(index * Limits.WordBytes)..], entry);
                known = entry == 0 ? known : slot + 1;
            }

            return known;
        }
        finally
        {
            line.Leave(held);
        }
    }

    /// <summary>The entry as the log has it: a free one by its tombstone, as a recovery may have raised it since.</summary>
    /// <exception cref="PileCorruptedException">It leads to none.</exception>
    private ulong StoredEntry(uint slot, ulong entry)
    {
        long location = EntryWord.Location(entry);
        if (EntryWord.IsLive(entry) || EntryWord.IsInternal(entry) || location == 0)
        {
            return location == 0 ? 0 : entry;
        }

        return LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, location, out LogRecord record) && record.Slot == slot && record.Code == RecordCode.Tombstone
            ? record.Entry()
            : throw new PileCorruptedException($"The table's entry of slot {slot} leads to no tombstone.", path: heap.Directory.FullPath);
    }
}
