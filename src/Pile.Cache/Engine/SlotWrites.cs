// Writes of a durable table in files. The entry is an object of the pile: stored by a Put, replaced by an Update, removed by a Delete, each
// under the lock of the key's chain, so that a key has one slot. Locks are taken in the order stripe, writer, chain; whose stripe it is
// must be known before, so that a write looks for the former entry first without a lock, and starts again when it finds another one under
// it. Nothing is appended that may be refused (W2): what comes to an entry is decided, and its cell has its place, before.
using System;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>The write side of one durable table in files. Thread-safe.</summary>
internal sealed class SlotWrites(TableCore<DurableRecord> table, SlotLooks looks)
{
    private readonly CacheCore<DurableRecord> _cache = table.Cache;
    private readonly HeapCore<DurableRecord> _core = table.Cache.Core;
    private readonly SlotState _state = table.Slots!;
    private readonly TableIndex _index = table.Index;
    private readonly TableLookup<DurableRecord> _lookup = table.Lookup;
    private readonly WordArray _words = table.Index.Words;
    private readonly TableConditions<DurableRecord> _conditions = new(table);
    private readonly HeapRuns<DurableRecord> _runs = new(table.Cache.Core);
    private readonly SlotBatch _batch = new(table.Cache.Pile.Durable!.Batches);
    private readonly long _writeWord = table.Cache.Core.Epochs.WriteWord;
    private readonly SlotTakes _slots = new(table.Cache.Core);

