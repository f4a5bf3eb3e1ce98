// The one walk over the object table that an open of a cache makes which was no clean one. It builds the indexes of durable tables from their
// entries, finds entries that are nobody's, and large values that no entry owns: whoever stored them was killed before the entry, or their
// table is gone. All cores walk, while the pile is in use and its cleaner knows no cache. What is nobody's is deleted once the cache is the
// pile's, like anything that a program deletes.
// An entry whose bytes are damaged is left alone: it belongs to nobody, and nothing is deleted that can't be read.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Eviction;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>One walk.</summary>
/// <param name="core">The heap.</param>
/// <param name="cache">The cache.</param>
/// <param name="tables">The durable tables that there are.</param>
internal sealed class SlotWalk(HeapCore<DurableRecord> core, CacheCore<DurableRecord> cache, DurableTables tables)
{
    /// <summary>Bytes before a large value itself.</summary>
    internal const int ValuePrefixBytes = 8;

    private const int SlotsOfEpoch = 256;

    private readonly FlatSpace _space = core.Directory.Space;
    private readonly Dictionary<int, HashSet<ulong>?> _kept = [];
    private readonly Dictionary<int, SlotRebuild> _durable = [];
    private readonly SlotShare _found = new();
    private readonly Dictionary<ulong, ulong> _marks = [];
    private readonly Lock _gate = new();
    private int _unknown;
    private volatile bool _hasLost;

    /// <summary>Whether a live entry of the object table leads to no record of its slot: what it was an entry of the cache's of nobody knows, and it may be there
    /// again with the next open.</summary>
    internal bool HasLost => _hasLost;

    /// <summary>Keeps all values of a speculative table.</summary>
    internal void KeepAllOf(int table) => _kept[table] = null;

    /// <summary>Keeps what a repaired speculative table leads to, and no other values of it.</summary>
    internal void Keep(int table, RepairCounts counts)
    {
        _kept[table] = counts.Owned;
        _found.Shared.Add(counts.Shared);
    }

    /// <summary>Adds a durable table.</summary>
    /// <param name="table">It.</param>
    /// <param name="isBuilt">Whether its index is believed as it is.</param>
    internal void Add(TableCore<DurableRecord> table, bool isBuilt) => _durable[table.Id] = new SlotRebuild(table, isBuilt);

    /// <summary>Walks, and takes the counts of what entries share. Nothing is deleted, and of the pile nothing is changed.</summary>
    /// <exception cref="PileFullException">The device has no room for an index.</exception>
    /// <exception cref="PileCorruptedException">There are entries of a durable table that the list of tables should know and does not.</exception>
    internal void Run(AllCores cores)
    {
        uint slots = core.Slots.HighWater;
        cores.Run((int)((slots + (long)FileLimits.TablePieceSlots - 1) / FileLimits.TablePieceSlots), piece =>
        {
            var share = new SlotShare();
            uint first = uint.Max(Limits.FirstSlot, (uint)piece * (uint)FileLimits.TablePieceSlots);
            uint end = (uint)long.Min(slots, (piece + 1L) * FileLimits.TablePieceSlots);
            var attempt = default(RoomAttempt);
            for (uint slot = first; slot < end;)
            {
                // Who ends the pile waits for the walk.
                ObjectDisposedException.ThrowIf(core.IsDisposed, typeof(ObjectPile));
                uint stop = uint.Min(end, slot + SlotsOfEpoch);
                uint next = LookAtSome(slot, stop, share, out SlotRebuild? lacking);
                attempt = next > slot ? default : attempt;

                // The limit keeps no index that comes from anything (BucketMemory.PassesLimit): what lacks is the device, of which room is made as for anything else.
                if (lacking is not null && core.RoomForWrites.Make(Room.Budget, held: 1, ref attempt, (int)CacheLimits.BucketsTakenMin * TableIndex.BucketBytes) != PileStatus.Ok)
                {
                    throw lacking.Full();
                }

                slot = next;
            }

            lock (_gate)
            {
                _found.Add(share);
            }
        });

        if (_unknown != 0)
        {
            throw new PileCorruptedException(
                $"'{tables.FullPath}' {(tables.IsThere ? "is older than the pile" : "is missing")}: there are entries of a durable table with number {_unknown}, which it should name. Restore the file. No entry was changed.", path: tables.FullPath);
        }

        Fault.Stop(StopPoint.CacheSlotsTaken);
        _found.Owned.ExceptWith(_found.Disowned);
        foreach ((ulong mark, ulong pointer) in _found.Marks)
        {
            _found.Shared.Add(pointer, 0);
            _ = _marks.TryAdd(pointer, mark);
        }

        cache.Shared.Restore(_found.Shared.All.Select(count => new SharedObject(count.Key, count.Value, _marks.GetValueOrDefault(count.Key), IsOwned: true, 0, 0)));
    }

