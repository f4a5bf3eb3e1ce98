// A writer: one open segment, a ring of free slots, and its own counts. Whoever holds it may append; there is one per core,
// so that threads seldom meet. It never cleans and never waits: without room it says so and its holder lets go of it.
// Order of a publication (W1): payload, header (release), entry (release), then the writer is let go.
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Segments;

/// <summary>Appends records of one format. Every member but the first few and the counts needs the writer held.</summary>
internal sealed class SegmentWriter<TFormat>(SegmentDirectory directory, SegmentPool pool, ObjectTable table, SlotPool slots, LogContext log)
    where TFormat : struct, IRecordFormat
{
    private const long Free = 0;
    private const long Locked = 1;

    private readonly FlatSpace _space = directory.Space;
    private SlotStock _stock;
    private SlotStock _freed;
    private uint _salt;
    private Segment? _open;
    private WriterHot _hot = new() { StreakToOwn = Limits.StreakToOwnMin };
    private bool _isForDeletes;

    /// <summary>The open segment, or null.</summary>
    internal Segment? Open
    {
        get => Volatile.Read(ref _open);
        private set => Volatile.Write(ref _open, value);
    }

    /// <summary>Bytes that died under this writer's hand.</summary>
    internal DeadBytes Dead { get; } = new();

    /// <summary>Bytes of records ever appended. Any thread; waits while the holder seals.</summary>
    internal long AppendedBytes => _hot.AppendedBytes;

    /// <summary>Counts the segments of a pile that was opened again as appended.</summary>
    internal void CountRestored(long bytes) => Volatile.Write(ref _hot.SealedBytes, _hot.SealedBytes + bytes);

    /// <summary>Objects published less objects deleted by this writer.</summary>
    internal long ObjectsDelta => Volatile.Read(ref _hot.ObjectsDelta);

    /// <summary>Free slots that only this writer can issue.</summary>
    internal long SlotsHeld => _stock.Count + _freed.Count;

    /// <summary>Whether the thread of a line may use the writer as it is: it has said in its line that it writes, and the writer is its own. Whoever takes the
    /// writer away changes the owner, buys the process-wide barrier and then waits for the line: one of the two sees the other, and the owner pays for no lock
    /// (as biased locks: Kawachiya, Koseki and Onodera, OOPSLA 2002).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOwnedBy(EpochLine line) => Volatile.Read(ref _hot.Owner) == line.Place;

    /// <summary>Tries to become the holder by the lock.</summary>
    /// <param name="line">The calling thread's line, which does not say that it writes.</param>
    internal bool TryLock(EpochLine line)
    {
        long owner = Volatile.Read(ref _hot.Owner);
        if ((owner != Free && owner != line.Place) || Interlocked.CompareExchange(ref _hot.Owner, Locked, owner) != owner)
        {
            return false;
        }

        LockOrder.Enter(LockRank.Writer);
        _hot.IsLocked = true;
        _hot.Streak = _hot.LastLine == line.Place ? int.Min(_hot.Streak + 1, Limits.StreakToOwnMax) : 0;
        _hot.LastLine = line.Place;
        return true;
    }

    /// <summary>Takes the writer away from the thread that owns it, and waits until that has left its present write.</summary>
    /// <param name="line">The calling thread's line, which does not say that it writes.</param>
    /// <param name="makeRarer">Whether the next owner must wait longer to become one: for writers that compete.</param>
    /// <returns>False when nobody owns it now.</returns>
    internal bool TryTakeAway(EpochLine line, bool makeRarer)
    {
        long owner = Volatile.Read(ref _hot.Owner);
        if (owner is Free or Locked || Interlocked.CompareExchange(ref _hot.Owner, Locked, owner) != owner)
        {
            return false;
        }

        Interlocked.MemoryBarrierProcessWide();
        var ownersLine = new EpochLine((nint)owner);
        long word = ownersLine.Word;
        var spin = default(SpinWait);
        for (long seen = word; EpochLine.IsInWrite(seen, word); seen = ownersLine.Word)
        {
            spin.SpinAnyhow();
        }

        LockOrder.Enter(LockRank.Writer);
        _hot.IsLocked = true;
        _hot.LastLine = line.Place;
        _hot.Streak = 0;
        _hot.StreakToOwn = makeRarer ? int.Min((_hot.StreakToOwn + 1) * 4, Limits.StreakToOwnMax) : _hot.StreakToOwn;
        return true;
    }

    /// <summary>Lets go. A writer locked often enough by one thread in a row becomes that thread's own.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Release()
    {
        if (_hot.IsLocked)
        {
            LockOrder.Exit(LockRank.Writer);
            Unlock();
        }
    }

    /// <summary>Makes sure that a record of <paramref name="recordBytes"/> fits, rolling to another segment if not.</summary>
    /// <param name="recordBytes">Bytes of the record, at most the largest segment less its header.</param>
    /// <param name="overRatio">Whether the pile may grow beyond its ratio of resident to live bytes: cleaning yields nothing.</param>
    /// <returns>False when the pool has no segment for writers.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EnsureSpace(int recordBytes, bool overRatio) => ((_hot.End - _hot.Tail) << 3) >= recordBytes || Roll(recordBytes, overRatio);

    /// <summary>As <see cref="EnsureSpace"/>, for what a deletion leaves in the log: where there is no segment for writers one of the cleaner's
    /// serves, in which nothing else finds room. So a full pile can be deleted from, and what is deleted gives the cleaner its room back.</summary>
    internal bool EnsureSpaceToDelete(int recordBytes)
    {
        if (EnsureSpace(recordBytes, overRatio: true))
        {
            return true;
        }

        if (!_isForDeletes || RestOfOpen < recordBytes)
        {
            if (pool.TryTakeToDelete(recordBytes) is not { } segment)
            {
                return false;
            }

            OpenSegment(segment, recordBytes);
            _isForDeletes = true;
        }

        _hot.End = _hot.Tail + (recordBytes >> 3);
        return true;
    }

    /// <summary>Bytes of the open segment that nothing stands in; of a writer that others hold any number.</summary>
    internal long RestOfOpen => Open is { } open ? ((open.Location + (open.Bytes >> 3)) - _hot.Tail) << 3 : 0;

    /// <summary>Finds where a record of a payload would end, and whether it fits there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryPlace(int payloadBytes, out long end) => (end = _hot.Tail + RecordWords(payloadBytes)) <= _hot.End;

    /// <summary>Whether a slot is at hand for the next Put.</summary>
    internal bool HasSlot => _stock.HasRun;

    /// <summary>Makes a slot of the stock ready for the next Put, when there is one; behind a Put, where nothing else is needed any more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrepareSlot()
    {
        if (!_stock.HasRun)
        {
            _ = TryNextSlots();
        }
    }

    /// <summary>Makes sure that a slot is at hand.</summary>
    /// <returns>False when the pool has none.</returns>
    internal bool EnsureSlot() => _stock.HasRun || TryNextSlots() || (slots.TryRefill(ref _stock) && (_stock.HasRun || TryNextSlots()));

    /// <summary>Takes a free slot. After <see cref="EnsureSlot"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint TakeSlot() => _stock.Take();

    /// <summary>Takes back the slot of a deleted object, unless its generations are used up.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void FreeSlot(uint slot, uint generation)
    {
        if (generation >= EntryWord.GenerationLast)
        {
            slots.Retire(slot);
            return;
        }

        // Where reuse waits for flushes (W5), the pool keeps freed slots until theirs has completed.
        bool isWaiting = log.Flushes.IsWaitedFor && !Fault.SlotReissuedEarly;
        ref SlotStock stock = ref isWaiting ? ref _freed : ref _stock;
        if (stock.IsFull)
        {
            slots.Spill(ref stock, isWaiting);
        }

        stock.Push(slot);
    }

    /// <summary>Appends a record. After <see cref="EnsureSpace"/> with its size.</summary>
    /// <returns>Its location; nobody can see it until an entry says so.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Append<TPayload>(uint slot, RecordCode code, TPayload payload, in RecordStamp stamp)
        where TPayload : struct, IPayload, allows ref struct
    {
        long location = _hot.Tail;
        int payloadBytes = payload.Bytes;
        if (!TFormat.IsDurable || code >= RecordCode.Cache || payload.Source.Length == 0)
        {
            WritePayload(location, payload);
            return AppendHeader(location, slot, code, payloadBytes, stamp);
        }

        uint sum = Crc32C.Copy(payload.Source, _space.Bytes(location, TFormat.HeaderBytes, payloadBytes));
        Fault.Stop(StopPoint.PayloadWritten);
        PlacedHeader<TFormat>.Write(_space, RecordWord.Pack(slot, code, payloadBytes), sum, stamp with { Salt = _salt, Location = location });
        AdvanceWords(RecordWords(payloadBytes));
        return location;
    }

    /// <summary>Writes the payload of a record whose header will stand at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WritePayload<TPayload>(long location, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        payload.WriteTo(_space.Bytes(location, TFormat.HeaderBytes, payload.Bytes));
        Fault.Stop(StopPoint.PayloadWritten);
    }

    /// <summary>Writes the header of a record whose payload is in place at the tail, and advances the tail.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long AppendHeader(long location, uint slot, RecordCode code, int payloadBytes, in RecordStamp stamp)
    {
        WriteHeader(location, slot, code, payloadBytes, stamp);
        AdvanceWords(RecordWords(payloadBytes));
        return location;
    }

    /// <summary>Writes the header of a record whose payload is in place, and leaves the tail as it is: for the members of a frame.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteHeader(long location, uint slot, RecordCode code, int payloadBytes, in RecordStamp stamp)
    {
        ulong word = RecordWord.Pack(slot, code, payloadBytes);
        uint sum = TFormat.IsDurable ? PayloadSum.Of(word, _space.Bytes(location, TFormat.HeaderBytes, payloadBytes)) : 0;
        PlacedHeader<TFormat>.Write(_space, word, sum, stamp with { Salt = _salt, Location = location });
    }

    /// <summary>Ends a record that was written in place: the next one stands there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EndRecord(long end) => Volatile.Write(ref _hot.Tail, end);

    /// <summary>Appends a copy of a record at another location, its payload checksum kept. After <see cref="EnsureSpace"/>.</summary>
    internal long AppendCopy(long source, ulong word, in RecordStamp stamp)
    {
        long location = _hot.Tail;
        int recordBytes = RecordBytes(RecordWord.PayloadBytes(word));
        _space.Copy(source, location, recordBytes);
        PlacedHeader<TFormat>.Restamp(_space, word, stamp with { Salt = _salt, Location = location });
        AdvanceWords(recordBytes >> 3);
        return location;
    }

    /// <summary>Where the next record will stand.</summary>
    internal long Tail => Volatile.Read(ref _hot.Tail);

    /// <summary>Bytes left in the open segment.</summary>
    internal long FreeBytes => (_hot.End - _hot.Tail) << 3;

    /// <summary>Counts more, or fewer, objects.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountObjects(long delta) => Volatile.Write(ref _hot.ObjectsDelta, _hot.ObjectsDelta + delta);

    /// <summary>Counts the record at a location as dead.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountDead(long location, int recordBytes)
    {
        if (!Fault.DeadNotCounted)
        {
            Dead.Add(_space.SegmentIndex(location), recordBytes);
        }
    }

    /// <summary>Bytes of a record of this format, padding included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int RecordBytes(int payloadBytes) => Align.Up(TFormat.HeaderBytes + payloadBytes, Limits.WordBytes);

    /// <summary>The same in words.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long RecordWords(int payloadBytes) => (uint)(TFormat.HeaderBytes + Limits.WordBytes - 1 + payloadBytes) / Limits.WordBytes;

    /// <summary>Seals the open segment, if there is one; because a record of so many bytes may not fit, or for another reason.</summary>
    internal void Seal(int neededBytes = 0)
    {
        if (Open is { } open)
        {
            pool.Opened.NoteRest(open, RestOfOpen, neededBytes);
            _hot.End = open.Location + (open.Bytes / Limits.WordBytes);
            _isForDeletes = false;
            if (TFormat.IsDurable)
            {
                Fill();
                Fault.Stop(StopPoint.SegmentFilled);
            }

            open.WrittenBytes = WrittenBytes;
            open.NeededFlush = log.Flushes.Next;
            open.State = SegmentState.Sealed;
            pool.Opened.NoteSealed(open);
            Open = null;
            _hot.Seal();
        }
    }

    /// <summary>Bytes written to the open segment.</summary>
    internal int WrittenBytes => Open is { } open ? (int)((_hot.Tail - open.Location) << 3) : 0;

    /// <summary>Opens a given segment, sealing the present one.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="neededBytes">Bytes of the record for which it is opened; 0 for none.</param>
    /// <param name="reachBytes">How far to go before asking again; not a matter for those who go by <see cref="FreeBytes"/>.</param>
    internal void OpenSegment(Segment segment, int neededBytes, int reachBytes = Limits.SegmentBytesMax)
    {
        Seal(neededBytes);
        Open = segment;
        reachBytes = int.Min(segment.Bytes, reachBytes);
        segment.FilledBytes = int.Max(segment.FilledBytes, reachBytes);
        _hot.Start = _hot.Tail = segment.Location;
        _hot.End = segment.Location + (reachBytes / Limits.WordBytes);
        if (TFormat.IsDurable)
        {
            Fault.Stop(StopPoint.SegmentRowStored);
            _salt = DurableRecord.SaltOf(log.Identity, segment.Sequence);
            if (Fault.AppendedToOld && segment.WrittenBytes > 0)
            {
                _hot.Start = _hot.Tail += segment.WrittenBytes / Limits.WordBytes;
                return;
            }

            SegmentHeader.Write(_space.Bytes(segment.Location, 0, TFormat.SegmentHeaderBytes), segment.Sequence, log.Identity, segment.Location);
            AdvanceWords(TFormat.SegmentHeaderBytes >> 3);
            CountDead(segment.Location, TFormat.SegmentHeaderBytes);
        }
    }

    /// <inheritdoc cref="SlotPool.TakeBack"/>
    internal void GiveSlotsBack() => slots.TakeBack(ref _stock, ref _freed);

    /// <summary>Forgets the free slots held, for Clear, which frees all slots at once.</summary>
    internal void DropSlots()
    {
        _stock.Clear();
        _freed.Clear();
    }

    /// <summary>Fills the rest of the open segment, so that a sealed one is records to its end: who walks it later knows that nothing is missing. A rest too short for a header stays.</summary>
    private void Fill()
    {
        (int restBytes, long location) = ((int)FreeBytes, _hot.Tail);
        if (restBytes >= TFormat.HeaderBytes)
        {
            AppendHeader(location, slot: 0, RecordCode.Filler, restBytes - TFormat.HeaderBytes, new RecordStamp { Generation = 0 });
        }
        else if (restBytes > 0)
        {
            AdvanceWords(restBytes >> 3);
        }

        CountDead(location, restBytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Roll(int recordBytes, bool overRatio)
    {
        if (!_isForDeletes && Open is { } open && _hot.End < open.Location + (open.Bytes / Limits.WordBytes) && WrittenBytes + recordBytes <= open.Bytes)
        {
            _hot.End = open.Location + (pool.Extend(open, WrittenBytes + recordBytes) / Limits.WordBytes);
            return true;
        }

        if (pool.TryTake(overRatio, recordBytes) is not { } segment)
        {
            return false;
        }

        OpenSegment(segment, recordBytes, pool.Extend(segment, TFormat.SegmentHeaderBytes + recordBytes));
        return !Fault.AppendedToOld || EnsureSpace(recordBytes, overRatio);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryNextSlots()
    {
        bool isFound = _stock.TryNext(out uint later);
        table.Prefetch(later);
        return isFound;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Unlock()
    {
        _hot.IsLocked = false;
        Volatile.Write(ref _hot.Owner, _hot.Streak >= _hot.StreakToOwn ? _hot.LastLine : Free);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AdvanceWords(long words) => EndRecord(_hot.Tail + words);
}
