// Verifies objects that were in the files before the pile was opened, when they are first read: the entry's location, the header
// against slot, generation and place, the payload against its CRC. What was found good is remembered, a bit a slot.
// What this process has put under slots of its own needs none of it. What was found bad stays bad in every mode.
using System;
using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>First-touch verification of one pile. Thread-safe; called inside an epoch.</summary>
internal sealed class FirstTouch : IDisposable
{
    private readonly ExtentMap _extents;
    private readonly SegmentDirectory _directory;
    private readonly FlatSpace _space;
    private readonly ulong _identity;
    private readonly PileVerifyOnRead _mode;
    private readonly TableSums? _sums;
    private readonly WordRegion? _marks;
    private readonly WordArray _good;
    private uint _marksEnd;
    private readonly uint _end;
    private readonly byte _tag;
    private ConcurrentDictionary<uint, ulong>? _condemned;
    private ConcurrentDictionary<uint, ulong>? _runless;
    private long _condemnedCount;

    /// <summary>Whether objects of after the open are looked at as well.</summary>
    private volatile bool _watchesAll;

    private volatile bool _isDoubted;
    private volatile bool _isLost;

    /// <summary>Prepares verification.</summary>
    /// <param name="core">The heap, its segments restored.</param>
    /// <param name="mode">How much to verify, and how often.</param>
    /// <param name="sums">Checksums of the table's pages, when it was closed in order.</param>
    /// <param name="isVerified">Whether all that is there has just been verified.</param>
    internal FirstTouch(HeapBase core, PileVerifyOnRead mode, TableSums? sums, bool isVerified)
    {
        _sums = sums;
        _tag = core.Tag;
        _watchesAll = mode == PileVerifyOnRead.Always;
        _extents = core.Extents;
        _directory = core.Directory;
        _space = core.Directory.Space;
        _identity = core.Log.Identity;
        _mode = mode;
        _end = core.Slots.HighWater;
        if (mode == PileVerifyOnRead.Always)
        {
            return;
        }

        // Of the system, which clears its pages when they are touched: an open does not wait for that.
        long words = (_end / 64) + 1;
        _marks = new WordRegion(core.Regions, words, words);
        if (!_marks.TryOpen(0, words))
        {
            _marks.Dispose();
            Throw.OutOfAddressSpace(words * Limits.WordBytes);
        }

        (_good, _marksEnd) = (_marks.Words, _end);
        for (uint word = 0; isVerified && word < words; word++)
        {
            _good.WriteRelease(word, ulong.MaxValue);
        }
    }

    /// <summary>How much is verified, and how often.</summary>
    internal PileVerifyOnRead Mode => _isDoubted ? PileVerifyOnRead.Always : _mode;

    /// <summary>Whether nothing is good any more, for pages of the table are lost: an entry of it may be an older one.</summary>
    internal bool IsLost => _isLost;

    /// <summary>Objects found to be corrupted since the open, each counted once.</summary>
    internal long Condemned => Volatile.Read(ref _condemnedCount);

    /// <summary>Whether the record of a live entry may be shown.</summary>
    internal bool IsGood(ulong slot, ulong entry) => (slot < _marksEnd ? IsMarkSet(slot) : slot >= _end && !_watchesAll) || Verify(slot, entry);

    /// <summary>From now on each record is verified each time that it is read, also of after the open: a sync has failed, and pages may be read again as the device has them.</summary>
    internal void Doubt()
    {
        _isDoubted = _watchesAll = true;
        Volatile.Write(ref _marksEnd, 0);
    }

    /// <summary>From now on nothing is good.</summary>
    internal void Lose()
    {
        _isLost = true;
        Doubt();
    }

    /// <summary>Verifies a record again, whatever is known of it and whatever the mode, and notes the outcome.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="entry">The entry, which refers to something.</param>
    internal bool Inspect(uint slot, ulong entry)
    {
        bool hasHeader = IsHeaderGood(slot, entry);
        if (hasHeader && IsPayloadGood(EntryWord.Location(entry)))
        {
            return TryMark(slot, entry);
        }

        Condemn(slot, hasHeader ? _space.ReadWord(EntryWord.Location(entry) + 1) : 0);
        Unmark(slot);
        return false;
    }

    /// <summary>Notes that the descriptor of a large object of before the open was not what was written when it was counted. Its pages may be another's from now on:
    /// should the device give the descriptor right the next time, nothing is read, or freed, by it.</summary>
    internal void LoseRun(LogRecord record)
    {
        ConcurrentDictionary<uint, ulong> runless = _runless ?? Interlocked.CompareExchange(ref _runless, [], null) ?? _runless;
        runless[record.Slot] = record.Word1;
        Condemn(record.Slot, record.Word1);
        Unmark(record.Slot);
    }

    /// <summary>Whether a large object's pages are not its own, whatever its descriptor says.</summary>
    internal bool HasLostRun(in LogRecord record) => _runless is { } runless && runless.TryGetValue(record.Slot, out ulong word1) && word1 == record.Word1;

    /// <summary>Whether the record's header may be believed: its length, version and code.</summary>
    internal bool HasGoodHeader(uint slot, ulong entry) => slot >= _end || IsMarked(slot) || IsHeaderGood(slot, entry);

