// Writes of a table: append the record, then swing the key's cell to it under the chain's lock. Each call holds an epoch pin and a
// writer from the append until the counts are made, as in the heap (W3), so that the cleaner's sums are final once the epoch has
// passed. What is appended in vain is counted dead at once.
using System;
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>The write side of one table. Thread-safe.</summary>
internal sealed class TableWrites<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly CacheCore<TFormat> _cache = table.Cache;
    private readonly TableIndex _index = table.Index;
    private readonly TableLookup<TFormat> _lookup = table.Lookup;
    private readonly TableReads<TFormat> _reads = table.Reads;
    private readonly WordArray _words = table.Index.Words;
    private readonly WriterSet<TFormat> _writers = table.Cache.Core.Writers;
    private readonly long _writeWord = table.Cache.Core.Epochs.WriteWord;
    private readonly bool _hasOwnLimit = table.Options.MaximumEntries is not null || table.Options.MaximumBytes is not null;
    private readonly TableConditions<TFormat> _conditions = new(table);
    private readonly TableTeller<TFormat> _teller = table.Teller;
    private readonly int _linkedBytesMin = table.Cache.Core.LargePayloadBytesMin;

    /// <summary>Stores an entry.</summary>
    /// <param name="key">The key.</param>
    /// <param name="lane">The value's lane.</param>
    /// <param name="value">The value.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="condition">What must hold for it.</param>
    /// <param name="expected">The version expected, where that is the condition.</param>
    /// <param name="result">What became of it, when Ok.</param>
    /// <returns>Ok, or what keeps the pile from being written to.</returns>
    internal PileStatus Set<TPayload>(
        scoped EntryKey key, RecordCode lane, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct
    {
        if (terms.HasEnded && condition != SetCondition.Kept)
        {
            result = table.Removals.InPlaceOf(key, condition);
            return PileStatus.Ok;
        }

        ulong a = terms.HeadA(table.Id, key.Bytes.Length, lane);
        if (TFormat.IsDurable && table.InSlots is { } slots)
        {
            return slots.Set(key, a, value, terms, condition, expected, out result);
        }

        return KeyedHead.KeyOffset(a) + key.Bytes.Length + (long)value.Bytes + terms.TailBytes < _linkedBytesMin
            ? SetRecord(key, a, value, terms, condition, expected, out result)
            : SetLinked(key, a, lane, value, terms, condition, expected, out result);
    }

    /// <summary>Counts an entry that no cell leads to any more. With a writer held, inside the epoch.</summary>
    /// <returns>The object that it owned, or 0.</returns>
    internal ulong CountGone(EpochLine line, SegmentWriter<TFormat> writer, long location, ulong a, int priority)
    {
        int recordBytes = _reads.RecordBytesAt(location);
        writer.CountDead(location, recordBytes);
        LinkedValue linked = _reads.LinkAt(location, a);
        _ = table.Counts.Add(line, priority, -1, -recordBytes - (long)linked.Bytes);
        _cache.NoteLoose(linked.Pointer);
        return linked.Pointer;
    }

    /// <summary>Counts an entry in whose place another one stands.</summary>
    /// <returns>The object that it owned, or 0.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong CountReplaced(EpochLine line, SegmentWriter<TFormat> writer, long location, int priority, long bytes)
    {
        ulong a = _lookup.HeadA(location);
        int recordBytes = _reads.RecordBytesAt(location);
        if (KeyedHead.Priority(a) != priority || (a & KeyedHead.LinkedBit) != 0)
        {
            _ = table.Counts.Add(line, priority, 1, bytes);
            return CountGone(line, writer, location, a, KeyedHead.Priority(a));
        }

        writer.CountDead(location, recordBytes);
        if (bytes != recordBytes)
        {
            _ = table.Counts.Add(line, priority, 0, bytes - recordBytes);
        }

        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus SetLinked<TPayload>(
        scoped EntryKey key, ulong a, RecordCode lane, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
        where TPayload : struct, IPayload, allows ref struct
    {
        result = new PileSetResult(PileSetOutcome.Full, 0);
        int bytes = value.Bytes;
        if (!table.Evictor.CouldHold(bytes) || !ValueRoom.HoldsOrTells(_cache, bytes))
        {
            return PileStatus.Ok;
        }

        while (true)
        {
            PileStatus status = TrySetLinked(key, a, lane, value, terms, condition, expected, out result, out bool isGone);
            if (!isGone)
            {
                return status;
            }
        }
    }

    /// <summary>Stores the value as an object, and then the entry.</summary>
    /// <param name="key">The key.</param>
    /// <param name="a">Word A of the head.</param>
    /// <param name="lane">The value's lane.</param>
    /// <param name="value">The value.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="condition">What must hold for it.</param>
    /// <param name="expected">The version expected, where that is the condition.</param>
    /// <param name="result">What became of it, when Ok.</param>
    /// <param name="isGone">Whether the object was taken away by a Clear of the pile before the entry was there: start again.</param>
    private PileStatus TrySetLinked<TPayload>(
        scoped EntryKey key,
        ulong a,
        RecordCode lane,
        TPayload value,
        in EntryTerms terms,
        SetCondition condition,
        PileEntryVersion expected,
        out PileSetResult result,
        out bool isGone)
        where TPayload : struct, IPayload, allows ref struct
    {
        isGone = false;
        int bytes = value.Bytes;
        long evictedBefore = _cache.Evicted;
        _cache.NoteLoose();
        PileStatus status = TFormat.IsDurable
            ? _cache.Pile.Writes.TryPut(RecordCode.Extended, new OwnedPayload<TPayload>(value, table.Id), out ulong pointer)
            : _cache.Pile.Writes.TryPut(lane, value, out pointer);
        result = new PileSetResult(PileSetOutcome.Full, _cache.EvictedSince(evictedBefore));
        if (status != PileStatus.Ok)
        {
            _cache.NoteSettled();
            return status == PileStatus.Full ? PileStatus.Ok : status;
        }

        Span<byte> link = stackalloc byte[KeyedHead.LinkBytes];
        new LinkedValue(pointer, bytes, IsShared: false).Write(link);
        try
        {
            status = SetRecord(key, a | KeyedHead.LinkedBit, new BytesPayload(link), terms, condition, expected, out result, bytes, pointer, evictedBefore);
            isGone = status == PileStatus.Stale;
        }
        finally
        {
            if (result.IsStored)
            {
                _cache.NoteSettled();
            }
            else
            {
                _cache.DeleteOrphan(pointer);
            }
        }

        return status;
    }

    /// <summary>Stores a record; where it leads to an object, as long as that is there: Stale when it is not.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PileStatus SetRecord<TPayload>(
        scoped EntryKey key, ulong a, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result, int linkedBytes = 0, ulong linked = 0, long evictedBefore = -1)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int payloadBytes = KeyedHead.KeyOffset(a) + key.Bytes.Length + value.Bytes + terms.TailBytes;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payloadBytes);
        RoomAttempt attempt = default;
        result = new PileSetResult(PileSetOutcome.Full, 0);
        while (true)
        {
            _index.Prefetch(key.Low);
            long held = line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            PileStatus status;
            Room missing = Room.Closed;
            ulong orphan = 0;
            uint locked = TableIndex.Nowhere;
            long appended = 0;
            try
            {
                writer = _writers.Hold(line);
                status = table.IsDropped ? PileStatus.Disposed : _cache.Core.WriteRefusal;
                if (status == PileStatus.Ok && linked != 0 && !_cache.Pile.Reads.TryFind(linked, out _))
                {
                    // Clear holds all writers: as long as this one is held, the object stays.
                    status = PileStatus.Stale;
                }

                if (status == PileStatus.Ok)
                {
                    missing = Room.Segment;
                    if (writer.EnsureSpace(recordBytes, attempt.OverRatio))
                    {
                        PileSetOutcome outcome = PileSetOutcome.Full;
                        missing = Publish(
                            line, writer, key, a, value, terms, condition, expected, recordBytes, linkedBytes, ref locked, ref appended, ref outcome, out PileEntryVersion stored, out orphan, out bool isCrowded);

                        // Said before the rest, in which a comparer of the program's is asked, and may throw: the caller must know whose the value is.
                        result = new PileSetResult(outcome, _cache.EvictedSince(evictedBefore));
                        result = result with { Version = result.IsStored ? stored : default };
                        if (isCrowded)
                        {
                            GrowIndex();
                        }
                    }
                }
            }
            catch
            {
                Abandon(line, held, writer, locked, appended, recordBytes);
                throw;
            }

            writer.Release();
            line.Leave(held);
            if (missing == Room.Closed)
            {
                return status;
            }

            if (missing == Room.Found)
            {
                _cache.DeleteOrphan(orphan);
                if (_hasOwnLimit && result.IsStored)
                {
                    result = result with { Evicted = ToInt(result.Evicted + (long)table.Evictor.HoldLimits(key)) };
                }

                return PileStatus.Ok;
            }

            evictedBefore = evictedBefore < 0 ? _cache.Evicted : evictedBefore;
            int needBytes = missing == Room.Segment ? payloadBytes : (int)CacheLimits.BucketsTakenMin * TableIndex.BucketBytes;
            status = _cache.Core.RoomForWrites.Make(missing, held, ref attempt, needBytes);
            if (status != PileStatus.Ok)
            {
                result = new PileSetResult(PileSetOutcome.Full, _cache.EvictedSince(evictedBefore));
                return status == PileStatus.Full ? PileStatus.Ok : status;
            }
        }
    }

    /// <summary>Gives back what a call holds that ends with an exception; what it has appended in vain is dead.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Abandon(EpochLine line, long held, SegmentWriter<TFormat>? writer, uint locked, long appended, int recordBytes)
    {
        _index.UnlockAny(locked, hasMoved: false);
        try
        {
            if (appended != 0)
            {
                writer!.CountDead(appended, recordBytes);
            }
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }

    /// <summary>Ends a call that changes nothing: unlocks the chain, and counts what was appended in vain as dead. Where the count finds no memory, <see cref="Abandon"/> has only it to do.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TakeBack(SegmentWriter<TFormat> writer, uint home, long location, int recordBytes, ref uint locked, ref long appended)
    {
        locked = TableIndex.Nowhere;
        _index.Unlock(home, hasMoved: false);
        writer.CountDead(location, recordBytes);
        appended = 0;
    }

    /// <summary>Grows the index by a step, and the ghosts with it. With the writer held, so that Verify, which holds all, sees them at rest.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowIndex()
    {
        long entries = table.Counts.Entries;
        table.Growth.Grow(entries, CacheLimits.SplitsAtOnce);
        if (table.IsSpeculative && entries > _cache.Ghosts.EntriesFitted)
        {
            _cache.Ghosts.Fit(entries);
        }
    }

    private static int ToInt(long count) => (int)long.Min(count, int.MaxValue);

    /// <summary>Appends the record and swings the key's cell to it; room is at hand.</summary>
    /// <returns>Found, or what was missing; then nothing was changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Room Publish<TPayload>(
        EpochLine line, SegmentWriter<TFormat> writer, scoped EntryKey key, ulong a, TPayload value, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, int recordBytes,
        int linkedBytes, ref uint locked, ref long appended, ref PileSetOutcome outcome, out PileEntryVersion stored, out ulong orphan, out bool isCrowded)
        where TPayload : struct, IPayload, allows ref struct
    {
        orphan = 0;
        isCrowded = false;
        ulong version = _cache.Versions.Next(line.Writer);
        ulong b = KeyedHead.B(version, CacheClock.ToMs(terms.NowTicks));
        stored = new PileEntryVersion((long)version, KeyedHead.CreatedMs(b));
        a |= KeyedHead.A(owner: 0, lane: 0, priority: 0, flags: 0, version);
        long location = writer.Append(key.Low, RecordCode.Cache, new EntryPayload<TPayload, TFormat>(a, b, terms, key.Bytes, value), default);
        ulong cell = CellWord.Pack(location, CellWord.Tag(key.Hash), terms.Priority);
        appended = location;
        Fault.Stop(StopPoint.CacheAppended);

        uint home = locked = _index.Lock(key.Low);
        Fault.Stop(StopPoint.CacheLocked);
        FoundEntry former = _lookup.FindIn(home, key.Bytes, key.Hash);
        if (condition != SetCondition.None && !_conditions.IsMet(condition, expected, former.IsThere, former.Cell))
        {
            TakeBack(writer, home, location, recordBytes, ref locked, ref appended);
            outcome = PileSetOutcome.Refused;
            return Room.Found;
        }

        if (_hasOwnLimit && !_conditions.HasOwnRoom(recordBytes + (long)linkedBytes, former.IsThere, former.Cell))
        {
            TakeBack(writer, home, location, recordBytes, ref locked, ref appended);
            return Room.Found;
        }

        if (former.IsThere)
        {
            outcome = _conditions.OutcomeOver(CellWord.Location(former.Cell), condition);

            // Release: who sees the cell sees the record.
            appended = 0;
            _words.WriteRelease(former.Word, CellWord.WithStanding(cell, former.Cell));
            Fault.Stop(StopPoint.CacheCellStored);
            _teller.TellStored(key.Bytes, stored, terms, condition, CellWord.Location(former.Cell), outcome);
            locked = TableIndex.Nowhere;
            _index.Unlock(home, hasMoved: false);
            NoteIn(writer.Open!, terms, linkedBytes);
            orphan = CountReplaced(line, writer, CellWord.Location(former.Cell), terms.Priority, recordBytes + (long)linkedBytes);
            return Room.Found;
        }

        if (table.IsSpeculative && _cache.Ghosts.TryTake(key.Hash, table.Id))
        {
            if (Fault.GhostTaken)
            {
                TakeBack(writer, home, location, recordBytes, ref locked, ref appended);
                outcome = PileSetOutcome.Replaced;
                return Room.Found;
            }

            cell |= CellWord.MainBit;
        }

        bool isPlaced = _index.TryInsertLocked(home, cell);
        Fault.Stop(StopPoint.CacheCellStored);
        if (isPlaced)
        {
            appended = 0;
            _teller.TellStored(key.Bytes, stored, terms, condition, former: 0, PileSetOutcome.Inserted);
        }

        if (!isPlaced)
        {
            TakeBack(writer, home, location, recordBytes, ref locked, ref appended);
            return Room.Budget;
        }

        locked = TableIndex.Nowhere;
        _index.Unlock(home, hasMoved: false);
        NoteIn(writer.Open!, terms, linkedBytes);
        outcome = PileSetOutcome.Inserted;
        isCrowded = table.Counts.Add(line, terms.Priority, 1, recordBytes + (long)linkedBytes) % CacheLimits.EntriesBeforeGrowth == 0;
        return Room.Found;
    }

    /// <summary>Notes in the segment's facts that an entry was stored there: after its cell, so that whoever forgets the note meanwhile and
    /// then walks the segment finds the entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void NoteIn(Segment segment, in EntryTerms terms, int linkedBytes) => _cache.Facts.Note(
        segment, terms.EarliestEndTicks, table.IsSpeculative ? terms.Priority : (int)PileCachePriority.NeverRemove, terms.Note is not null, linkedBytes < _linkedBytesMin ? 0 : linkedBytes);
}