    /// <summary>Deletes what is nobody's. What an end of the process, or an exception, leaves of it the next open finds again.</summary>
    internal void DeleteUnowned()
    {
        cache.NoteLoose();
        MarkShared();
        foreach (ulong orphan in _found.Orphans)
        {
            cache.HasOldEntries |= !TryDelete(orphan);
        }

        foreach ((ulong pointer, int table) in _found.Values)
        {
            bool isKept = _durable.ContainsKey(table)
                ? _found.Owned.Contains(pointer)
                : _kept.TryGetValue(table, out HashSet<ulong>? kept) && (kept is null || kept.Contains(pointer));
            if (!isKept)
            {
                _ = TryDelete(pointer);
            }
        }

        cache.NoteSettled();
    }

    /// <summary>Notes in which segments durable entries end. With the cleaner role, before the cache is the pile's.</summary>
    internal void NoteEnds()
    {
        foreach ((int segment, (long end, bool hasNoted)) in _found.Ends)
        {
            cache.Facts.Restore(core.Directory[segment], end, (1 << (int)PileCachePriority.NeverRemove) | (hasNoted ? SegmentFacts.NotedBit : 0));
        }

        // The cleaner may have moved some since they were looked at, and told nobody: where it has copied to is looked at once.
        for (int index = 0; index < core.Directory.Count && _found.Ends.Count > 0; index++)
        {
            if (core.Directory[index] is { HoldsSurvivors: true } segment && segment.Sequence > core.OpenedSequence)
            {
                cache.Facts.Restore(segment, endTicks: 0, (1 << (int)PileCachePriority.NeverRemove) | SegmentFacts.NotedBit);
            }
        }
    }