    /// <summary>Whether an entry of before the open can be believed: its page is what it was, and it refers to a record of its slot, or
    /// to none.</summary>
    internal bool HasGoodEntry(uint slot, ulong entry) =>
        slot >= _end || IsMarked(slot) || (EntryWord.Location(entry) == 0 ? IsPageGood(slot) : IsHeaderGood(slot, entry));

    /// <summary>Whether no page of the table is known, or found now, to be damaged. When nobody changes it any more.</summary>
    internal bool AreAllPagesGood() => _sums is null || _sums.AreAllGood();

    /// <summary>Returns the marks' memory. The caller guarantees that no reader is left.</summary>
    public void Dispose() => _marks?.Dispose();

    /// <summary>Whether the record of a live entry was found to be corrupted, without a look at its payload. Inside an epoch.</summary>
    internal bool IsKnownBad(uint slot, ulong entry) =>
        _condemned is { } condemned && condemned.ContainsKey(slot) && (!IsHeaderGood(slot, entry) || IsCondemned(slot, entry));

    private bool IsPageGood(ulong slot) => _sums is null || _sums.IsPageGood(slot);

    private bool IsMarked(ulong slot) => slot < _marksEnd && IsMarkSet(slot);

    private bool IsMarkSet(ulong slot) => (_good.Read(slot / 64) & (1UL << (int)(slot % 64))) != 0;

    private bool Verify(ulong slot, ulong entry)
    {
        if (_isLost)
        {
            return false;
        }

        bool hasHeader = IsHeaderGood(slot, entry);
        if (hasHeader && !IsCondemned(slot, entry) && (Mode == PileVerifyOnRead.Never ? IsPayloadFound(EntryWord.Location(entry)) : IsPayloadGood(EntryWord.Location(entry))))
        {
            return TryMark((uint)slot, entry);
        }

        Condemn((uint)slot, hasHeader ? _space.ReadWord(EntryWord.Location(entry) + 1) : 0);
        return false;
    }

    /// <summary>Marks what was found good. LoseRun may come meanwhile, from the count: it notes the run as lost and then takes the mark away, and here the mark
    /// is set before the note is looked for. One of the two sees what the other did, whatever the order, and no mark stays of a run that is lost.</summary>
    /// <returns>False when the run was lost meanwhile.</returns>
    private bool TryMark(uint slot, ulong entry)
    {
        if (slot < _marksEnd)
        {
            _ = Interlocked.Or(ref _good.At(slot / 64), 1UL << (int)(slot % 64));
        }

        bool isLost = Volatile.Read(ref _runless) is not null && HasLostRun(LogRecord.Read(_space, EntryWord.Location(entry)));
        if (isLost)
        {
            Unmark(slot);
        }

        return !isLost;
    }

    private void Unmark(uint slot)
    {
        if (slot < _marksEnd)
        {
            _ = Interlocked.And(ref _good.At(slot / 64), ~(1UL << (int)(slot % 64)));
        }
        else
        {
            _watchesAll = true;
        }
    }

    /// <summary>Whether this very version of the object was found to be corrupted: the cleaner may have moved it since.</summary>
    private bool IsCondemned(ulong slot, ulong entry) =>
        _condemned is { } condemned && condemned.TryGetValue((uint)slot, out ulong version) && version == _space.ReadWord(EntryWord.Location(entry) + 1);

    private void Condemn(uint slot, ulong version)
    {
        ConcurrentDictionary<uint, ulong> condemned = _condemned ?? Interlocked.CompareExchange(ref _condemned, [], null) ?? _condemned;
        if (!condemned.TryGetValue(slot, out ulong known) || known != version)
        {
            condemned[slot] = version;
            _ = Interlocked.Increment(ref _condemnedCount);
            EventsAside.Tell(EventLevel.Error, () => PileEventSource.Log.ObjectCorrupted(_tag, slot));
        }
    }

    private bool IsHeaderGood(ulong slot, ulong entry) =>
        IsPageGood(slot)
        && LogRecord.TryRead(_extents, _directory, _identity, EntryWord.Location(entry), out LogRecord record)
        && record.Slot == slot
        && IsEntryOf(record, entry);

    /// <summary>Whether the record is one that such an entry refers to: a live entry to no tombstone, a free one to nothing else. A
    /// recovery may have raised a free entry's generation.</summary>
    private static bool IsEntryOf(in LogRecord record, ulong entry)
    {
        ulong own = record.Entry();
        return own == entry
            || (record.Code == RecordCode.Tombstone && entry == EntryWord.Free(EntryWord.Generation(entry), record.Location) && EntryWord.Generation(entry) > EntryWord.Generation(own));
    }

    private bool IsPayloadGood(long location)
    {
        if (Fault.CrcNotCompared)
        {
            return true;
        }

        var record = LogRecord.Read(_space, location);
        return record.Code == RecordCode.Large
            ? TryReadRun(record, out LargeDescriptor run) && Crc32C.Compute(_space.Bytes(run.RunLocation, 0, run.PayloadBytes)) == run.PayloadCrc
            : record.IsPayloadWhole(_space);
    }

    /// <summary>Whether it is known where the payload lies: of a large object its descriptor says so, which must be what was written.</summary>
    private bool IsPayloadFound(long location) => LogRecord.Read(_space, location) is var record && (record.Code != RecordCode.Large || TryReadRun(record, out _));

    private bool TryReadRun(in LogRecord record, out LargeDescriptor run) =>
        record.TryReadRun(_space, out run) && !HasLostRun(record) && _extents.ContainsRun(run.RunLocation, run.PayloadBytes);
}