    /// <inheritdoc cref="TableWrites{TFormat}.Set"/>
    /// <param name="key">The key.</param>
    /// <param name="a">Word A of the head, without the version.</param>
    /// <param name="value">The value.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="condition">What must hold for it.</param>
    /// <param name="expected">The version expected, where that is the condition.</param>
    /// <param name="result">What became of it, when Ok.</param>
    internal PileStatus Set<TPayload>(
        scoped EntryKey key, ulong a, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct =>
        KeyedPrefix.Bytes + KeyedHead.KeyOffset(a) + key.Bytes.Length + (long)value.Bytes + terms.TailBytes < _core.LargePayloadBytesMin
            ? StoreAlone(key, a, value, terms, condition, expected, default, out result)
            : SetLinked(key, a, value, terms, condition, expected, out result);

    /// <summary>Stores an entry with what comes with it, which has no pages to give back.</summary>
    internal PileStatus StoreAlone<TPayload>(
        scoped EntryKey key, ulong a, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, in SlotValue own, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct
    {
        var attempt = new RoomAttempt { IsToDelete = _state.TakesDeletionRoom };
        return Store(key, a, value, terms, condition, expected, own, evictedBefore: -1, ref attempt, out result);
    }

    private PileStatus SetLinked<TPayload>(
        scoped EntryKey key, ulong a, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct
    {
        result = new PileSetResult(PileSetOutcome.Full, 0);
        var owned = new OwnedPayload<TPayload>(value, table.Id);
        if (!ValueRoom.HoldsOrTells(_cache, owned.Bytes))
        {
            return PileStatus.Ok;
        }

        long evictedBefore = _cache.Evicted;
        DescriptorPayload run = default;
        byte[]? staged = null;
        if (owned.Bytes >= _core.LargePayloadBytesMin)
        {
            RoomAttempt attempt = default;
            PileStatus status = _runs.TryTake(RecordCode.Extended, owned, ref attempt, out run);
            if (status != PileStatus.Ok)
            {
                result = new PileSetResult(PileSetOutcome.Full, _cache.EvictedSince(evictedBefore));
                return status == PileStatus.Full ? PileStatus.Ok : status;
            }
        }
        else
        {
            staged = new byte[owned.Bytes];
            owned.WriteTo(staged);
        }

        RoomAttempt storing = default;
        PileStatus stored = PileStatus.Full;
        bool isEnded = false;
        try
        {
            Span<byte> link = stackalloc byte[KeyedHead.LinkBytes];
            stored = Store(
                key, a | KeyedHead.LinkedBit, new BytesPayload(link), terms, condition, expected, new SlotValue(value.Bytes, run.Run, staged), evictedBefore, ref storing, out result);
            isEnded = true;
            return stored;
        }
        finally
        {
            if (staged is null)
            {
                bool isUsed = isEnded ? result.IsStored : storing.IsRunUsed;
                _ = _runs.Finish(isUsed ? PileStatus.Ok : stored == PileStatus.Ok ? PileStatus.Full : stored, run);
            }
        }
    }

    /// <summary>Stores an entry with what comes with it. Whatever is thrown, it holds nothing afterwards, and its attempt says whether a record
    /// may refer to the value's pages.</summary>
    private PileStatus Store<TPayload>(
        scoped EntryKey key,
        ulong a,
        TPayload value,
        in EntryTerms terms,
        SetCondition condition,
        PileEntryVersion expected,
        in SlotValue own,
        long evictedBefore,
        ref RoomAttempt attempt,
        out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int payloadBytes = KeyedPrefix.Bytes + KeyedHead.KeyOffset(a) + key.Bytes.Length + value.Bytes + terms.TailBytes;
        while (true)
        {
            _index.Prefetch(key.Low);
            SlotSeen seen = looks.Look(key);
            int needBytes = own.IsThere || seen.Linked != 0 ? SlotBatch.FrameBytes(payloadBytes, own, seen) : SegmentWriter<DurableRecord>.RecordBytes(payloadBytes);
            seen.Enter(_core.Stripes!);
            long held = line.Enter(_writeWord);
            SegmentWriter<DurableRecord>? writer = null;
            PileStatus status;
            Room missing = Room.Closed;
            var step = new SlotStep();
            try
            {
                writer = _core.Writers.Hold(line);
                status = table.IsDropped ? PileStatus.Disposed : _core.WriteRefusal;
                if (status == PileStatus.Ok && own.Target != 0 && !_cache.Pile.Reads.TryFind(own.Target, out _))
                {
                    // Clear holds all writers: as long as this one is held, the object stays.
                    status = PileStatus.Stale;
                }

                if (status == PileStatus.Ok)
                {
                    bool fits = attempt.IsToDelete ? _core.Writers.EnsureSpaceToDelete(ref writer, line, needBytes) : writer.EnsureSpace(needBytes, attempt.OverRatio);
                    missing = !fits ? Room.Segment
                        : !_slots.TryTake(writer!, seen, own, out ulong entry, out ulong valuePointer) ? Room.Slots
                        : Publish(line, writer!, key, a, value, terms, condition, expected, own, seen, entry, valuePointer, ref step);
                    if (step.IsCrowded)
                    {
                        // With the writer held, so that Verify, which holds all, sees the index at rest.
                        table.Growth.Grow(table.Counts.Entries, CacheLimits.SplitsAtOnce);
                    }
                }
            }
            finally
            {
                attempt.IsRunUsed |= step.IsPublished;
                writer?.Release();
                line.Leave(held);
                seen.Exit(_core.Stripes!);
            }

            if (missing == Room.Closed)
            {
                result = new PileSetResult(PileSetOutcome.Full, 0);
                return status;
            }

            if (missing == Room.Found)
            {
                if (step.Status == PileStatus.Conflict)
                {
                    if (step.NeedsFlush)
                    {
                        _cache.Pile.Commit();
                    }

                    continue;
                }

                // Said before the rest, whatever becomes of that: the caller must know whose the value is.
                result = new PileSetResult(step.Status == PileStatus.Ok ? step.Outcome : PileSetOutcome.Full, _cache.EvictedSince(evictedBefore)) { Version = step.Version };
                _cache.DeleteOrphan(step.Orphan, _core.Log.Flushes.Next);
                _cache.Shared.Marks.Delete(step.Surplus);
                _core.RoomForWrites.ReclaimLarge(held);
                return step.Status;
            }

            evictedBefore = evictedBefore < 0 ? _cache.Evicted : evictedBefore;
            status = _core.RoomForWrites.Make(missing, held, ref attempt, missing == Room.Budget ? (int)CacheLimits.BucketsTakenMin * TableIndex.BucketBytes : payloadBytes);
            if (status != PileStatus.Ok)
            {
                result = new PileSetResult(PileSetOutcome.Full, _cache.EvictedSince(evictedBefore));
                return status == PileStatus.Full ? PileStatus.Ok : status;
            }
        }
    }

    /// <summary>Stores the entry; room and slots are at hand.</summary>
    /// <returns>Found, or what was missing: then nothing was changed. What else there is to say is in the step.</returns>
    private Room Publish<TPayload>(
        EpochLine line,
        SegmentWriter<DurableRecord> writer,
        scoped EntryKey key,
        ulong a,
        TPayload value,
        in EntryTerms terms,
        SetCondition condition,
        PileEntryVersion expected,
        in SlotValue own,
        in SlotSeen seen,
        ulong entry,
        ulong valuePointer,
        ref SlotStep step)
        where TPayload : struct, IPayload, allows ref struct
    {
        uint home = _index.Lock(key.Low);
        bool isPlaced = false;
        bool isStored = false;
        long there = 0;
        int recordBytes = 0;
        try
        {
            Fault.Stop(StopPoint.CacheLocked);
            FoundEntry former = _lookup.FindIn(home, key.Bytes, key.Hash);
            there = former.IsThere ? CellWord.Location(former.Cell) : 0;
            if (!IsMet(condition, expected, former, there, own, seen, out ulong stood, ref step))
            {
                return Room.Found;
            }

            if (there == 0 && _state.HasLost)
            {
                RefuseLost(home, key.Hash);
            }

            // A cell without an object is one that nobody sees: so it has its place before there is anything that could be lost for want of it.
            ulong cell = CellWord.Pack(PointerWord.Slot(entry), CellWord.Tag(key.Hash), terms.Priority);
            isPlaced = there == 0 && _index.TryInsertLocked(home, cell);
            if (there == 0 && !isPlaced)
            {
                return Room.Budget;
            }

            Fault.Stop(StopPoint.CacheSlotPlaced);
            step.Outcome = there == 0 ? PileSetOutcome.Inserted : _conditions.OutcomeOver(there, condition);
            ulong version = _state.NextVersion();
            a |= KeyedHead.A(owner: 0, lane: 0, priority: 0, flags: 0, version);
            ulong b = KeyedHead.B(version, CacheClock.ToMs(terms.NowTicks));
            var payload = new SlotPayload<EntryPayload<TPayload, DurableRecord>>(
                KeyedPrefix.Pack(_state.Era, key.Hash), new EntryPayload<TPayload, DurableRecord>(a, b, terms, key.Bytes, value));
            recordBytes = SegmentWriter<DurableRecord>.RecordBytes(payload.Bytes);
            if (own.IsThere || seen.Linked != 0)
            {
                byte[] bytes = new byte[payload.Bytes];
                payload.WriteTo(bytes);
                step.Status = _batch.Store(writer, entry, bytes, terms.TailBytes, own, valuePointer, seen, ref step.IsPublished);
                if (step.Status != PileStatus.Ok)
                {
                    // The pile takes no writes since a moment.
                    return Room.Found;
                }
            }
            else
            {
                Swing(writer, entry, payload, there != 0, stood, ref step.IsPublished);
            }

            isStored = true;
            Fault.Stop(StopPoint.CacheSlotSwung);
            if (there != 0 && CellWord.Priority(former.Cell) != terms.Priority)
            {
                _words.WriteRelease(former.Word, CellWord.WithStanding(cell, former.Cell));
            }

            // Before anybody can take the entry for gone: then the object would go without its mark.
            step.Surplus = own.Target == 0 ? 0 : _cache.Shared.Keep(own.Target, valuePointer);
            step.Version = new PileEntryVersion((long)version, KeyedHead.CreatedMs(b));
            table.Teller.TellStored(key.Bytes, step.Version, terms, condition, there, step.Outcome);
            return Room.Found;
        }
        finally
        {
            bool hasMoved = isPlaced && !step.IsPublished && TakeBack(home, PointerWord.Slot(entry));
            _index.Unlock(home, hasMoved);
            if (isStored)
            {
                Count(line, writer, there, terms, recordBytes + (long)own.ValueBytes, ref step);
            }
            else if (!step.IsPublished)
            {
                SlotTakes.GiveBack(writer, seen, own, entry, valuePointer);
            }
        }
    }

    /// <summary>Whether the entry of the key is the one that was seen, and all that is asked of it holds; else the step says what does not.</summary>
    private bool IsMet(
        SetCondition condition, PileEntryVersion expected, FoundEntry former, long there, in SlotValue own, in SlotSeen seen, out ulong stood, ref SlotStep step)
    {
        stood = 0;
        step.Status = looks.SeenAt(there) != seen ? PileStatus.Conflict
            : there != 0 && _core.CheckedEntries.Check(seen.Pointer, default, out stood) != PileStatus.Ok ? PileStatus.Conflict
            : there != 0 && _core.CheckedEntries.HasLastVersion(PointerWord.Slot(seen.Pointer), stood) ? PileStatus.VersionsExhausted
            : PileStatus.Ok;
        bool isMet = step.Status == PileStatus.Ok && (condition == SetCondition.None || _conditions.IsMet(condition, expected, former.IsThere, former.Cell));
        step.Outcome = PileSetOutcome.Refused;
        if (isMet && there != 0 && own.Target != 0 && !_cache.Shared.IsFlushed(own.Target))
        {
            // A cut could leave this entry, and neither its object nor the entry before.
            step.NeedsFlush = true;
            step.Status = PileStatus.Conflict;
            isMet = false;
        }

        return isMet;
    }

    /// <summary>Refuses to store beside an entry that may be the key's and can't be read now, but may be there again with the next open. In a locked chain.</summary>
    private void RefuseLost(uint home, ulong hash)
    {
        if (_lookup.HasLost(home, hash))
        {
            string path = _core.Files!.Directory.FullPath;
            throw new PileCorruptedException(
                $"'{path}': an entry of the table '{table.Options.Name}' that may have this key can't be found, because the pile's object table is damaged. Nothing was changed: close the pile and open it again, which builds the object table anew and has the entry back.",
                path: path);
        }
    }

    /// <summary>Takes the cell of an object back that was not stored, in a locked chain.</summary>
    /// <returns>True: readers look again.</returns>
    private bool TakeBack(uint home, uint slot)
    {
        _ = _lookup.TryFindLocation(home, slot, out uint word, out _) && _index.RemoveLocked(home, word);
        return true;
    }

    /// <summary>Appends the entry's record alone, and lets its object be that.</summary>
    private void Swing<TPayload>(SegmentWriter<DurableRecord> writer, ulong pointer, TPayload payload, bool isThere, ulong stood, ref bool isPublished)
        where TPayload : struct, IPayload, allows ref struct
    {
        uint slot = PointerWord.Slot(pointer);
        uint generation = PointerWord.Generation(pointer);
        var stamp = new RecordStamp { Generation = generation, Version = isThere ? _core.CheckedEntries.NextVersion(slot, stood, RecordCode.Extended) : 1 };
        isPublished = true;
        long location = writer.Append(slot, RecordCode.Extended, payload, stamp);
        Fault.Stop(StopPoint.CacheAppended);
        if (isThere)
        {
            _ = _core.CheckedEntries.SwingAway(pointer, default, EntryWord.Live(location, generation), ref stood);
            _core.CheckedEntries.CountDead(writer, stood, slot);
            return;
        }

        ulong before = Interlocked.Exchange(ref _core.Table.Entries.At(slot), EntryWord.Live(location, generation));
        _core.CheckedEntries.CountDeadTombstone(writer, slot, before);
        writer.CountObjects(1);
    }

    private void Count(EpochLine line, SegmentWriter<DurableRecord> writer, long there, in EntryTerms terms, long bytes, ref SlotStep step)
    {
        if (terms.EarliestEndTicks != EntryTerms.Never || terms.Note is not null)
        {
            _cache.Facts.Note(writer.Open!, terms.EarliestEndTicks, (int)PileCachePriority.NeverRemove, terms.Note is not null);
        }

        if (there == 0)
        {
            step.IsCrowded = table.Counts.Add(line, terms.Priority, 1, bytes) % CacheLimits.EntriesBeforeGrowth == 0;
            return;
        }

        ulong a = _lookup.HeadA(there);
        LinkedValue linked = table.Reads.LinkAt(there, a);
        step.Orphan = linked.IsShared ? linked.Pointer : 0;
        _cache.NoteLoose(step.Orphan);
        _ = table.Counts.Add(line, KeyedHead.Priority(a), -1, -table.Reads.RecordBytesAt(there) - (long)linked.Bytes);
        _ = table.Counts.Add(line, terms.Priority, 1, bytes);
    }
}