    /// <summary>Whether each of some shared objects has its mark: what a file says of them is believed of no object that the cache was never given.</summary>
    internal bool AreMarked(List<SharedObject> objects)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(core.Epochs.IdWord);
        HashSet<ulong> seen = [];
        bool areMarked = objects.TrueForAll(known => seen.Add(known.Pointer) && MarkedBy(known.Mark) == known.Pointer);
        line.Leave(held);
        return areMarked;
    }

    /// <summary>The object that a mark is of; 0 where there is no such mark.</summary>
    private ulong MarkedBy(ulong mark)
    {
        if (!cache.Shared.IsObject(mark))
        {
            return 0;
        }

        uint slot = PointerWord.Slot(mark);
        ulong entry = core.Table.Read(slot);
        return LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, EntryWord.Location(entry), out LogRecord record) && record.Slot == slot
            && IsMark(record, slot, entry) ? MarkPayload.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes, MarkPayload.Length)) : 0;
    }

    private bool IsMark(in LogRecord record, uint slot, ulong entry) =>
        record.Code == RecordCode.Extended && record.PayloadBytes == MarkPayload.Length
        && (byte)_space.ReadWord(record.Location + (DurableRecord.HeaderBytes / Limits.WordBytes)) == (byte)ExtendedKind.CacheMark && core.Touch!.IsGood(slot, entry);

    /// <summary>Sees to it that each shared object has one mark. Those to which no entry leads go after the next flush: till then a cut may bring
    /// back an entry that did.</summary>
    private void MarkShared()
    {
        foreach ((ulong mark, ulong pointer) in _found.Marks)
        {
            if (_marks[pointer] != mark)
            {
                // Two calls had marked it, and were killed before one of them could take its own back.
                _ = TryDelete(mark);
            }
        }

        foreach (ulong pointer in _found.Shared.All.Keys)
        {
            if (!_marks.ContainsKey(pointer) && cache.Shared.IsObject(pointer))
            {
                // Its mark did not come to be, or a cut took it. Before the entries go that are nobody's: they may be all that tells of it.
                cache.Shared.Marks.Store(pointer);
            }
        }
    }

    private bool TryDelete(ulong pointer)
    {
        bool isGone = cache.Pile.Writes.TryDelete(pointer) is PileStatus.Ok or PileStatus.Stale;
        if (!isGone)
        {
            // No room for what a deletion leaves in the log: the open after the next clean stop looks again.
            cache.NoteLoose();
        }

        return isGone;
    }

    /// <summary>Looks at a stretch of slots.</summary>
    /// <param name="first">The first.</param>
    /// <param name="end">Behind the last.</param>
    /// <param name="share">Gets what is found.</param>
    /// <param name="lacking">The index for which the device had no room; null for none.</param>
    /// <returns>The first slot that was not looked at.</returns>
    private uint LookAtSome(uint first, uint end, SlotShare share, out SlotRebuild? lacking)
    {
        lacking = null;
        // Inside an epoch: where the pile is shared, its cleaner may be at work.
        EpochLine line = EpochLine.Current;
        long held = line.Enter(core.Epochs.IdWord);
        try
        {
            for (uint slot = first; slot < end; slot++)
            {
                if ((slot - first) % FileLimits.RecountAhead == 0)
                {
                    Prefetch(slot, uint.Min(end, slot + FileLimits.RecountAhead));
                }

                ulong entry = core.Table.Read(slot);
                if (EntryWord.IsLive(entry) && Look(slot, entry, share) is { } full)
                {
                    lacking = full;
                    return slot;
                }
            }

            return end;
        }
        finally
        {
            line.Leave(held);
        }
    }

    private void Prefetch(uint first, uint end)
    {
        for (uint slot = first; slot < end; slot++)
        {
            if (EntryWord.Location(core.Table.Read(slot)) is var location and not 0)
            {
                _space.PrefetchRecord(location);
            }
        }
    }

    /// <summary>Looks at what a slot holds.</summary>
    /// <returns>The index for which there was no room; null for none.</returns>
    private SlotRebuild? Look(uint slot, ulong entry, SlotShare share)
    {
        if (!LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, EntryWord.Location(entry), out LogRecord record) || record.Slot != slot)
        {
            _hasLost = true;
            return null;
        }

        ulong pointer = PointerWord.Pack(slot, core.Tag, EntryWord.Generation(entry));
        if (record.Code == RecordCode.Extended && record.PayloadBytes >= ValuePrefixBytes)
        {
            return LookAtExtended(slot, entry, pointer, record, share);
        }

        if (record.Code == RecordCode.Large && record.PayloadBytes >= LargeDescriptor.Bytes)
        {
            LargeDescriptor run = LargeDescriptor.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
            if (run.Code == RecordCode.Extended && run.PayloadBytes >= ValuePrefixBytes && core.Extents.ContainsRun(run.RunLocation, run.PayloadBytes))
            {
                NoteValue(_space.ReadWord(run.RunLocation), pointer, share);
            }
        }

        return null;
    }

    private SlotRebuild? LookAtExtended(uint slot, ulong entry, ulong pointer, in LogRecord record, SlotShare share)
    {
        int head = DurableRecord.HeaderBytes / Limits.WordBytes;
        ulong prefix = _space.ReadWord(record.Location + head);
        if (!KeyedPrefix.IsEntry(record.Code, prefix))
        {
            NoteValue(prefix, pointer, share);
            if (IsMark(record, slot, entry))
            {
                share.Marks.Add((pointer, MarkPayload.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes, MarkPayload.Length))));
            }

            return null;
        }

        ulong a = record.PayloadBytes < KeyedPrefix.Bytes + KeyedHead.WordsBytes ? 0 : _space.ReadWord(record.Location + head + 1);
        if (a == 0 || !HasHead(record, a) || !core.Touch!.IsGood(slot, entry))
        {
            return null;
        }

        if (!_durable.TryGetValue(KeyedHead.Table(a), out SlotRebuild? table))
        {
            if (KeyedHead.Table(a) >= tables.NumbersEnd)
            {
                Volatile.Write(ref _unknown, KeyedHead.Table(a));
            }

            share.Orphans.Add(pointer);
            SlotRebuild.NoteGone(LinkOf(record, a), share);
            return null;
        }

        if (!table.TryTake(new SlotSeen(pointer, 0), prefix, record.Location, a, share))
        {
            return table;
        }

        if (KeyedHead.IsTimed(a))
        {
            // When one that slides ends is known when it is looked at; until then it may be now.
            share.NoteEnd(core.Directory.At(record.Location).Index, (a & KeyedHead.SlidesBit) != 0 ? 0 : table.EndOf(record.Location, a), (a & KeyedHead.NotedBit) != 0);
        }

        return null;
    }

    /// <summary>Whether head, key and tags, and a link where there is one, have room in the payload.</summary>
    private bool HasHead(in LogRecord record, ulong a)
    {
        int bytes = KeyedPrefix.Bytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a) + ((a & KeyedHead.LinkedBit) != 0 ? KeyedHead.LinkBytes : 0);
        if ((a & KeyedHead.NotedBit) != 0 && record.PayloadBytes >= bytes)
        {
            long note = record.Location + ((DurableRecord.HeaderBytes + KeyedPrefix.Bytes + KeyedHead.NoteOffset(a)) / Limits.WordBytes);
            bytes += NoteWord.Tags(_space.ReadWord(note)) * KeyedHead.TagBytes;
        }

        return record.PayloadBytes >= bytes;
    }

    /// <summary>What an entry leads to, where that stands elsewhere.</summary>
    private LinkedValue LinkOf(in LogRecord record, ulong a) => (a & KeyedHead.LinkedBit) == 0
        ? default
        : LinkedValue.Read(_space.Bytes(record.Location, DurableRecord.HeaderBytes + KeyedPrefix.Bytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a), KeyedHead.LinkBytes), a);

    private static void NoteValue(ulong prefix, ulong pointer, SlotShare share)
    {
        if ((byte)prefix == (byte)ExtendedKind.CacheValue)
        {
            share.Values.Add((pointer, (int)(prefix >> 32)));
        }
    }
}
